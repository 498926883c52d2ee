// The page: shows the position, hands on the choices of people, and lets the other players play.
import { drawBoard } from "./board.js";
import { byId, kept, make, seatChip, warn } from "./dom.js";
import { layOutForm, openForm, readLobby } from "./form.js";
import { awaitHint, clearHint, failHint, hintFrom, hintTold, layOutHint, offerHints, showHint, wantsHints } from "./hint.js";
import { salesOf, showLog, sinceLast, toldOf } from "./log.js";
import { buttonOfKey, layOutMoves, showMoves } from "./moves.js";
import { positionOf } from "./position.js";
import { Refused } from "./refused.js";
import { reviewPanel } from "./review.js";
import { openRules } from "./rules.js";
import { source } from "./source.js";
import { tables } from "./tables.js";
import { beginTutorial, layOutTutorial, teach } from "./tutorial.js";
import { HUMAN, levelOf, minus, namesOf, questionOf, resultOf, sentence } from "./words.js";

const THINKING_AFTER = 400; // ms until the page says that a player thinks
const REPLAYED = 1100; // ms for a move of a replay, unless a speed is chosen

let view = null; // the position on the page
let names = []; // of its seats
let timer = 0; // the next move of the others, while one is to come
let busy = false; // a change of the game is on its way
let hintWanted = false; // asked for meanwhile
let asking = false; // a hint is on its way
let held = false; // the others wait, for a hint to their decision is read
let replaying = null; // the move that a replay shows

// From the position to the page

function show(next) {
  const before = view;
  view = next;
  names = namesOf(view.seats);
  endReplay();
  clearTimeout(timer);
  byId("game").hidden = false;
  byId("game").classList.toggle("over", view.over);
  if (location.hash.slice(1) !== view.id) history.pushState(null, "", `#${view.id}`);
  drawTable(view.state, view.points);
  const position = positionOf(view.state);
  byId("game").dataset.phase = position.phaseName;
  byId("question").textContent = view.over
    ? resultOf(position, view.points, view.end.winners, names)
    : questionOf(position, names, view.yours);
  byId("save").hidden = byId("seats-button").hidden = false;
  byId("undo").disabled = view.log.length === 0;
  byId("hint").hidden = byId("speed-label").hidden = view.over;
  byId("turn").classList.toggle("yours", view.yours);
  document.title = `${view.yours ? "Your move" : view.over ? "Over" : "Others play"} · Speicherstadt`;
  warn(view.unsaved ? sentence(view.unsaved) : "");
  showMoves(view.yours ? position : null);
  showDeed(before);
  showLog(view, before, names);
  showEnd();
  showHintOf(before);
  showNext();
  teach(view, position);
  goOn();
}

function drawTable(state, points) {
  const notes = view.seats.map((spec) => (spec === HUMAN ? "" : levelOf(spec, view.seats.length)));
  const sales = replaying === null ? salesOf(view) : new Map();
  byId("table").replaceChildren(
    ...drawBoard({ position: positionOf(state), points, names, notes, you: view.you, sales }),
  );
}

/** The hint for this position if there is one, else the button for a hint. */
function showHintOf(before) {
  const same = before?.id === view.id && before.at === view.at;
  const found = same && hintTold();
  const watched = !view.seats.includes(HUMAN);
  held &&= same;
  clearHint();
  offerHints(view.seats.length);
  if (found) showHint(found, view, names);
  else if (!view.over && (hintWanted || (wantsHints() && (view.yours || watched)))) askHint();
  else if (view.over || !(view.yours || watched)) byId("hint-panel").hidden = !wantsHints();
}

/** The buttons that let the others play one move, and that play their moves again. */
function showNext() {
  byId("next").hidden = !view || view.over || view.yours || !(held || byId("speed").value === "step");
  byId("replay").hidden = !view || sinceLast(view) === view.log.length;
}

/** The last move in words, and where it was made. */
function showDeed(before) {
  const deed = byId("deed");
  const turn = view.yours ? [make("span", { className: "unseen" }, byId("question").textContent)] : []; // read out behind the deed
  if (!view.log.length) {
    deed.replaceChildren(...turn);
    return;
  }
  tell(view.log.length - 1, turn);
  if (before?.id !== view.id || before.at >= view.at) return;
  mark(view.log.length - 1);
}

/** A move in words beside the moves. */
function tell(place, more = []) {
  const { seat, words, news } = toldOf(view, place, names);
  byId("deed").replaceChildren(seatChip(seat), ` ${words} `, make("em", {}, news.join(" ")), ...more);
}

/** Mark the part of the board where a move was made. */
function mark(place) {
  const { seat, action, state } = view.log[place];
  const { offer } = positionOf(state);
  const column = action.startsWith("place") ? Number(action.split(" ")[1]) : offer;
  const where = column < 0 ? `[data-seat="${seat}"]` : `[data-column="${column}"]`;
  byId("table").querySelector(where)?.classList.add("fresh");
}

// The moves since one's last, shown again

function replay(place = sinceLast(view)) {
  clearTimeout(timer);
  if (place >= view.log.length) {
    show(view);
    return;
  }
  replaying = place;
  byId("game").classList.add("replaying");
  byId("turn").classList.remove("yours");
  byId("replay").textContent = "Stop";
  drawTable(view.log[place + 1]?.state ?? view.state, null);
  mark(place);
  tell(place);
  showMoves(null);
  timer = setTimeout(() => replay(place + 1), Math.max(Number(byId("speed").value) || REPLAYED, 350));
}

function endReplay() {
  replaying = null;
  byId("game").classList.remove("replaying");
  byId("replay").textContent = "Replay";
}

const toggleReplay = () => (replaying === null ? replay() : show(view));

// The end

function showEnd() {
  byId("end").hidden = !view.end;
  if (!view.end) return;
  const { points, end } = view;
  const coins = positionOf(view.state).coins.slice(0, names.length);
  const heads = names.map((name, seat) => make("th", { scope: "col" }, seatChip(seat), make("span", { className: "who" }, name)));
  const line = (name, cells, className = "") =>
    make("tr", { className }, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, minus(cell))));
  const last = tables.sourceNames.length - 1;
  const rows = tables.sourceNames.flatMap((name, row) => {
    const cells = points.map((column) => column[row]);
    return row === last || cells.some(Boolean) ? [line(name, cells, row === last ? "total" : "")] : [];
  });
  byId("end").replaceChildren(
    make("h2", {}, byId("question").textContent),
    make("div", { className: "buttons" }, button("again", "Play again", again), button("another", "New game", () => openForm())),
    reviewPanel(view.id),
    make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows, line("coins", coins))),
    make("p", { className: "note" }, `Deck ${view.deck}, seed ${end.seed}.`),
  );
}

function button(id, words, press) {
  const element = make("button", { type: "button", id }, words);
  element.addEventListener("click", press);
  return element;
}

// From the page to the game

/** Change the game; the old position is shown until the answer arrives. */
async function change(verb, body = {}) {
  if (busy || !view) return;
  if (replaying !== null) endReplay();
  busy = true;
  clearTimeout(timer);
  const { id } = view;
  const { player } = positionOf(view.state);
  const slow = setTimeout(() => {
    if (player >= 0) byId("deed").replaceChildren(seatChip(player), ` ${names[player]} ${verb === "advance" ? "thinks…" : "…"}`);
  }, THINKING_AFTER);
  try {
    const next = await source.change(id, verb, { at: view.at, ...body });
    busy = false;
    if (view.id === id) show(next);
  } catch (error) {
    await recover(error, id);
  } finally {
    clearTimeout(slow);
    busy = false;
  }
  goOn();
}

/** Show the true position after a refusal, and why it was refused. */
async function recover(error, id) {
  if (error instanceof Refused && error.status === 409) return show(await source.look(id));
  if (!(error instanceof Refused)) throw error;
  byId("speed").value = "step";
  showNext();
  warn(error.message);
}

/** Another game of the same players with the same deck. */
async function again() {
  try {
    show(await source.deal({ seats: view.seats, deck: view.deck }));
    scrollTo(0, 0);
    byId("question").focus();
  } catch (error) {
    warn(error.message);
  }
}

const play = (action) => change("play", { action });
const undo = () => change("undo");

/** Let the others play at the chosen speed. */
function goOn() {
  clearTimeout(timer);
  const speed = byId("speed").value;
  if (!view || view.over || view.yours || busy || asking || held || replaying !== null || speed === "step") return;
  timer = setTimeout(() => change("advance"), Number(speed));
}

/** Let the others continue after they waited for a hint. */
function letGo() {
  held = false;
  showNext();
  goOn();
}

async function askHint() {
  hintWanted = busy; // then the position that comes is asked about
  if (busy || !view || view.over) return;
  const { id, at } = view;
  const spec = hintFrom();
  held = !view.yours && !wantsHints();
  asking = true;
  clearTimeout(timer);
  showNext();
  awaitHint(spec, view);
  try {
    const found = await source.hint(id, { at, spec });
    if (view.id === id && view.at === at) showHint(found, view, names);
  } catch (error) {
    failHint(error.message);
  } finally {
    asking = false;
  }
  goOn();
}

async function openGame(id) {
  try {
    show(await source.look(id));
  } catch (error) {
    warn(error.message);
    if (!view) await openForm();
  }
}

async function openFile(file) {
  if (!file) return;
  try {
    show(await source.open(await file.text()));
  } catch (error) {
    warn(`${file.name}: ${error.message}`);
  }
}

async function save() {
  const link = make("a", { href: await source.recordOf(view.id), download: `speicherstadt-${view.id}.jsonl` });
  link.click();
}

// Actions of a person

function pressed(event) {
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
  if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
  const own = { u: "undo", h: "hint", n: "next", r: "replay", "?": "rules-button" }[event.key];
  if (!byId("keys").checked && event.key !== "?") return;
  const pressedButton = buttonOfKey(event.key) ?? (own && byId(own));
  if (!pressedButton || pressedButton.disabled || pressedButton.hidden) return;
  event.preventDefault();
  pressedButton.click();
}

function listen() {
  layOutMoves(play);
  byId("new").addEventListener("click", () => openForm());
  byId("seats-button").addEventListener("click", () => openForm(view));
  byId("save").addEventListener("click", save);
  byId("undo").addEventListener("click", undo);
  byId("hint").addEventListener("click", askHint);
  byId("next").addEventListener("click", () => change("advance"));
  byId("replay").addEventListener("click", toggleReplay);
  byId("rules-button").addEventListener("click", openRules);
  byId("rules-close").addEventListener("click", () => byId("rules").close());
  byId("learn").addEventListener("click", () => beginTutorial(show));
  byId("open").addEventListener("change", async (event) => {
    await openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("menu-button").addEventListener("click", () => {
    const open = byId("menu").classList.toggle("open");
    byId("menu-button").setAttribute("aria-expanded", String(open));
  });
  byId("menu").addEventListener("click", () => byId("menu").classList.remove("open"));
  byId("speed").value = kept.get("speed") ?? byId("speed").value;
  byId("speed").addEventListener("change", () => {
    kept.set("speed", byId("speed").value);
    letGo();
  });
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (byId("moves").querySelector("button") ?? byId("question")).focus();
  });
  document.addEventListener("keydown", pressed);
  addEventListener("popstate", () => location.hash && openGame(location.hash.slice(1)));
}

async function start() {
  listen();
  try {
    const lobby = await readLobby();
    layOutForm(show, openGame);
    layOutTutorial();
    layOutHint(lobby.first.hints, askHint, letGo);
  } catch (error) {
    warn(error.message);
    return;
  }
  if (location.hash.length > 1) await openGame(location.hash.slice(1));
  else await openForm();
}

start();
