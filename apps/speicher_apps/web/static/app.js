// The page: shows the position from the server, sends the choices of people, and lets the other players play.
import { Refused, get, onWidthChange, post } from "./api.js";
import { byId, kept, make, minus, seatChip, seatName, sentence, warn } from "./dom.js";
import { layOutForm, openForm, readLobby } from "./form.js";
import {
  awaitHint, clearHint, failHint, hintFrom, hintTold, layOutHint, offerHints, showHint, wantsHints,
} from "./hint.js";
import { buttonOfKey, listenToDrawing, showMoves } from "./moves.js";

const THINKING_AFTER = 400; // ms until the page says that a player thinks
const LAST = -1; // the total is the last row of the points
const SVG = "http://www.w3.org/2000/svg";

let view = null; // the position on the page
let timer = 0; // the next move of the others, while one is to come
let busy = false; // a change of the game is on its way
let hintWanted = false; // asked for meanwhile
let asking = false; // a hint is on its way
let held = false; // the others wait, for a hint to their decision is read

// From the server to the page

function show(next) {
  const before = view;
  view = next;
  clearTimeout(timer);
  byId("game").hidden = false;
  byId("game").classList.toggle("over", next.over);
  if (location.hash.slice(1) !== next.id) history.pushState(null, "", `#${next.id}`);
  byId("table").innerHTML = next.drawing; // made by this page's own server, which escapes what it writes
  byId("text").textContent = next.text;
  byId("standing").textContent = next.standing;
  byId("question").textContent = next.question;
  byId("who").replaceChildren(
    ...next.seats.map((spec, seat) => make("span", {}, seatChip(seat), ` ${seat === next.you ? "you" : seatName(spec)}`)),
  );
  byId("save").href = `api/games/${next.id}/record`;
  byId("save").hidden = byId("seats-button").hidden = false;
  byId("undo").disabled = next.log.length === 0;
  byId("hint").hidden = byId("speed-label").hidden = next.over;
  byId("turn").classList.toggle("yours", next.yours);
  document.title = `${next.yours ? "Your move" : next.over ? "Over" : "Others play"} · Speicherstadt`;
  warn(next.unsaved ? sentence(next.unsaved) : "");
  showMoves(next.moves, play);
  showDeed(before);
  showLog(before);
  showEnd();
  showHintOf(before);
  showNext();
  goOn();
}

/** The hint for this position if there is one, else the button for a hint. */
function showHintOf(before) {
  const same = before?.id === view.id && before.at === view.at;
  const found = same && hintTold();
  const watched = !view.seats.includes("human");
  held &&= same;
  clearHint();
  offerHints(view.seats.length);
  if (found) showHint(found);
  else if (!view.over && (hintWanted || (wantsHints() && (view.yours || watched)))) askHint();
  else if (view.over || !(view.yours || watched)) byId("hint-panel").hidden = !wantsHints();
}

/** The button that lets the others play one move, if they do not play by themselves. */
function showNext() {
  byId("next").hidden = !view || view.over || view.yours || !(held || byId("speed").value === "step");
}

/** The last move in words, and where it was made. */
function showDeed(before) {
  const last = view.log.at(-1);
  const deed = byId("deed");
  const turn = view.yours ? [make("span", { className: "unseen" }, view.question)] : []; // read out behind the deed
  if (!last) {
    deed.replaceChildren(...turn);
    return;
  }
  const news = make("em", {}, last.news.map(sentence).join(" "));
  deed.replaceChildren(seatChip(last.seat), ` ${wordsOf(last)} `, news, ...turn);
  if (before?.id !== view.id || before.at >= view.at) return;
  const where = last.column === null ? `[data-seat="${last.seat}"]` : `[data-column="${last.column}"]`;
  frameFresh(byId("table").querySelector(where));
}

/** Put a frame around the part of the drawing that has just changed. */
function frameFresh(part) {
  if (!part) return;
  const { x, y, width, height } = part.getBBox();
  const frame = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ class: "fresh", x, y, width, height, rx: 10 })) frame.setAttribute(name, value);
  part.append(frame);
}

const wordsOf = (told) => sentence(told.words.replace(/^seat \d+ /, ""));

/** The moves, the last first; those already listed stay. */
function showLog(before) {
  const list = byId("log");
  const same = before?.id === view.id && before.log.every((told, place) => told.action === view.log[place]?.action);
  if (!same) list.replaceChildren();
  for (const told of view.log.slice(list.children.length)) list.prepend(itemOf(told));
  const ownLast = view.log.findLastIndex((told) => view.seats[told.seat] === "human");
  const since = view.log.length - 1 - ownLast; // moves of the others since a person's last
  [...list.children].forEach((item, place) => item.classList.toggle("fresh", place < since));
}

function itemOf(told) {
  const item = make("li", {}, seatChip(told.seat), ` ${wordsOf(told)}`);
  if (told.news.length) item.append(make("ul", {}, ...told.news.map((words) => make("li", {}, sentence(words)))));
  return item;
}

function showEnd() {
  byId("end").hidden = !view.end;
  if (!view.end) return;
  const { sources, points, coins, winners, seed } = view.end;
  const heads = points.map((_, seat) =>
    make("th", { scope: "col" }, seatChip(seat), make("span", { className: "who" }, seat === view.you ? "you" : seatName(view.seats[seat]))),
  );
  const rows = sources.map((source, row) =>
    make(
      "tr",
      { className: source === sources.at(LAST) ? "total" : "" },
      make("th", { scope: "row" }, source),
      ...points.map((column) => make("td", {}, minus(column[row]))),
    ),
  );
  const purse = make("tr", {}, make("th", { scope: "row" }, "coins"), ...coins.map((count) => make("td", {}, String(count))));
  const named = (seat) => (seat === view.you ? "you" : `seat ${seat}, ${seatName(view.seats[seat])}`);
  const won = winners.map(named).join(" and ");
  const more = make("button", { type: "button", className: "main", id: "again" }, "Play again");
  more.addEventListener("click", again);
  byId("end").replaceChildren(
    make("h2", {}, `${winners.length > 1 ? "Shared by" : "Won by"} ${won}`),
    make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows, purse)),
    make("p", { className: "note" }, `Seed ${seed}, ${view.deck} deck.`),
    make("div", { className: "buttons" }, more),
  );
}

// From the page to the server

/** Change the game; the old position is shown until the answer arrives. */
async function change(verb, body = {}) {
  if (busy || !view) return;
  busy = true;
  clearTimeout(timer);
  const { id, player, seats } = view;
  const slow = setTimeout(() => {
    byId("deed").replaceChildren(seatChip(player ?? 0), ` ${seatName(seats[player ?? 0])} thinks…`);
  }, THINKING_AFTER);
  try {
    const next = await post(`games/${id}/${verb}`, { at: view.at, ...body });
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
  if (error instanceof Refused && error.status === 409) return show(await get(`games/${encodeURIComponent(id)}`));
  if (!(error instanceof Refused)) throw error;
  byId("speed").value = "step";
  showNext();
  warn(error.message);
}

/** Another game of the same players with the same deck. */
async function again() {
  try {
    show(await post("games", { seats: view.seats, deck: view.deck }));
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
  if (!view || view.over || view.yours || busy || asking || held || speed === "step") return;
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
  awaitHint(spec);
  try {
    const found = await post(`games/${id}/hint`, { at, spec });
    if (view.id === id && view.at === at) showHint(found);
  } catch (error) {
    failHint(error.message);
  } finally {
    asking = false;
  }
  goOn();
}

async function openGame(id) {
  try {
    show(await get(`games/${encodeURIComponent(id)}`));
  } catch (error) {
    warn(error.message);
    if (!view) await openForm();
  }
}

async function openFile(file) {
  if (!file) return;
  try {
    show(await post("open", await file.text()));
  } catch (error) {
    warn(`${file.name}: ${error.message}`);
  }
}

// Actions of a person

function pressed(event) {
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
  if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
  const own = { u: "undo", h: "hint", n: "next", "?": "rules-button" }[event.key];
  if (!byId("keys").checked && event.key !== "?") return;
  const button = buttonOfKey(event.key) ?? (own && byId(own));
  if (!button || button.disabled || button.hidden) return;
  event.preventDefault();
  button.click();
}

function listen() {
  listenToDrawing(play);
  byId("new").addEventListener("click", () => openForm());
  byId("seats-button").addEventListener("click", () => openForm(view));
  byId("undo").addEventListener("click", undo);
  byId("hint").addEventListener("click", askHint);
  byId("next").addEventListener("click", () => change("advance"));
  byId("rules-button").addEventListener("click", () => byId("rules").showModal());
  byId("rules-close").addEventListener("click", () => byId("rules").close());
  byId("open").addEventListener("change", async (event) => {
    await openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("speed").value = kept.get("speed") ?? byId("speed").value;
  byId("speed").addEventListener("change", () => {
    kept.set("speed", byId("speed").value);
    letGo();
  });
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (byId("moves").querySelector("button") ?? byId("question")).focus();
  });
  byId("whynot-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const action = encodeURIComponent(byId("whynot-action").value);
    const answer = await get(`games/${view.id}/why?action=${action}`).catch((error) => ({ why: error.message }));
    byId("whynot-answer").textContent = answer.why;
  });
  document.addEventListener("keydown", pressed);
  addEventListener("popstate", () => location.hash && openGame(location.hash.slice(1)));
  onWidthChange(() => view && openGame(view.id));
}

async function start() {
  listen();
  try {
    const lobby = await readLobby();
    layOutForm(show, openGame);
    layOutHint(lobby.first.hints, askHint, letGo);
    byId("actions").replaceChildren(...lobby.actions.map((value) => make("option", { value })));
  } catch (error) {
    warn(error.message);
    return;
  }
  if (location.hash.length > 1) await openGame(location.hash.slice(1));
  else await openForm();
}

start();
