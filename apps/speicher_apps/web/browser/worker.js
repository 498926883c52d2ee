// Games in this browser, away from the page: rules, players and search run here, so that the page never waits.
//
// The page sends {number, verb, argument} and gets {number, result} or {number, error}. A game is kept by the page as
// {id, seats, deck, seed, actions}, from which it is played again here.
import { gameOf, networkFor, networkOf, Refusal, sentenceOf, speicher, suited, withStates } from "./engine.js";
import { toBase64 } from "./record.js";
import { randomSeed } from "./speicher.js";

const SEAT_STREAM = 0x9e3779b97f4a7c15n;
const FORMAT = "speicherstadt-record/1";
const GUIDED = 200; // iterations of a guided search unless others are asked for

// Positions

/** What the page shows of a game, and what it keeps. */
async function viewOf(kept) {
  const { game, log } = await gameOf(kept);
  const persons = kept.seats.flatMap((spec, seat) => (spec === "human" ? [seat] : []));
  const yours = !game.over && kept.seats[game.player] === "human";
  const { points, totals } = game.score();
  return {
    kept: { ...kept, points: game.over ? totals : null },
    view: {
      id: kept.id,
      at: log.length,
      seats: kept.seats,
      deck: kept.deck,
      you: persons.length === 1 ? persons[0] : yours ? game.player : null,
      yours,
      over: game.over,
      state: toBase64(game.concealed().bytes),
      points: points.map((one, seat) => [...one, totals[seat]]),
      log,
      unsaved: "",
      end: game.over ? { winners: game.winners(), seed: kept.seed } : null,
    },
  };
}

// Players

/** How a spec decides: a function of a game and a seed that gives an action, and what the player thinks of it. */
async function playerOf(spec, players) {
  const [name, parameter] = spec.split(":");
  const { tables } = await speicher;
  if (name in tables.scripted && parameter === undefined) return (game, seed) => ({ action: game.choose(name, seed) });
  if (name === "mcts" && /^[1-9]\d{0,4}$/.test(parameter ?? "1000")) {
    return (game, seed) => thoughtOf(game.search(Number(parameter ?? 1000), seed));
  }
  if (name === "baseline" && (await networkFor(parameter, players))) {
    const network = await networkOf(parameter);
    return (game) => evaluated(game, network);
  }
  if (name === "guided" && /^[1-9]\d{0,4}$/.test(parameter ?? GUIDED) && (await suited(players))) {
    const network = await networkOf(await suited(players));
    return (game, seed) => thoughtOf(game.guided(network, Number(parameter ?? GUIDED), seed));
  }
  const known = [...Object.keys(tables.scripted), "mcts:1000", "baseline:2p", "guided:200"].join(", ");
  throw new Refusal(400, `${spec}: this browser plays ${known} and the like, with ${players} players.`);
}

/** What a search found, as a player thinks of it. */
function thoughtOf({ action, line, moves }) {
  const chances = moves.map((move) => ({ action: move.action, probability: move.preference }));
  return { action, line, chances, values: moves.find((move) => move.action === action).values };
}

function evaluated(game, network) {
  const { chances, values } = game.evaluate(network);
  const { action } = chances.reduce((best, one) => (one.probability > best.probability ? one : best));
  return { action, line: [action], chances, values };
}

const seedFor = (seed, seat) => BigInt.asUintN(63, BigInt(seed) * SEAT_STREAM + BigInt(seat));

// Records

/** A game from the text of a file: the first record in it. */
async function opened(text) {
  const first = text.split("\n").find((line) => line.trim()) ?? "";
  const [record, source] = [[first], [text]].map(([one]) => [parsed(one), one]).find(([one]) => one) ?? [];
  if (record?.format !== FORMAT) throw new Refusal(400, `The file must hold a game record, ${FORMAT}.`);
  const seed = /"seed"\s*:\s*(\d{1,20})\b/.exec(source)?.[1] ?? ""; // larger than a number of JavaScript may be
  const { players, deck, moves } = record;
  const elsewhere = new Refusal(400, "This game was not dealt from a seed of the standard or the sampled deck: speicher play --web opens it.");
  if (![2, 3, 4, 5].includes(players) || !["standard", "sampled"].includes(deck) || !seed) throw elsewhere;
  if (!Array.isArray(moves) || moves.length > 1000) throw new Refusal(400, "moves must be a list of moves.");
  const game = (await speicher).deal({ players, deck, seed: BigInt(seed) });
  const { pile, pile_size: size, first_player: begins, bag } = game.fields;
  const { cards, goods } = game.speicher.tables;
  const same = (names, numbers) => JSON.stringify(names) === JSON.stringify(numbers);
  if (!same(record.pile, pile.slice(0, size).map((card) => cards[card].id)) || !same(record.bag, bag.map((good) => goods[good])) || record.first_player !== begins) {
    throw elsewhere;
  }
  const actions = moves.map((move) => String(move?.action));
  for (const action of actions) game.play(action);
  return { seats: await seatsOf(record.seats, players), deck, seed, actions };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The seats of a record if this browser can play them, else persons. */
async function seatsOf(seats, players) {
  const persons = Array.from({ length: players }, () => "human");
  if (!Array.isArray(seats) || seats.length !== players || !seats.every((spec) => typeof spec === "string")) return persons;
  try {
    await checkSeats(seats);
    return seats;
  } catch {
    return persons;
  }
}

async function checkSeats(seats) {
  for (const spec of seats) if (spec !== "human") await playerOf(spec, seats.length);
}

/** A game as a line of a file, as `speicher` reads it. */
async function recordOf(kept) {
  const start = (await gameOf({ ...kept, actions: [] })).game;
  const { tables } = start.speicher;
  const { pile, pile_size: size, first_player: begins, bag, fire_value, fireman_value, contract_goods } = start.fields;
  const order = pile.slice(0, size);
  const numbers = { fire: fire_value, fireman: fireman_value };
  const cards = {};
  const places = {};
  tables.cards.forEach(({ id, kind, season }, card) => {
    const place = (places[kind] = (places[kind] ?? -1) + 1);
    if (!order.includes(card)) return;
    const more = kind in numbers ? { value: numbers[kind][place] } : {};
    if (kind === "contract") more.goods = contract_goods[place].filter((good) => good >= 0).map((good) => tables.goods[good]);
    cards[id] = { kind, season: tables.seasonLetters[season], ...more };
  });
  const { game, log } = await gameOf(kept);
  const { totals } = game.score();
  const record = {
    format: FORMAT,
    players: kept.seats.length,
    seed: 0,
    deck: kept.deck,
    cards,
    first_player: begins,
    pile: order.map((card) => tables.cards[card].id),
    bag: bag.map((good) => tables.goods[good]),
    moves: log.map(({ seat, action }) => ({ player: seat, action })),
    result: game.over ? { points: totals, coins: game.fields.coins.slice(0, kept.seats.length), winners: game.winners() } : null,
    seats: kept.seats,
  };
  return `${JSON.stringify(record).replace('"seed":0', `"seed":${kept.seed}`)}\n`;
}

// Requests

const VERBS = {
  async deal({ seats, deck, seed }) {
    await checkSeats(seats);
    const text = (seed ?? "").trim() || String(randomSeed());
    if (!/^\d{1,20}$/.test(text) || BigInt(text) >> 64n) throw new Refusal(400, `seed=${text}: must be a whole number 0..2**64-1, or empty for a new one.`);
    return viewOf({ seats, deck: deck ?? "standard", seed: BigInt(text).toString(), actions: [] });
  },
  look: viewOf,
  async open(text) {
    return viewOf(await opened(text));
  },
  record: recordOf,
  async play({ kept, action }) {
    const { game } = await gameOf(kept);
    if (game.over || kept.seats[game.player] !== "human") throw new Refusal(400, "No person is to move.");
    game.play(action);
    return viewOf({ ...kept, actions: [...kept.actions, action] });
  },
  async advance({ kept }) {
    const { game } = await gameOf(kept);
    if (game.over || kept.seats[game.player] === "human") throw new Refusal(400, "A person is to move, or the game is over.");
    const decide = await playerOf(kept.seats[game.player], kept.seats.length);
    const { action } = decide(game.concealed(), seedFor(kept.seed, game.player));
    return viewOf({ ...kept, actions: [...kept.actions, game.speicher.tables.actions[action].text] });
  },
  async undo({ kept }) {
    const { log } = await gameOf(kept);
    if (!log.length) throw new Refusal(400, "No move has been made.");
    const last = log.findLastIndex(({ seat }) => kept.seats[seat] === "human");
    return viewOf({ ...kept, actions: kept.actions.slice(0, last < 0 ? log.length - 1 : last) });
  },
  async seats({ kept, seats }) {
    await checkSeats(seats);
    return viewOf({ ...kept, seats });
  },
  async hint({ kept, spec, at }) {
    const { game } = await gameOf(kept);
    if (game.over) throw new Refusal(400, "The game is over.");
    const decide = await playerOf(spec, kept.seats.length);
    const { action, line = [], chances, values = null } = decide(game.concealed(), seedFor(kept.seed, game.player));
    const { tables } = game.speicher;
    const textOf = (id) => tables.actions[id].text;
    const likely = chances ?? [{ action, probability: 1 }];
    likely.sort((one, other) => other.probability - one.probability);
    return {
      at,
      spec,
      action: textOf(action),
      certain: !chances,
      moves: likely.map((move) => ({ action: textOf(move.action), probability: move.probability })),
      values,
      line: withStates(game, line),
    };
  },
};

onmessage = async ({ data: { number, verb, argument } }) => {
  try {
    postMessage({ number, result: await VERBS[verb](argument) });
  } catch (error) {
    postMessage({ number, error: { status: error.status ?? 400, sentence: sentenceOf(error) } });
  }
};
