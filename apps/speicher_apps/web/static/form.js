// The form for a new game or for other players in a running one, and the list of stored games.
import { byId, icon, make } from "./dom.js";
import { levelsAt, offersAt, optionsAt, OTHER, setPlayers } from "./players.js";
import { source } from "./source.js";
import { tables } from "./tables.js";
import { HUMAN, levelOf, minus } from "./words.js";

const OPPONENT = 1; // the level that sits opposite unless another is chosen
const WAITING_AFTER = 300; // ms until the form says that it waits; the first game after an installation takes longest
let lobby = null;
let changing = null; // the game whose seats are being changed, else null

const countOf = () => Number(byId("form-form").elements.count.value);

/** What is offered: players, decks, stored games, and the first contents of the form. */
export async function readLobby() {
  lobby = await source.lobby();
  setPlayers(lobby);
  return lobby;
}

export function layOutForm(onDealt, openGame) {
  const seats = lobby.first.seats;
  byId("form-form").elements.count.value = String(seats.length);
  byId("form-deck").replaceChildren(
    ...lobby.decks.map((deck) => make("option", { value: deck, selected: deck === lobby.first.deck }, deck)),
  );
  byId("form-seed").value = lobby.first.seed;
  layOutSeats(seats);
  byId("form-count").addEventListener("change", () => layOutSeats(offeredSeats()));
  byId("form-close").addEventListener("click", () => byId("form").close());
  byId("form-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byId("form-submit");
    const label = button.textContent;
    button.disabled = true;
    const slow = setTimeout(() => (button.textContent = "One moment…"), WAITING_AFTER);
    try {
      onDealt(await asked());
      if (!changing) byId("form-seed").value = ""; // else the next game would be the same one
      byId("form").close();
    } catch (error) {
      byId("form-error").textContent = error.message;
    } finally {
      clearTimeout(slow);
      button.textContent = label;
      button.disabled = false;
    }
  });
  byId("kept-list").addEventListener("click", (event) => choseKept(event, openGame));
}

function asked() {
  if (changing) return source.change(changing.id, "seats", { seats: chosenSeats() });
  return source.deal({ seats: chosenSeats(), deck: byId("form-deck").value, seed: byId("form-seed").value });
}

/** Open the form: for a new game, or for the seats of a running one. */
export async function openForm(game = null) {
  changing = game;
  byId("form-title").textContent = game ? "Who plays on" : "New game";
  byId("form-submit").textContent = game ? "Play on" : "Deal";
  byId("form-count").hidden = byId("form-deal").hidden = Boolean(game);
  byId("form-error").textContent = "";
  if (game) {
    byId("form-form").elements.count.value = String(game.seats.length);
    layOutSeats(game.seats);
  }
  byId("kept").hidden = true;
  if (!byId("form").open) byId("form").showModal();
  if (!game) {
    await readLobby();
    showKept();
  }
}

// Seats

const rows = () => [...byId("form-seats").children];
const chosenSeats = () => rows().map(specOf);
/** The same as offered, to be filled in for another number of players. */
const offeredSeats = () => rows().map((row) => row.dataset.wanted ?? row.querySelector("option:checked").dataset.offer ?? specOf(row));

function specOf(row) {
  const select = row.querySelector("select");
  return select.value === OTHER ? row.querySelector("input").value : select.value;
}

const opponentAt = (count) => (levelsAt(count)[OPPONENT] ?? levelsAt(count)[0]).spec;

function layOutSeats(wanted) {
  const count = countOf();
  const more = Array.from({ length: count }, (_, seat) => wanted[seat] ?? opponentAt(count));
  byId("form-seats").replaceChildren(...more.map((spec, seat) => seatRow(seat, spec, count)));
}

/** A seat with its choice of players; one that does not play with this many is replaced by another. */
function seatRow(seat, wanted, count) {
  const offers = [...levelsAt(count), ...offersAt(count)];
  const find = (spec) => offers.find((one) => one.offer === spec || one.spec === spec);
  const elsewhere = !find(wanted) && [...lobby.levels, ...lobby.players].some(({ spec }) => spec === wanted);
  const found = find(elsewhere ? opponentAt(count) : wanted);
  const known = wanted === HUMAN || found !== undefined;
  const select = make("select", { id: `form-seat-${seat}` }, ...optionsAt(count, { person: true, ideas: false, other: true }));
  select.value = found?.spec ?? (known ? wanted : OTHER);
  const called = `Player ${seat + 1}`;
  const own = make("input", { value: known ? "" : wanted, placeholder: "mcts:5000", "aria-label": `${called}, spec` });
  const idea = make("span", { className: "note" });
  const tell = () => {
    own.hidden = select.value !== OTHER;
    const offer = offers.find(({ spec }) => spec === select.value);
    idea.textContent = offer?.name ? `${offer.idea} (${offer.spec})` : (offer?.idea ?? "");
  };
  tell();
  const label = make("label", { for: `form-seat-${seat}` }, icon(tables.icons.token[seat], "chip", called));
  const row = make("div", { className: "seat-row", "data-wanted": elsewhere ? wanted : null }, label, select, own, idea);
  select.addEventListener("change", () => {
    delete row.dataset.wanted;
    tell();
  });
  return row;
}

// Stored games

function showKept() {
  byId("kept").hidden = lobby.games.length === 0;
  byId("kept-list").replaceChildren(...lobby.games.map(keptRow));
}

function keptRow(game) {
  const nameOf = (spec) => (spec === HUMAN ? "a person" : levelOf(spec, game.seats.length));
  const who = game.seats.map(nameOf).join(", ");
  const state = game.points ? `over, points ${game.points.map(minus).join(" : ")}` : `${game.moves} moves`;
  const when = new Date(1000 * game.used).toLocaleString();
  const title = `${who} — ${state}`;
  return make(
    "li",
    {},
    make("button", { type: "button", "data-open": game.id }, title, make("span", { className: "note" }, when)),
    make("button", { type: "button", "data-remove": game.id, "aria-label": `Remove: ${title}` }, "Remove"),
  );
}

async function choseKept(event, openGame) {
  const button = event.target.closest("button");
  if (button?.dataset.open) {
    byId("form").close();
    openGame(button.dataset.open);
  } else if (button?.dataset.remove && confirm("Remove this game for good?")) {
    await source.remove(button.dataset.remove).catch(() => {});
    await readLobby();
    showKept();
  }
}
