// The moves: a list with keys, the same moves on the board, and what a move would do before it is made.
import { byId, make } from "./dom.js";
import { EMPTY } from "./position.js";
import { actionOf, tables } from "./tables.js";
import { labelParts, noteOf, previewOf, whyNot } from "./words.js";

const FOLD_FROM = 5; // legal moves of a kind from which on they are folded, unless there are few in all
const FEW = 8;
const BARRED = "Not legal now";
const LETTERS = { buy: "b", pass: "p", end: "e" };

const unfolded = new Set(); // titles that a person has opened: they stay open from one position to the next
let position = null; // whose moves are shown; null while no person is to move
let good = null; // the good that was touched: only moves with it are shown
let chosen = null; // the move that was touched on the board and waits for a second touch
let play = () => {};

export function layOutMoves(playMove) {
  play = playMove;
  const board = byId("table");
  board.addEventListener("click", touched);
  board.addEventListener("pointerover", (event) => event.pointerType === "mouse" && showPreview(actionAt(event)));
  board.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && showPreview(null));
  byId("preview-play").addEventListener("click", () => chosen && play(chosen));
}

/** Show the moves of a position, or none. */
export function showMoves(next) {
  const list = byId("moves");
  const hadFocus = list.contains(document.activeElement);
  if (next !== position) good = null;
  position = next;
  list.dataset.phase = position?.phaseName ?? "";
  list.replaceChildren(...(position ? arranged() : []));
  byId("why").textContent = "";
  showPreview(null);
  if (hadFocus) (list.querySelector("button:not([aria-disabled])") ?? byId("question")).focus();
}

// The list

function arranged() {
  const groups = groupsOf(position);
  const order = groups.flatMap(({ actions }) => actions.filter(isLegal));
  const keys = keysOf(order);
  const shown = groups
    .map(({ title, actions }) => ({ title, actions: actions.filter((action) => isLegal(action) && fits(action)) }))
    .filter(({ actions }) => actions.length);
  const barred = groups.flatMap(({ actions }) => actions.filter((action) => !isLegal(action) && fits(action)));
  const many = order.length > FEW;
  const items = shown.map(({ title, actions }) => groupOf(title, actions, keys, many && actions.length >= FOLD_FROM));
  if (barred.length) items.push(groupOf(BARRED, barred, keys, true));
  if (good !== null) items.unshift(allAgain());
  return items;
}

const isLegal = (action) => position.isLegal(action.text);
const fits = (action) => good === null || action.gives[good] > 0 || action.verb === "end";

function allAgain() {
  const button = make("button", { type: "button", id: "all-moves" }, `Moves with ${tables.goods[good]}: show all again`);
  button.addEventListener("click", () => {
    good = null;
    showMoves(position);
  });
  return button;
}

/** The actions that can come to mind, by title. */
function groupsOf(position) {
  const action = (text) => actionOf.get(text);
  if (position.phaseName === "demand") {
    const columns = position.columns.filter((column) => position.card[column] !== EMPTY);
    return [{ title: "Place a worker", actions: columns.map((column) => action(`place ${column}`)) }];
  }
  if (position.phaseName === "purchase") return [{ title: "Your answer", actions: [action("buy"), action("pass")] }];
  const seat = position.player;
  const held = tables.goods.filter((_, number) => position.cubes[seat][number] > 0);
  const deliveries = position.contractsOf(seat).flatMap((contract) => {
    const goods = position.isComplete(contract) ? [] : [...new Set(position.goodsOf(contract))];
    return goods.map((number) => action(`deliver ${tables.goods[number]} contract_${contract + 1}`));
  });
  const market = (verb) => position.legalActions.filter((one) => one.verb === verb);
  return [
    { title: "Deliver to contracts", actions: deliveries },
    { title: "Sell for 1 coin a cube", actions: held.map((name) => action(`sell ${name}`)) },
    { title: "Done", actions: [action("end")] },
    { title: "Market hall: two cubes for a coin", actions: market("trade") },
    { title: "Market hall: three cubes for one", actions: market("convert") },
    { title: "Throw away, for want of room", actions: held.map((name) => action(`discard ${name}`)) },
  ];
}

/** A key for each legal move: the number of a column, a letter, else the digits from 1 while there are any. */
function keysOf(actions) {
  const digits = [..."123456789"];
  const keyOf = (action) =>
    action.verb === "place" ? String(action.column + 1) : (LETTERS[action.verb] ?? digits.shift() ?? "");
  return new Map(actions.map((action) => [action.text, keyOf(action)]));
}

function groupOf(title, actions, keys, folded) {
  const items = make("ul", {}, ...actions.map((action) => make("li", {}, buttonOf(action, keys.get(action.text)))));
  if (!folded) return make("div", { className: "group" }, make("h3", {}, title), items);
  const summary = make("summary", {}, `${title} (${actions.length})`);
  const group = make("details", { className: "group", open: unfolded.has(title) || good !== null }, summary, items);
  summary.addEventListener("click", () => (group.open ? unfolded.delete(title) : unfolded.add(title)));
  return group;
}

function buttonOf(action, key) {
  const { before, name, after, goods } = labelParts(position, action);
  const unseen = (words) => (words ? [make("span", { className: "unseen" }, words)] : []);
  const button = make(
    "button",
    { type: "button", className: "move", "data-move": action.text },
    make("span", { className: "label" }, ...unseen(before), name, ...unseen(after), ...(goods ? [make("span", { className: "goods" }, ` ${goods}`)] : [])),
  );
  if (!isLegal(action)) {
    const why = whyNot(position, action);
    button.setAttribute("aria-disabled", "true");
    button.title = why;
    const note = make("span", { className: "note" }, "why?");
    button.append(note);
    button.addEventListener("click", () => {
      note.textContent = why;
      byId("why").textContent = `${before}${name}${after}: ${why}`;
    });
    return button;
  }
  const note = noteOf(position, action);
  if (note) button.append(make("span", { className: "note" }, note));
  if (key) {
    button.setAttribute("aria-keyshortcuts", key);
    button.append(make("kbd", {}, key));
  }
  button.addEventListener("click", () => play(action.text));
  button.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && showPreview(action.text));
  button.addEventListener("focus", () => button.matches(":focus-visible") && showPreview(action.text));
  for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => showPreview(null));
  return button;
}

// The board

const actionAt = (event) => event.target.closest("[data-action]")?.dataset.action ?? null;

/** A click of a mouse plays; a touch shows what it would do, and the second one plays. Anything else says what it is. */
function touched(event) {
  const action = actionAt(event);
  const cube = event.target.closest("[data-good]");
  if (position && action) {
    const sure = event.pointerType === "mouse" || event.pointerType === "" || chosen === action;
    if (sure) play(action);
    else choose(action);
  } else if (position && cube) {
    showGood(Number(cube.dataset.good));
  } else {
    showPreview(null);
    byId("preview").textContent = event.target.closest("[title]")?.title ?? "";
  }
}

/** Show only the moves with a good, or all again; a single one waits for the second touch. */
function showGood(touchedGood) {
  good = touchedGood === good ? null : touchedGood;
  showMoves(position);
  const moves = position.legalActions.filter((one) => one.gives[good] > 0);
  if (moves.length === 1) choose(moves[0].text);
}

function choose(action) {
  showPreview(action);
  chosen = action;
  byId("preview-play").hidden = false;
}

/** The elements of the board for an action. */
export const onBoard = (action) => [...byId("table").querySelectorAll(`[data-action="${CSS.escape(action)}"]`)];

/** Show what a move would do, in words and on the board; null for none. */
function showPreview(action) {
  chosen = null;
  byId("preview-play").hidden = true;
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
  byId("preview").textContent = "";
  if (!action || !position?.isLegal(action)) return;
  for (const element of onBoard(action)) element.classList.add("pointed");
  byId("moves").querySelector(`[data-move="${CSS.escape(action)}"]`)?.classList.add("pointed");
  byId("preview").textContent = previewOf(position, actionOf.get(action));
}

/** The button of a key, if there is one. */
export const buttonOfKey = (key) =>
  [...byId("moves").querySelectorAll("[aria-keyshortcuts]")].find((button) => button.ariaKeyShortcuts === key);
