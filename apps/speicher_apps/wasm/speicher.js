// The game in JavaScript: the rules, scripted players, networks and tree searches of speicher-env, in WebAssembly.
//
//   import { load } from "./speicher.js";
//   const speicher = await load();
//   const game = speicher.deal({ players: 2, seed: 7 });
//   while (!game.over) game.play(game.choose("merchant"));
//   console.log(game.totals());
//
// It runs in browsers, workers and Node, needs `speicher.wasm` and `speicher.json` beside it, and nothing else.

import { fieldOf, fieldsOf, fromBase64, legalIds } from "./record.js";

const MAX_PLAYERS = 5;
const MASK_BYTES = 184;
const LONGEST_LINE = 16;
const ALIGNED = 16; // bytes
const FLOAT_BYTES = 4;
const LANES = 16; // numbers that a network's rows are filled up to a multiple of
const PAGE = 65536; // bytes by which memory grows

/** What is wrong with an argument, in one sentence. */
export class SpeicherError extends Error {}

/** Load the module; by default from beside this file. */
export async function load({ wasm, tables } = {}) {
  const bytes = wasm ?? (await contentOf("speicher.wasm"));
  const table = tables ?? JSON.parse(new TextDecoder().decode(await contentOf("speicher.json")));
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Speicher(instance.exports, table);
}

async function contentOf(name) {
  const address = new URL(name, import.meta.url);
  if (address.protocol === "file:") return (await import("node:fs/promises")).readFile(address); // in Node
  const response = await fetch(address);
  if (!response.ok) throw new SpeicherError(`${name} cannot be loaded (${response.status}).`);
  return response.arrayBuffer();
}

/** The compiled functions with their memory. */
class Speicher {
  constructor(exports, tables) {
    this.tables = tables;
    this.exports = exports;
    this.free = exports.__heap_base.value;
    const { bytes } = tables.state;
    this.at = {
      state: this.room(bytes),
      template: this.room(bytes),
      stream: this.room(4 * 8),
      mask: this.room(MASK_BYTES),
      row: this.room(4 * Math.max(...Object.values(tables.rowSizes))),
      points: this.room(8 * MAX_PLAYERS * tables.sources.length),
      ranks: this.room(8 * MAX_PLAYERS),
      cards: this.room(4 * tables.cards.length),
      cubes: this.room(4 * tables.cards.length),
    };
    this.actionOf = new Map(tables.actions.map(({ id, text }) => [text, id]));
    this.searchMemory = null;
  }

  /** The address of some free bytes, which stay taken. */
  room(bytes) {
    const address = Math.ceil(this.free / ALIGNED) * ALIGNED;
    this.free = address + bytes;
    const lacking = this.free - this.exports.memory.buffer.byteLength;
    if (lacking > 0) this.exports.memory.grow(Math.ceil(lacking / PAGE));
    return address;
  }

  /** The numbers at an address; to be read at once, as memory may grow. */
  view(Kind, address, length) {
    return new Kind(this.exports.memory.buffer, address, length);
  }

  /**
   * Deal a game.
   *
   * `seed` is 0..2**64-1, as a number or a BigInt; by default a random one. `deck` is "standard" or "sampled".
   */
  deal({ players = 2, seed = randomSeed(), deck = "standard", firstPlayer = -1 } = {}) {
    const template = this.tables.templates[deck]?.[players];
    if (!template) throw new SpeicherError(`players=${players}, deck=${deck}: must be 2..5, standard or sampled.`);
    this.view(Uint8Array, this.at.template, this.tables.state.bytes).set(fromBase64(template));
    this.exports.deal(this.at.state, this.at.template, checkedSeed(seed), firstPlayer);
    return new Game(this, this.taken(), deck);
  }

  /** A game from the bytes of a state. */
  game(bytes, deck = "standard") {
    if (bytes.length !== this.tables.state.bytes) {
      throw new SpeicherError(`a state has ${this.tables.state.bytes} bytes, not ${bytes.length}.`);
    }
    return new Game(this, Uint8Array.from(bytes), deck);
  }

  /** The address of some whole numbers, which stay. */
  put64(numbers) {
    const address = this.room(8 * numbers.length);
    this.view(BigInt64Array, address, numbers.length).set(numbers.map(BigInt));
    return address;
  }

  put(bytes) {
    this.view(Uint8Array, this.at.state, bytes.length).set(bytes);
  }

  taken() {
    return this.view(Uint8Array, this.at.state, this.tables.state.bytes).slice();
  }

  /** A trained network: an entry of `networks.descriptions()` in Python, and the bytes of its weights. */
  network(description, weights) {
    return new Network(this, description, weights);
  }

  /** The id of an action given as text or id. */
  action(action) {
    const id = typeof action === "number" ? action : this.actionOf.get(action);
    if (!(id >= 0 && id < this.tables.actions.length)) throw new SpeicherError(`${action} is not an action.`);
    return id;
  }
}

/** One game. Actions are texts such as "place 2" or ids 0..183. */
class Game {
  constructor(speicher, bytes, deck) {
    this.speicher = speicher;
    this.bytes = bytes;
    this.deck = deck;
  }

  /** The state's fields by name, as in Python; read again after each move. */
  get fields() {
    return fieldsOf(this.bytes, this.speicher.tables.state);
  }

  /** One of the fields. */
  field(name) {
    return fieldOf(this.bytes, this.speicher.tables.state, name);
  }

  get players() {
    return this.field("players");
  }

  /** The seat that decides; -1 when the game is over. */
  get player() {
    return this.field("player");
  }

  get phase() {
    return this.speicher.tables.phases[this.field("phase")];
  }

  get over() {
    return this.player < 0;
  }

  legalIds() {
    return legalIds({ legal: this.field("legal") });
  }

  legal() {
    return this.legalIds().map((id) => this.speicher.tables.actions[id].text);
  }

  copy() {
    return new Game(this.speicher, this.bytes.slice(), this.deck);
  }

  /** Carry out an action of the deciding seat and everything forced that follows. */
  play(action) {
    const { speicher } = this;
    const id = speicher.action(action);
    speicher.put(this.bytes);
    if (!speicher.exports.step(speicher.at.state, id)) {
      throw new SpeicherError(`${speicher.tables.actions[id].text} is not legal now.`);
    }
    this.bytes = speicher.taken();
  }

  /** The game as everybody sees it: hidden cards and cubes in a fixed order, and no seed. */
  concealed() {
    const { speicher } = this;
    speicher.put(this.bytes);
    speicher.exports.conceal(speicher.at.state);
    return new Game(speicher, speicher.taken(), this.deck);
  }

  /** The game with everything hidden drawn again from a seed. */
  redealt(seed) {
    const { speicher } = this;
    speicher.put(this.bytes);
    speicher.exports.redeal(speicher.at.state, checkedSeed(seed));
    return new Game(speicher, speicher.taken(), this.deck);
  }

  /** The game with the next supply drawn again from a seed, and nothing else. */
  supplied(seed) {
    const { speicher } = this;
    speicher.put(this.bytes);
    speicher.exports.draw_supply(speicher.at.state, checkedSeed(seed));
    return new Game(speicher, speicher.taken(), this.deck);
  }

  /** The game with the next supply bringing given cards, fires included, and goods, by their numbers. */
  bringing(cards, cubes) {
    const { speicher } = this;
    const { cards: cardsAt, cubes: cubesAt } = speicher.at;
    speicher.put(this.bytes);
    speicher.view(Int32Array, cardsAt, cards.length).set(cards);
    speicher.view(Int32Array, cubesAt, cubes.length).set(cubes);
    if (!speicher.exports.arrange_supply(speicher.at.state, cardsAt, cards.length, cubesAt, cubes.length, 0n)) {
      throw new SpeicherError("The next supply cannot bring these cards and cubes.");
    }
    return new Game(speicher, speicher.taken(), this.deck);
  }

  /** 184 numbers, 1 = legal. */
  mask() {
    const { speicher } = this;
    speicher.put(this.bytes);
    speicher.exports.mask(speicher.at.state, speicher.at.mask);
    return speicher.view(Int8Array, speicher.at.mask, MASK_BYTES).slice();
  }

  /** What a seat sees, with its figures, as float32; `seats` is the room for seats, 2..5. */
  observation(seat = Math.max(this.player, 0), seats = this.players) {
    const { speicher } = this;
    const size = speicher.tables.rowSizes[seats];
    speicher.put(this.bytes);
    speicher.exports.observe(speicher.at.state, seat, seats, speicher.at.row, size);
    return speicher.view(Float32Array, speicher.at.row, size).slice();
  }

  /** Points by source (rows of `tables.sources`), their sums, and ranks, as if the game ended now. */
  score() {
    const { speicher, players } = this;
    const sources = speicher.tables.sources.length;
    speicher.put(this.bytes);
    speicher.exports.score(speicher.at.state, speicher.at.points, speicher.at.ranks);
    const all = Array.from(speicher.view(BigInt64Array, speicher.at.points, players * sources), Number);
    const points = Array.from({ length: players }, (_, seat) => all.slice(sources * seat, sources * (seat + 1)));
    const ranks = Array.from(speicher.view(BigInt64Array, speicher.at.ranks, players), Number);
    return { points, totals: points.map((one) => one.reduce((sum, more) => sum + more, 0)), ranks };
  }

  totals() {
    return this.score().totals;
  }

  winners() {
    return this.score().ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  }

  /** The id of the action that a scripted player chooses, such as "merchant" or "frugal". */
  choose(player, seed = 0) {
    const { speicher } = this;
    const code = speicher.tables.scripted[player];
    if (code === undefined) {
      throw new SpeicherError(`${player}: must be one of ${Object.keys(speicher.tables.scripted).join(", ")}.`);
    }
    speicher.put(this.bytes);
    return speicher.exports.scripted(speicher.at.state, code, checkedSeed(seed), speicher.at.stream);
  }

  /** What a network says: the probability of each legal action by its id, and the payoff that it predicts for each seat. */
  evaluate(network) {
    const { speicher } = this;
    network.refuse(this);
    speicher.put(this.bytes);
    speicher.exports.evaluate(...network.arguments, speicher.at.state, network.priors, network.payoffs);
    const priors = speicher.view(Float64Array, network.priors, MASK_BYTES);
    return {
      chances: this.legalIds().map((action) => ({ action, probability: priors[action] })),
      values: Array.from(speicher.view(Float64Array, network.payoffs, this.players)),
    };
  }

  /** Search the game tree as `mcts:ITERATIONS` does. */
  search(iterations = 1000, seed = 0) {
    const search = new Search(this, iterations, checkedSeed(seed));
    search.grow(iterations);
    return search.report();
  }

  /** Search the game tree as `guided:ITERATIONS` does, led by a network. */
  guided(network, iterations = 200, seed = 0) {
    const search = new Search(this, iterations, checkedSeed(seed), network);
    search.grow(iterations);
    return search.report();
  }
}

/** A trained network in the memory of the module, where it stays. */
class Network {
  constructor(speicher, description, weights) {
    const { players, seats, rowSize, reads, relu, everySeat, sumsToZero, decides, layers, stacks, places } = description;
    if (weights.byteLength !== FLOAT_BYTES * sizeOf(layers)) {
      throw new SpeicherError(`these weights have ${weights.byteLength} bytes, not ${FLOAT_BYTES * sizeOf(layers)}.`);
    }
    this.players = players;
    const longs = (numbers) => speicher.put64(numbers.flat());
    const most = Math.max(...layers.map(([inputs, , width]) => Math.max(inputs + LANES, width)));
    const numbers = speicher.room(weights.byteLength);
    const table = longs(layers);
    this.arguments = [
      numbers, weights.byteLength / FLOAT_BYTES, table, layers.length, longs(stacks), longs(places), places.length, places[0]?.length ?? 0,
      longs(decides), longs([0]), speicher.room(2 * FLOAT_BYTES * most), speicher.room(6 * FLOAT_BYTES * most), most,
      speicher.room(FLOAT_BYTES * rowSize), rowSize, reads, seats, Number(relu), Number(everySeat), Number(sumsToZero),
    ];
    this.priors = speicher.room(8 * MASK_BYTES);
    this.payoffs = speicher.room(8 * MAX_PLAYERS);
    speicher.view(Uint8Array, numbers, weights.byteLength).set(weights);
  }

  /** Refuse a game that the network does not play. */
  refuse(game) {
    refuseOver(game);
    if (!this.players.includes(game.players)) {
      throw new SpeicherError(`players=${game.players}: this network plays with ${this.players.join(", ")}.`);
    }
  }
}

function refuseOver(game) {
  if (game.over) throw new SpeicherError("The game is over, so there is no decision.");
}

/** Numbers of a network: after the last layer's biases, as long as a row of its matrix, there is nothing. */
function sizeOf(layers) {
  const [, , width, , biases] = layers.at(-1);
  return biases + width;
}

/** A tree search, led by a network if there is one, to be grown in parts. There is one at a time: a new one takes its memory. */
export class Search {
  constructor(game, iterations, seed = 0n, network = null) {
    const { speicher } = game;
    refuseOver(game);
    network?.refuse(game);
    const { nodeBytes, mostNodes, plain, guided } = speicher.tables.search;
    const { nodesPerIteration, leastNodes } = network ? guided : plain;
    this.network = network;
    this.planned = iterations;
    const capacity = Math.min(Math.max(nodesPerIteration * iterations, leastNodes), mostNodes);
    const slots = 2 ** (32 - Math.clz32(capacity >> 1)); // see `outcome_slots` in tree.py
    if (!(speicher.searchMemory?.capacity >= capacity)) {
      const { bytes } = speicher.tables.state;
      const sizes = [2 * 8, bytes, bytes, 4 * 8, 2 * 8, 3 * 8 * MAX_PLAYERS, 3 * 8, 4 * MASK_BYTES, 4 * MASK_BYTES];
      const rest = sizes.map((size) => speicher.room(size));
      speicher.searchMemory = {
        capacity,
        nodes: speicher.room(nodeBytes * capacity),
        outcomes: speicher.room(4 * slots),
        rest, // used, root, game, stream, waiting, payoffs, halving, candidates, noise
        actions: speicher.room(8 * MASK_BYTES),
        visits: speicher.room(8 * MASK_BYTES),
        values: speicher.room(8 * MASK_BYTES * MAX_PLAYERS),
        preferences: speicher.room(8 * MASK_BYTES),
        line: speicher.room(8 * LONGEST_LINE),
      };
    }
    const { nodes, outcomes, rest } = speicher.searchMemory;
    this.memory = { ...speicher.searchMemory, arguments: [nodes, capacity, outcomes, slots, ...rest] };
    this.speicher = speicher;
    this.players = game.players;
    speicher.put(game.bytes);
    speicher.exports.search_begin(...this.memory.arguments, speicher.at.state, seed);
  }

  grow(iterations) {
    const { exports } = this.speicher;
    const { network, memory } = this;
    if (!network) exports.search_grow(...memory.arguments, iterations);
    else exports.guided_grow(...memory.arguments, ...network.arguments, network.priors, network.payoffs, this.planned, iterations);
  }

  /** The action to play; visits, mean payoff of each seat and preference by action; and the line that is expected. */
  report() {
    const { speicher, memory, players } = this;
    const { actions, visits, values, preferences, line } = memory;
    const addresses = [actions, visits, values, preferences, line];
    const count = speicher.exports.search_report(...memory.arguments, ...addresses, LONGEST_LINE);
    const read = (address, length) => Array.from(speicher.view(BigInt64Array, address, length), Number);
    const sums = speicher.view(Float64Array, values, count * MAX_PLAYERS);
    const tried = read(visits, count);
    const preferred = Array.from(speicher.view(Float64Array, preferences, count));
    const moves = read(actions, count).map((action, place) => ({
      action,
      visits: tried[place],
      values: Array.from(sums.slice(MAX_PLAYERS * place, MAX_PLAYERS * place + players), (sum) => sum / tried[place]),
      preference: preferred[place],
    }));
    const expected = read(line, LONGEST_LINE).filter((action) => action >= 0);
    return { action: expected[0], line: expected, moves: moves.sort((one, other) => one.action - other.action) };
  }
}

/**
 * The solver of last rounds. Its tables stay from one position to the next, as large as they once had to be; what is in
 * them stays, too, from a position to one that follows it in the same demand and purchase.
 */
export class Solver {
  constructor(speicher) {
    const { games, longs, ints, cubes, worth, pair, slots } = speicher.tables.solver;
    this.speicher = speicher;
    this.layout = speicher.tables.solver;
    this.games = speicher.room(games * speicher.tables.state.bytes);
    this.longs = speicher.room(8 * longs);
    this.ints = speicher.room(4 * ints);
    this.memory = [this.games, this.longs, this.longs + 8 * cubes, this.ints, this.ints + 4 * worth, this.ints + 4 * pair];
    this.tables = this.layout.words.map((words, number) => ({ words, number, ...this.tableOf(slots, words, number) }));
  }

  /** Room for a table; that of a smaller one before it is not used again. */
  tableOf(slots, words, number) {
    const { speicher, layout } = this;
    const width = number === layout.words.length - 1 ? 1 : layout.blocks * MAX_PLAYERS;
    return { slots, keys: speicher.room(8 * words * slots), values: speicher.room(4 * width * slots) };
  }

  /**
   * What each legal action of a position of the last round is worth if every seat plays for itself: its share of the win
   * and its lead in points, seat by seat. `follows` says that the last position led to this one, in the same demand and
   * purchase.
   */
  solve(game, follows = false) {
    const { speicher, memory, ints, tables, layout } = this;
    const { state } = speicher.at;
    const width = layout.blocks * game.players;
    if (!follows) this.clear();
    let best = -1;
    for (let goesOn = follows; best < 0; goesOn = true) {
      speicher.put(game.bytes);
      best = speicher.exports.solve(...memory, ...tables.flatMap(({ keys, values, slots }) => [keys, values, slots]), state, Number(goesOn));
      if (best < 0) this.grow(-1 - best - layout.positionsFull, width);
    }
    const legal = game.legalIds();
    const results = speicher.view(Int32Array, ints, width * legal.length);
    const moves = legal.map((action, place) => ({ action, ...outcomeOf(Array.from(results.slice(width * place, width * place + game.players)), layout.point) }));
    return { best: legal[best], moves };
  }

  clear() {
    const { speicher, tables, longs, layout } = this;
    for (const { keys, slots, words } of tables) speicher.view(Uint8Array, keys, 8 * words * slots).fill(0);
    speicher.view(Uint8Array, longs + 8 * layout.used, 8 * tables.length).fill(0);
  }

  grow(number, width) {
    const { speicher, longs, layout } = this;
    const table = this.tables[number];
    const { keys, values, slots, words } = table;
    const larger = this.tableOf(2 * slots, words, number);
    const wide = number === this.tables.length - 1 ? 1 : width;
    speicher.exports.fill_table(keys, values, slots, larger.keys, larger.values, larger.slots, words, wide, longs + 8 * (layout.used + number));
    Object.assign(table, larger);
  }
}

/** Shares of the win and leads in points of a result, which is the ranking key of every seat. */
function outcomeOf(result, point) {
  const most = Math.max(...result);
  const winners = result.filter((key) => key === most).length;
  const leads = result.map((key, seat) => {
    const others = Math.max(...result.filter((_, other) => other !== seat));
    return Math.floor((key - others + point / 2) / point);
  });
  return { shares: result.map((key) => (key === most ? 1 / winners : 0)), leads };
}

function checkedSeed(seed) {
  const whole = typeof seed === "bigint" || Number.isSafeInteger(seed);
  if (!whole || seed < 0 || BigInt(seed) >> 64n) throw new SpeicherError(`seed=${seed}: must be a whole number 0..2**64-1.`);
  return BigInt.asIntN(64, BigInt(seed));
}

/** A random seed of 53 bits. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}
