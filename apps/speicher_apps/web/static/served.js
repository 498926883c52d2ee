// Games on the server of this page. Requests are sent one after the other, so that each knows the position.
import { Refused } from "./refused.js";
import { sentence } from "./words.js";

const TRIES = 5; // of a request to a server that is busy, with a second between them

let last = Promise.resolve();

async function send(path, options) {
  let response;
  try {
    for (let tries = 1; ; tries += 1) {
      response = await fetch(`api/${path}`, options);
      if (response.status !== 503 || tries === TRIES) break;
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  } catch {
    throw new Refused(0, "The server does not answer. The game is stored: start the server again and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({ error: "the server's answer cannot be read" }));
  if (!response.ok) throw new Refused(response.status, sentence(answer.error.replace(/\.$/, "")));
  return answer;
}

function inTurn(path, options) {
  const answer = last.then(() => send(path, options));
  last = answer.catch(() => {});
  return answer;
}

const get = (path) => inTurn(path, {});
const gameAt = (id) => `games/${encodeURIComponent(id)}`;

/** Post a value as JSON, or a text that is JSON already. */
const post = (path, body) =>
  inTurn(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Players, decks, stored games, and the first contents of the form. */
export const lobby = () => get("lobby");
/** Deal a game: its seats, deck and seed. */
export const deal = (wanted) => post("games", wanted);
export const look = (id) => get(gameAt(id));
/** Play, undo, advance or change the seats of a game at a position. */
export const change = (id, verb, body) => post(`${gameAt(id)}/${verb}`, body);
export const hint = (id, body) => post(`${gameAt(id)}/hint`, body);
export const remove = (id) => post(`${gameAt(id)}/remove`, {});
/** A game from the text of a file. */
export const open = (text) => post("open", text);
/** The review of a finished game: begin it, stop it, how far it is, and the review itself. */
export const review = {
  start: (id) => post(`${gameAt(id)}/review`, {}),
  stop: (id) => post(`${gameAt(id)}/review/stop`, {}),
  progress: (id) => get(`${gameAt(id)}/review`),
  result: (id) => get(`${gameAt(id)}/review/result`),
};
/** The address of a game's record, to be saved. */
export const recordOf = async (id) => `api/${gameAt(id)}/record`;
