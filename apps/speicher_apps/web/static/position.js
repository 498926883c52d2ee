// A position: the public state of a game, with what the drawing and the words ask of it.
import { fieldsOf, fromBase64, legalIds } from "./record.js";
import { tables } from "./tables.js";

export const EMPTY = -1;
const ON_TABLE = -2;
const IN_PILE = -1;
const DISCARDED = -3;
const read = new Map(); // positions by their bytes in base64: those of a log are read once
const MOST_READ = 400;

export const kindOf = (card) => tables.cards[card].kind;
const cardsOf = (kind) => tables.cards.flatMap((card, number) => (card.kind === kind ? [number] : []));
export const FIRES = cardsOf("fire");
const FIREMEN = cardsOf("fireman");
const CONTRACTS = cardsOf("contract");
const [WAREHOUSE] = cardsOf("warehouse");

/** The position with these bytes, in base64. */
export function positionOf(bytes) {
  if (!read.has(bytes)) {
    if (read.size >= MOST_READ) read.delete(read.keys().next().value);
    read.set(bytes, new Position(fieldsOf(fromBase64(bytes), tables.state)));
  }
  return read.get(bytes);
}

class Position {
  constructor(fields) {
    Object.assign(this, fields);
    this.phaseName = tables.phases[fields.phase];
    this.legalActions = legalIds(fields).map((id) => tables.actions[id]);
  }

  get over() {
    return this.phaseName === "over";
  }

  get columns() {
    return Array.from({ length: this.players + 1 }, (_, column) => column);
  }

  get everySeat() {
    return Array.from({ length: this.players }, (_, seat) => seat);
  }

  isLegal(text) {
    return this.legalActions.some((action) => action.text === text);
  }

  /** Seats above a card, the lowest first. */
  queueOf(column) {
    return this.queue[column].slice(0, this.standing[column]);
  }

  goodsOf(contract) {
    return this.contract_goods[contract].filter((good) => good !== EMPTY);
  }

  valueOf(contract) {
    return tables.contractPoints[this.goodsOf(contract).length];
  }

  /** The goods of a contract as sockets, each with whether it is filled. */
  socketsOf(contract) {
    const goods = this.goodsOf(contract);
    const laid = tables.goods.map((_, good) => goods.filter((one) => one === good).length - this.missing[contract][good]);
    return goods.map((good) => {
      laid[good] -= 1;
      return { good, filled: laid[good] >= 0 };
    });
  }

  isComplete(contract) {
    return this.missing[contract].every((count) => count === 0);
  }

  firemanValue(card) {
    return this.fireman_value[FIREMEN.indexOf(card)];
  }

  fireValue(card) {
    return this.fire_value[FIRES.indexOf(card)];
  }

  isBurnt(fire) {
    return this.owner[fire] !== IN_PILE;
  }

  /** Cards of a seat, without its contracts. */
  cardsOf(seat) {
    return tables.cards.flatMap((card, number) =>
      this.owner[number] === seat && card.kind !== "contract" ? [number] : [],
    );
  }

  contractsOf(seat) {
    return CONTRACTS.filter((contract) => this.owner[contract] === seat);
  }

  /** Cubes that a seat can keep. */
  roomOf(seat) {
    return this.owner[WAREHOUSE] === seat ? tables.room.with : tables.room.without;
  }

  cubesIn(amounts) {
    return amounts.reduce((sum, count) => sum + count, 0);
  }

  get season() {
    return tables.cards[this.pile[this.pile_next - 1]].season;
  }

  /** Cards in the pile of a season. */
  pileOf(season) {
    return tables.cards.flatMap((card, number) =>
      card.season === season && this.owner[number] === IN_PILE && card.kind !== "fire" ? [number] : [],
    );
  }

  get bagCounts() {
    const counts = tables.goods.map(() => 0);
    for (const good of this.bag.slice(this.bag_next)) counts[good] += 1;
    return counts;
  }

  get rounds() {
    return Math.floor((this.pile_size - FIRES.length) / (this.players + 1));
  }

  wasOnTable(card) {
    return this.owner[card] === ON_TABLE;
  }

  isDiscarded(card) {
    return this.owner[card] === DISCARDED;
  }
}
