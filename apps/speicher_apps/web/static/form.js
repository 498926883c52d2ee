// The form for a new game or for other players in a running one, and the list of stored games.
import { get, post } from "./api.js";
import { byId, make, minus, seatName } from "./dom.js";
import { favourite, offersAt, setLobby } from "./offers.js";

const OTHER = "other";
const WAITING_AFTER = 300; // ms until the form says that it waits; the first game after an installation takes longest
let lobby = null;
let changing = null; // the game whose seats are being changed, else null

const countOf = () => Number(byId("form-form").elements.count.value);

/** The offers of the server: players, decks, stored games, and the first contents of the form. */
export async function readLobby() {
  lobby = await get("lobby");
  setLobby(lobby);
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
  if (changing) return post(`games/${changing.id}/seats`, { seats: chosenSeats() });
  return post("games", { seats: chosenSeats(), deck: byId("form-deck").value, seed: byId("form-seed").value });
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

function layOutSeats(wanted) {
  const count = countOf();
  const more = Array.from({ length: count }, (_, seat) => wanted[seat] ?? favourite(count));
  byId("form-seats").replaceChildren(...more.map((spec, seat) => seatRow(seat, spec, count)));
}

/** A seat with its choice of players; one that does not play with this many is replaced by the favourite. */
function seatRow(seat, wanted, count) {
  const offers = offersAt(count);
  const find = (spec) => offers.find((one) => one.offer === spec || one.spec === spec);
  const elsewhere = !find(wanted) && lobby.players.some(({ spec }) => spec === wanted);
  const found = find(elsewhere ? favourite(count) : wanted);
  const known = wanted === "human" || found !== undefined;
  const select = make(
    "select",
    { id: `form-seat-${seat}` },
    make("option", { value: "human" }, "a person"),
    ...offers.map(({ spec, offer }) => make("option", { value: spec, "data-offer": offer }, spec)),
    make("option", { value: OTHER }, "another, by its spec"),
  );
  select.value = found?.spec ?? (known ? wanted : OTHER);
  const own = make("input", { value: known ? "" : wanted, placeholder: "mcts:5000", "aria-label": `Seat ${seat}, spec` });
  own.hidden = known;
  const idea = make("span", { className: "note" });
  const tell = () => {
    own.hidden = select.value !== OTHER;
    idea.textContent = offers.find(({ spec }) => spec === select.value)?.idea ?? "";
  };
  tell();
  const label = make("label", { for: `form-seat-${seat}`, className: `chip seat${seat}` }, String(seat));
  label.setAttribute("aria-label", `Seat ${seat}`);
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
  const who = game.seats.map(seatName).join(", ");
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
    await post(`games/${button.dataset.remove}/remove`, {}).catch(() => {});
    await readLobby();
    showKept();
  }
}
