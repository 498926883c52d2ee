// What the page says: names of seats and cards, moves, questions, reasons, and what happened by itself.
import { EMPTY, FIRES, kindOf, positionOf } from "./position.js";
import { actionOf, tables } from "./tables.js";

const SPACES = tables.spaces;
const ORDINALS = ["1st", "2nd", "3rd"];
export const HUMAN = "human";

export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
export const minus = (value) => String(value).replace("-", "−");
export const signed = (value) => (value > 0 ? `+${value}` : minus(value));
/** A sentence with a capital letter and a full stop. */
export const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}${/[.?!…]$/.test(words) ? "" : "."}`;

export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Cubes by good: "2 coffee and 1 tea". */
export const cubesInWords = (amounts) =>
  listed(amounts.flatMap((count, good) => (count ? [`${count} ${tables.goods[good]}`] : [])));

// Seats

/** Names of the seats of a game: "You", "Player 2", or that of a player that decides by itself. */
export function namesOf(seats) {
  const persons = seats.filter((spec) => spec === HUMAN).length;
  return seats.map((spec, seat) => {
    if (spec !== HUMAN) return tables.names[seat];
    return persons === 1 ? "You" : `Player ${seat + 1}`;
  });
}

/** The level that a spec is offered as, or the spec itself. */
export function levelOf(spec, players) {
  const level = tables.levels.find((one) => one.spec.replaceAll("{players}", players) === spec);
  return level?.name ?? spec;
}

const verb = (name, third, second) => (name === "You" ? second : third);
const inside = (name) => (name === "You" ? "you" : name);

// Cards

export function cardName(position, card) {
  const kind = kindOf(card);
  if (kind === "contract") return `contract ${card + 1}`;
  if (kind === "fireman") return `fireman of value ${position.firemanValue(card)}`;
  return tables.kindNames[kind];
}

function goodsInWords(position, column) {
  const card = position.card[column];
  const kind = kindOf(card);
  if (kind === "ship") return position.cargo[column].map((good) => tables.goods[good]).join(", ");
  if (kind === "contract") return position.goodsOf(card).map((good) => tables.goods[good]).join(", ");
  return "";
}

/** What a card does, in a few words. */
export function effectOf(position, column) {
  const card = position.card[column];
  if (kindOf(card) === "contract") return `${position.valueOf(card)} points if complete`;
  return tables.effects[kindOf(card)] ?? goodsInWords(position, column);
}

/** A card in a sentence: "the ship (tea, coffee, tea)", "contract 4 (tea, carpet)". */
export function cardInWords(position, column) {
  const card = position.card[column];
  const goods = goodsInWords(position, column);
  const article = ["contract", "st_michaelis"].includes(kindOf(card)) ? "" : "the ";
  return article + cardName(position, card) + (goods ? ` (${goods})` : "");
}

const goodOf = ({ gives }) => tables.goods[gives.indexOf(1)];
const merchantOf = (good) => Object.keys(tables.merchants).find((kind) => tables.merchants[kind] === good);
const buyerOf = (action) => tables.kindNames[merchantOf(goodOf(action))];

// Moves

/** What a seat does with a move, as a sentence: "Anna buys the bank for 2 coins." */
export function deedOf(position, action, name) {
  return sentence(`${name} ${deed(position, action, name)}`);
}

/** A line of play, each move with its state, as sentences. */
export function lineInWords(line, names) {
  return line.map(({ action, state }) => {
    const position = positionOf(state);
    return deedOf(position, actionOf.get(action), names[position.player]);
  });
}

function deed(position, action, name) {
  const is = (third, second) => verb(name, third, second);
  const column = position.offer;
  const cubes = cubesInWords(action.gives);
  switch (action.verb) {
    case "place":
      return `${is("places", "place")} a worker above ${cardInWords(position, action.column)}`;
    case "buy":
      return `${is("buys", "buy")} ${cardInWords(position, column)} for ${counted(position.standing[column], "coin")}`;
    case "pass":
      return `${is("passes", "pass")} on ${cardInWords(position, column)} at ${counted(position.standing[column], "coin")}`;
    case "deliver":
      return `${is("delivers", "deliver")} ${cubes} to contract ${action.contract + 1}${afterDelivery(position, action)}`;
    case "sell":
      return `${is("sells", "sell")} ${cubes} to the ${buyerOf(action)} for 1 coin`;
    case "convert":
      return `${is("changes", "change")} ${cubes} into 1 ${tables.goods[action.takes]} at the market hall`;
    case "trade":
      return `${is("sells", "sell")} ${cubes} at the market hall for 1 coin`;
    case "discard":
      return `${is("puts", "put")} ${cubes} into the stock, for want of room`;
    default:
      return `${is("ends", "end")} loading with ${cubesInWords(position.cubes[position.player]) || "no cube"}`;
  }
}

function afterDelivery(position, { contract, gives }) {
  const left = position.missing[contract].map((count, good) => count - gives[good]);
  const needs = cubesInWords(left);
  return needs ? `, which still needs ${needs}` : `, which is complete: ${position.valueOf(contract)} points`;
}

/** What the title of a group says of each of its moves, before and after what tells them apart. */
const IN_GROUP = {
  deliver: /^(Deliver )(.*)()$/,
  sell: /^(Sell )(.*)( to the .*)$/,
  trade: /^()(.*)( for 1 coin)$/,
  discard: /^(Throw away )(.*)()$/,
};

/**
 * A move as a button says it: the name, between words that the title of its group says, too; and the goods of a card, for
 * which a small screen has no room.
 */
export function labelParts(position, action) {
  const label = labelOf(position, action);
  const inGroup = IN_GROUP[action.verb]?.exec(label);
  if (inGroup) return { before: inGroup[1], name: sentenceCase(inGroup[2]), after: inGroup[3], goods: "" };
  const [card, goods] = label.split(/ (?=\()/);
  return { before: "", name: card, after: "", goods: goods ?? "" };
}

/** A move in few words. */
export function labelOf(position, action) {
  const cubes = cubesInWords(action.gives);
  switch (action.verb) {
    case "place":
      return sentenceCase(hasCard(position, action.column) ? cardInWords(position, action.column) : "No card");
    case "buy":
      return position.offer === EMPTY ? "Buy" : `Buy ${cardInWords(position, position.offer)}`;
    case "pass":
      return "Pass";
    case "deliver":
      return `Deliver ${goodOf(action)} to contract ${action.contract + 1}`;
    case "sell":
      return `Sell ${goodOf(action)} to the ${buyerOf(action)}`;
    case "convert":
      return `${cubes} for 1 ${tables.goods[action.takes]}`;
    case "trade":
      return `${cubes} for 1 coin`;
    case "discard":
      return `Throw away ${goodOf(action)}`;
    default:
      return "End loading";
  }
}

const hasCard = (position, column) => column <= position.players && position.card[column] !== EMPTY;
const sentenceCase = (words) => `${words[0].toUpperCase()}${words.slice(1)}`.replace(/^The (.)/, (_, letter) => letter.toUpperCase());

/** What a move would do, as a sentence. */
export function previewOf(position, action) {
  const seat = position.player;
  const coins = position.coins[seat];
  switch (action.verb) {
    case "place": {
      const price = position.standing[action.column] + 1;
      const short = price > coins ? ` (you have ${coins})` : "";
      const card = cardInWords(position, action.column);
      return `${ordinal(price)} worker above ${card}: pays ${counted(price, "coin")}${short}, 1 less for each below that passes.`;
    }
    case "buy": {
      const price = position.standing[position.offer];
      return `You pay ${counted(price, "coin")} of your ${coins}, which leaves ${coins - price}.`;
    }
    case "pass":
      return "You take this worker back; the next one is asked for 1 coin less.";
    case "end": {
      const kept = cubesInWords(position.cubes[seat]);
      return kept ? `You keep ${kept}.` : "You keep no cube.";
    }
    default:
      return sentence(`you ${deed(position, action, "You")}`);
  }
}

const ordinal = (number) => ORDINALS[number - 1] ?? `${number}th`;

/** What matters about a move now, in few words; may be empty. */
export function noteOf(position, action) {
  const seat = position.player;
  if (action.verb === "place") return position.standing[action.column] ? counted(position.standing[action.column], "worker") : "nobody";
  if (action.verb === "buy") return `${position.standing[position.offer]} of ${counted(position.coins[seat], "coin")}`;
  if (action.verb === "pass") return "the price falls by 1";
  if (action.verb === "deliver") return `${position.valueOf(action.contract)} points`;
  if (action.verb === "end") return `keep ${cubesInWords(position.cubes[seat]) || "nothing"}`;
  return "";
}

/** Why an action that comes to mind is not legal. */
export function whyNot(position, action) {
  const seat = position.player;
  if (action.verb === "place") {
    return hasCard(position, action.column) ? `All ${SPACES} spaces above this card are taken.` : "There is no card.";
  }
  if (action.verb === "end") {
    const over = position.cubesIn(position.cubes[seat]) - position.roomOf(seat);
    return `There is room for ${position.roomOf(seat)}: use or throw away ${over} more.`;
  }
  if (action.verb === "deliver") {
    const good = action.gives.indexOf(1);
    return position.missing[action.contract][good] ? `You have no ${goodOf(action)}.` : `It has all its ${goodOf(action)}.`;
  }
  if (action.verb === "sell") return `Only the owner of the ${buyerOf(action)} sells ${goodOf(action)} for a coin.`;
  if (action.verb === "discard") return "Cubes are thrown away only when there is no room for them.";
  return "";
}

// Positions

export function standingOf(position) {
  if (position.over) return `Over after ${counted(position.round, "round")}`;
  return `Round ${position.round} of ${position.rounds}`;
}

/** The question to the player to move; in the second person to "You" or to a person by name. */
export function questionOf(position, names, asked) {
  const seat = position.player;
  const name = names[seat];
  const second = asked || name === "You";
  const called = asked && name !== "You" ? `${name}: ` : "";
  const cubes = () => `${counted(position.cubesIn(position.cubes[seat]), "cube")} and room for ${position.roomOf(seat)}`;
  if (position.phaseName === "demand") {
    const which = ORDINALS[tables.workers - position.workers[seat]];
    return second ? `${called}Place your ${which} worker above a card.` : `${name} places the ${which} worker.`;
  }
  if (position.phaseName === "purchase") {
    const price = counted(position.standing[position.offer], "coin");
    const card = cardInWords(position, position.offer);
    return second ? `${called}Buy ${card} for ${price}?` : `${name} may buy ${card} for ${price}.`;
  }
  return second ? `${called}Use your cubes: ${cubes()}.` : `${name} is loading: ${cubes()}.`;
}

/** The winners and what broke a tie. */
export function resultOf(position, points, winners, names) {
  const total = points[winners[0]].at(-1);
  const who = listed(winners.map((seat, place) => (place ? inside(names[seat]) : names[seat])));
  const verbs = winners.length > 1 ? "share the win" : verb(names[winners[0]], "wins", "win");
  const level = points.filter((row) => row.at(-1) === total).length;
  const coins = level > 1 ? ` and ${counted(position.coins[winners[0]], "coin")}` : "";
  return sentence(`${who} ${verbs} with ${counted(total, "point")}${coins}`);
}

// What the game did by itself between a move and the next decision

export function newsOf(before, action, after, names) {
  const news = [];
  before.card.forEach((card, column) => {
    if (card !== EMPTY && before.wasOnTable(card) && after.isDiscarded(card)) {
      const cubes = kindOf(card) === "ship" ? " and its cubes go to the stock" : "";
      news.push(`nobody buys ${cardInWords(before, column)}: it is discarded${cubes}`);
    }
  });
  if (after.over || after.round !== before.round) news.push(incomeInWords(before, action, after, names));
  news.push(...firesInWords(before, after, names));
  if (after.round !== before.round) {
    const name = names[after.first_player];
    news.push(`round ${after.round}: ${inside(name)} ${verb(name, "begins", "begin")}`);
  }
  return news.map(sentence);
}

/** Income is what the purses gained, apart from what the move itself brought or cost. */
function incomeInWords(before, action, after, names) {
  const ofMove = { buy: -before.standing[before.offer], sell: 1, trade: 1 }[action.verb] ?? 0;
  const shares = names.map((name, seat) => {
    const gained = after.coins[seat] - before.coins[seat] - (seat === before.player ? ofMove : 0);
    return `${gained} for ${inside(name)}`;
  });
  return `income: ${listed(shares)}`;
}

function firesInWords(before, after, names) {
  const burnt = FIRES.filter((fire) => !before.isBurnt(fire) && after.isBurnt(fire));
  if (burnt.length === 0) return [];
  const values = listed(burnt.map((fire) => String(after.fireValue(fire))));
  const name = burnt.length === 1 ? `a fire of value ${values}` : `fires of values ${values}`;
  const changes = names.flatMap((who, seat) => {
    const change = after.fire_points[seat] - before.fire_points[seat];
    return change ? [`${inside(who)} ${signed(change)}`] : [];
  });
  return [`${name}: ${listed(changes) || "all are equal, nothing happens"}`];
}
