// The hint: what a player would do, as bars, in the drawing and in words.
import { byId, kept, make, seatChip } from "./dom.js";
import { onBoard } from "./moves.js";
import { favourite, levelsAt, offersAt, optionsAt } from "./players.js";
import { positionOf } from "./position.js";
import { actionOf } from "./tables.js";
import { labelOf, levelOf, lineInWords } from "./words.js";

function percent(chance) {
  if (chance > 0 && chance < 0.005) return "<1 %";
  return chance < 1 && chance >= 0.995 ? ">99 %" : `${Math.round(100 * chance)} %`;
}

function signed(value) {
  const size = Math.abs(value).toFixed(2);
  return `${value < 0 && Number(size) ? "−" : "+"}${size}`;
}

let told = null; // the hint on the page
let wanted = null; // as it was offered: for a table of another size it is filled in anew

/**
 * Lay out the panel once: `first` is asked before any player is chosen, `ask` is called when one is, and `closed` when
 * the panel is closed by hand.
 */
export function layOutHint(first, ask, closed) {
  wanted = first ?? kept.get("hint");
  const from = make("select", { id: "hint-from" });
  from.addEventListener("change", () => {
    wanted = from.selectedOptions[0].dataset.offer;
    kept.set("hint", wanted);
    ask();
  });
  const always = make("input", { type: "checkbox", id: "hint-always" });
  always.addEventListener("change", () => always.checked && ask());
  const close = make("button", { type: "button", id: "hint-close", "aria-label": "Close the hint" }, "Close");
  close.addEventListener("click", () => {
    always.checked = false;
    clearHint();
    byId("hint-panel").hidden = true;
    byId("hint").focus();
    closed();
  });
  byId("hint-panel").replaceChildren(
    make("div", { className: "head" }, make("h2", {}, "Hint"), close),
    make("div", { className: "row" }, make("label", {}, "from ", from), make("label", {}, always, " at every move")),
    make("div", { id: "hint-body", role: "status" }),
  );
}

/** Offer the players that give hints with that number of players. */
export function offerHints(count) {
  const from = byId("hint-from");
  if (from.dataset.count === String(count)) return;
  from.dataset.count = count;
  const offers = [...levelsAt(count), ...offersAt(count)];
  from.replaceChildren(...optionsAt(count));
  from.value = offers.find(({ spec, offer }) => wanted === offer || wanted === spec)?.spec ?? favourite(count);
}

export const hintFrom = () => byId("hint-from").value;
export const wantsHints = () => byId("hint-always")?.checked ?? false;

export const hintTold = () => told;

export function clearHint() {
  told = null;
  byId("hint-body")?.replaceChildren();
  for (const element of document.querySelectorAll(".advised")) element.classList.remove("advised");
  for (const mark of document.querySelectorAll("#moves .chance, #moves .chance-bar")) mark.remove();
  byId("advice").hidden = true;
}

/** Show who is asked, until the answer arrives. */
export function awaitHint(spec, view) {
  clearHint();
  byId("hint-panel").hidden = false;
  byId("hint-body").replaceChildren(make("p", {}, `${levelOf(spec, view.seats.length)} thinks…`));
}

export function failHint(sentence) {
  byId("hint-body").replaceChildren(make("p", { className: "error" }, sentence));
}

/** Show a hint to the position of a view. */
export function showHint(found, view, names) {
  clearHint();
  told = found;
  const position = positionOf(view.state);
  const label = (action) => labelOf(position, actionOf.get(action));
  const spec = levelOf(found.spec, view.seats.length);
  const body = byId("hint-body");
  body.append(make("p", {}, make("b", {}, label(found.action)), found.certain ? ` is what ${spec} would play.` : ""));
  if (found.values) body.append(make("h3", {}, "Expected result (+1 is a win)"), valuesOf(found.values, names));
  const moves = found.moves.map(({ action, probability }) => ({ label: label(action), action, probability }));
  if (!found.certain) body.append(make("h3", {}, "Probability of each move"), barsOf(moves));
  if (found.line.length > 1) body.append(make("h3", {}, "Expected moves"), lineOf(found.line, names));
  for (const element of onBoard(found.action)) element.classList.add("advised");
  for (const move of moves) markMove(move, found);
  showAdvice(found, spec, names);
}

const lineOf = (line, names) => make("ol", { className: "line" }, ...lineInWords(line, names).map((words) => make("li", {}, words)));

/** Show the probability of a move in the list of moves. */
function markMove({ action, probability }, found) {
  const button = byId("moves").querySelector(`[data-move="${CSS.escape(action)}"]`);
  if (!button) return;
  button.classList.toggle("advised", action === found.action);
  const fold = button.closest("details");
  if (fold && action === found.action) fold.open = true;
  const bar = make("span", { className: "chance-bar", "aria-hidden": "true" });
  bar.style.width = `${100 * probability}%`;
  button.append(make("span", { className: "chance" }, percent(probability)), bar);
}

/** The hint in one line beside the moves, for small screens. */
function showAdvice({ values }, spec, names) {
  if (!values) return;
  const each = values.map((value, seat) => make("span", {}, seatChip(seat, names[seat]), ` ${signed(value)}`));
  byId("advice").replaceChildren(`${spec} expects`, ...each);
  byId("advice").hidden = false;
}

const barsOf = (moves) => make("ul", { className: "bars" }, ...moves.map(barOf));

function barOf({ label, probability }) {
  const fill = make("span", { className: "fill" });
  fill.style.width = `${100 * probability}%`;
  const bar = make("span", { className: "bar", "aria-hidden": "true" }, fill);
  return make("li", {}, make("span", {}, label), make("span", { className: "figure" }, percent(probability)), bar);
}

function valuesOf(values, names) {
  const items = values.map((value, seat) => {
    const fill = make("span", { className: `fill seat${seat}` });
    fill.style.width = `${50 * Math.abs(value)}%`;
    fill.style.left = value < 0 ? `${50 - 50 * Math.abs(value)}%` : "50%";
    const bar = make("span", { className: "bar middle", "aria-hidden": "true" }, fill);
    return make("li", {}, seatChip(seat, names[seat]), make("span", { className: "figure" }, signed(value)), bar);
  });
  return make("ul", { className: "bars values" }, ...items);
}
