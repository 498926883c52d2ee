// The module in a worker, with its networks; games are played again from what the page keeps of them:
// {id, seats, deck, seed, actions}.
import { toBase64 } from "./record.js";
import { load, SpeicherError } from "./speicher.js";

export const speicher = load();
const networks = fetch(new URL("networks.json", import.meta.url)).then((response) => response.json());
const weights = new Map(); // networks by name, loaded when they are first asked

/** What is wrong with a request, in one sentence. */
export class Refusal extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** An error in one sentence. */
export const sentenceOf = (error) =>
  error instanceof Refusal || error instanceof SpeicherError ? error.message : `The game failed: ${error.message}`;

export async function gameOf({ seats, deck, seed, actions }) {
  const game = (await speicher).deal({ players: seats.length, deck, seed: BigInt(seed) });
  const log = [];
  for (const action of actions) {
    log.push({ seat: game.player, action, state: toBase64(game.concealed().bytes) });
    game.play(action);
  }
  return { game, log };
}

/** The description of a network that plays with that many. */
export async function networkFor(name, players) {
  const described = (await networks)[name];
  return described?.players.includes(players) ? described : undefined;
}

/** The name of the network for that many players, else of the one for all numbers of them, as in Python. */
export async function suited(players) {
  for (const name of [`${players}p`, "universal"]) if (await networkFor(name, players)) return name;
  return undefined;
}

export async function networkOf(name) {
  if (!weights.has(name)) {
    const described = (await networks)[name];
    const response = await fetch(new URL(described.weights, import.meta.url)).catch(() => null);
    if (!response?.ok) throw new Refusal(400, "The network cannot be loaded: try again when you are online.");
    weights.set(name, (await speicher).network(described, new Uint8Array(await response.arrayBuffer())));
  }
  return weights.get(name);
}

/** A line of play with the states of its moves, as far as it depends on nothing hidden. */
export function withStates(game, line) {
  const twin = game.redealt(0);
  const moves = [];
  for (const action of line) {
    const id = twin.speicher.action(action);
    if (!twin.legalIds().includes(id) || twin.field("round") !== game.field("round")) break;
    moves.push({ action: twin.speicher.tables.actions[id].text, state: toBase64(twin.concealed().bytes) });
    twin.play(id);
  }
  return moves;
}
