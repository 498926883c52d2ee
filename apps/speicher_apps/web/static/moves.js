// The list of moves: a button for each, with its key; and the same moves in the drawing.
import { byId, make } from "./dom.js";

const FOLD_FROM = 9; // legal moves of a kind from which on they are folded
const FEW = 2; // so many that are not legal stand among the others; more are folded below them
const BARRED = "Not legal now";

const unfolded = new Set(); // titles that a person has opened: they stay open from one position to the next

/** Show the moves of a position; `play` is called with the chosen action. */
export function showMoves(groups, play) {
  const list = byId("moves");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...arranged(groups).map((group) => groupOf(group, play)));
  byId("why").textContent = "";
  if (hadFocus) (list.querySelector("button:not([aria-disabled])") ?? byId("question")).focus();
}

/** The groups, with legal moves in sight; many illegal moves come last and folded. */
function arranged(groups) {
  const barred = groups.flatMap((group) => group.moves.filter((move) => move.why));
  if (barred.length <= FEW) return groups;
  const legal = groups.map((group) => ({ ...group, moves: group.moves.filter((move) => !move.why) }));
  return [...legal.filter((group) => group.moves.length), { title: BARRED, moves: barred }];
}

function groupOf({ title, moves }, play) {
  const items = make("ul", {}, ...moves.map((move) => make("li", {}, buttonOf(move, play))));
  if (title !== BARRED && moves.length < FOLD_FROM) {
    return make("div", { className: "group" }, make("h3", {}, title), items);
  }
  const summary = make("summary", {}, `${title} (${moves.length})`);
  const group = make("details", { className: "group", open: unfolded.has(title) }, summary, items);
  summary.addEventListener("click", () => (group.open ? unfolded.delete(title) : unfolded.add(title)));
  return group;
}

function buttonOf(move, play) {
  const label = make("span", { className: "label" }, move.label);
  const button = make("button", { type: "button", className: "move", "data-move": move.action }, label);
  if (move.note && !move.why) button.append(make("span", { className: "note" }, move.note));
  if (move.why) {
    button.setAttribute("aria-disabled", "true");
    button.title = move.why;
    const note = make("span", { className: "note" }, "not legal: why?");
    button.append(note);
    button.addEventListener("click", () => {
      note.textContent = move.why;
      byId("why").textContent = `${move.label}: ${move.why}`;
    });
    return button;
  }
  if (move.key) {
    button.setAttribute("aria-keyshortcuts", move.key);
    button.append(make("kbd", {}, move.key));
  }
  button.addEventListener("click", () => play(move.action));
  for (const [event, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) {
    button.addEventListener(event, () => inDrawing(move.action)?.classList.toggle("pointed", on));
  }
  return button;
}

/** The element of the drawing for an action, if there is one. */
export const inDrawing = (action) => byId("table").querySelector(`[data-action="${CSS.escape(action)}"]`);

/** Let clicks in the drawing choose moves while a person is to move. */
export function listenToDrawing(play) {
  byId("table").addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (action && byId("moves").querySelector(`[data-move="${CSS.escape(action)}"]:not([aria-disabled])`)) play(action);
  });
}

/** The button of a key, if there is one. */
export const buttonOfKey = (key) =>
  [...byId("moves").querySelectorAll("[aria-keyshortcuts]")].find((button) => button.ariaKeyShortcuts === key);
