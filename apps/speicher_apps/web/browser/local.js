// Games in this browser: a worker plays them, and the browser's storage keeps them. The functions of `served.js`.
import { Refused } from "./refused.js";
import { tables } from "./tables.js";
import { HUMAN } from "./words.js";

const MOST_KEPT = 50;
const KEPT = "speicher-games";
const PLAYERS = [2, 3, 4, 5];
const SEARCHES = ["mcts:300", "mcts:2000", "guided:200"];

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
const unkept = new Map(); // games that the storage has no room for, or that a browser without storage plays
let asked = 0;

worker.onmessage = ({ data: { number, result, error } }) => {
  const { resolve, reject } = waiting.get(number);
  waiting.delete(number);
  if (error) reject(new Refused(error.status, error.sentence));
  else resolve(result);
};

function ask(verb, argument) {
  asked += 1;
  return new Promise((resolve, reject) => {
    waiting.set(asked, { resolve, reject });
    worker.postMessage({ number: asked, verb, argument });
  });
}

// Games kept

function allKept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

function write(games) {
  localStorage.setItem(KEPT, JSON.stringify(games.toSorted((one, other) => other.used - one.used).slice(0, MOST_KEPT)));
}

function keep(game) {
  try {
    write([{ ...game, used: Date.now() / 1000 }, ...allKept().filter(({ id }) => id !== game.id)]);
    unkept.delete(game.id);
    return "";
  } catch {
    unkept.set(game.id, game);
    return "this browser cannot store the game: save it before you close the page";
  }
}

function find(id) {
  const game = unkept.get(id) ?? allKept().find((one) => one.id === id);
  if (!game) throw new Refused(404, "There is no such game in this browser; it may have been removed.");
  return game;
}

/** Keep what the worker says of a game, and show the rest. */
function shown({ kept, view }) {
  const game = { ...kept, id: kept.id ?? newId() };
  return { ...view, id: game.id, unsaved: keep(game) };
}

const newId = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Reviews: each is made by a worker of its own, so that games go on meanwhile, and is kept with the moves that it is of.

const REVIEWS = "speicher-reviews";
const MOST_REVIEWS = 8;
const reviewing = new Map(); // by the game: {worker, done, total, error}

function keptReviews() {
  try {
    return JSON.parse(localStorage.getItem(REVIEWS) ?? "[]");
  } catch {
    return [];
  }
}

function keptReview({ id, actions }) {
  return keptReviews().find((one) => one.id === id && one.actions === actions.join())?.result;
}

/** Keep a review, and as many of the older ones as there is room for. */
function keepReview({ id, actions }, result) {
  const all = [{ id, actions: actions.join(), result }, ...keptReviews().filter((one) => one.id !== id)];
  for (let most = MOST_REVIEWS; ; most -= 1) {
    try {
      return localStorage.setItem(REVIEWS, JSON.stringify(all.slice(0, most)));
    } catch (error) {
      if (most === 1) throw error;
    }
  }
}

function beginReview(game) {
  const job = { worker: new Worker(new URL("review_worker.js", import.meta.url), { type: "module" }), done: 0, total: 0, error: "" };
  const fail = (sentence) => {
    job.error = sentence;
    job.worker.terminate();
  };
  job.worker.onerror = () => fail("The review failed.");
  job.worker.onmessage = ({ data: { done, total, result, error } }) => {
    if (error) return fail(error);
    if (!result) return Object.assign(job, { done, total });
    try {
      keepReview(game, result);
      endReview(game.id);
    } catch {
      fail("This browser cannot store the review.");
    }
  };
  job.worker.postMessage({ kept: game, settings: tables.inBrowser.review });
  reviewing.set(game.id, job);
}

function endReview(id) {
  reviewing.get(id)?.worker.terminate();
  reviewing.delete(id);
}

function progressOf(game) {
  const job = reviewing.get(game.id);
  if (job?.error) return { state: "failed", error: job.error };
  if (job) return { state: "running", done: job.done, total: job.total };
  return { state: keptReview(game) ? "ready" : "none" };
}

/** The review of a finished game: begin it, stop it, how far it is, and the review itself. */
export const review = {
  async start(id) {
    const game = find(id);
    if (reviewing.get(id)?.error) endReview(id);
    if (!reviewing.has(id) && !keptReview(game)) beginReview(game);
    return progressOf(game);
  },
  async stop(id) {
    endReview(id);
    return progressOf(find(id));
  },
  progress: async (id) => progressOf(find(id)),
  async result(id) {
    const review = keptReview(find(id));
    if (!review) throw new Refused(404, "There is no review of this game: ask for it at the end of the game.");
    return review;
  },
};

// The functions of a source

export async function lobby() {
  const { scripted, networks, favourites } = tables.inBrowser;
  const network = (spec) => networks.filter(({ name }) => spec === `baseline:${name}` || spec.startsWith("guided")).flatMap(({ players }) => players);
  const led = (spec) => spec.startsWith("baseline") || spec.startsWith("guided");
  const playedBy = (spec) => PLAYERS.filter((count) => !led(spec) || network(spec.replaceAll("{players}", count)).includes(count));
  const offer = (spec, idea) => ({ spec, idea, players: playedBy(spec) });
  const levels = tables.levels.map(({ name, spec, note }) => ({ name, ...offer(spec, note) })).filter(({ players }) => players.length);
  return {
    levels,
    players: [...scripted.map(({ name, idea }) => offer(name, idea)), ...SEARCHES.map((spec) => offer(spec, "")), ...networks.map(({ name }) => offer(`baseline:${name}`, ""))],
    decks: ["standard", "sampled"],
    first: {
      seats: [HUMAN, levels[1].spec],
      favourites: Object.fromEntries(PLAYERS.map((count) => [count, favourites.find((spec) => playedBy(spec).includes(count))])),
      hints: null,
      deck: "standard",
      seed: "",
    },
    games: allKept().map(({ id, seats, actions, points, used }) => ({ id, seats, moves: actions.length, points, used })),
  };
}

export const deal = async (wanted) => shown(await ask("deal", wanted));
export const look = async (id) => shown(await ask("look", find(id)));
export const open = async (text) => shown(await ask("open", text));
export const hint = async (id, body) => ask("hint", { kept: find(id), ...body });
export const recordOf = async (id) => URL.createObjectURL(new Blob([await ask("record", find(id))], { type: "application/jsonl" }));

export async function change(id, verb, { at, ...body }) {
  const kept = find(id);
  if (at !== undefined && at !== kept.actions.length) throw new Refused(409, "The game has changed in another window.");
  return shown(await ask(verb, { kept, ...body }));
}

export async function remove(id) {
  endReview(id);
  unkept.delete(id);
  write(allKept().filter((game) => game.id !== id));
}

// Keep the page for visits without a network.
navigator.serviceWorker?.register(new URL("../service-worker.js", import.meta.url)).catch(() => {});
