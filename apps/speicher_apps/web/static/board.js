// The table, drawn from a position. What can be touched names its move in `data-action`, or its good in `data-good`.
import { icon, make, seatChip } from "./dom.js";
import { EMPTY, FIRES, kindOf } from "./position.js";
import { tables } from "./tables.js";
import { cardInWords, cardName, counted, cubesInWords, effectOf, listed, minus, signed, standingOf } from "./words.js";

const MOST_CUBES = 8; // cubes drawn one by one; more are drawn as a cube and a number for each good
const { icons } = tables;
const cube = (good) => icon(icons.cube[tables.goods[good]], "cube");
const socket = (good) => icon(icons.socket[tables.goods[good]], "cube");
const unseen = (words) => make("span", { className: "unseen" }, words);

/**
 * The whole table.
 *
 * `points` may be null. `sales` says who bought the card of a column this round and for what.
 */
export function drawBoard({ position, points, names, notes, you, sales }) {
  const legal = new Set(position.legalActions.map(({ text }) => text));
  const seats = you === null ? position.everySeat : [...position.everySeat.slice(you), ...position.everySeat.slice(0, you)];
  const drawn = { position, points, names, notes, you, legal, sales };
  return [
    drawRound(position),
    drawPile(position),
    make("div", { id: "columns", "data-count": position.players + 1 }, ...position.columns.map((column) => drawColumn(column, drawn))),
    make("div", { id: "seats", "data-count": position.players }, ...seats.map((seat) => drawSeat(seat, drawn))),
    make("div", { id: "stores" }, drawStore("Stock", position.stock), drawStore("Bag", position.bagCounts)),
  ];
}

/** The columns of a position, or one seat, as a picture: nothing in it can be touched. */
export function drawExample(position, names, seat = null) {
  const drawn = { position, points: null, names, notes: names.map(() => ""), you: seat, legal: new Set(), sales: new Map() };
  return seat === null ? position.columns.map((column) => drawColumn(column, drawn)) : [drawSeat(seat, drawn)];
}

// Round and pile

function drawRound(position) {
  const phases = tables.phases.slice(0, -1).map((phase) =>
    make("li", phase === position.phaseName ? { "aria-current": "step" } : {}, phase),
  );
  const season = position.over ? "" : tables.seasons[position.season];
  return make(
    "div",
    { id: "round" },
    make("p", {}, make("b", { id: "standing" }, standingOf(position)), ` ${season}`),
    make("p", { className: "fires" }, ...FIRES.map((fire) => drawFire(position, fire))),
    make("ol", { className: "phases", "aria-label": "Phases of a round" }, ...phases),
  );
}

function drawFire(position, fire) {
  const burnt = position.isBurnt(fire);
  const season = tables.seasons[tables.cards[fire].season];
  const words = `Fire of value ${position.fireValue(fire)}, ${burnt ? "carried out" : `to come: ${season}`}`;
  const value = make("span", { className: "value", "aria-hidden": "true" }, String(position.fireValue(fire)));
  const drawing = icon(burnt ? icons.ash : icons.flame, burnt ? "flame burnt" : "flame", words);
  drawing.title = words;
  drawing.append(value);
  return drawing;
}

/** What is still to come, by season. */
function drawPile(position) {
  const seasons = tables.seasons.slice(0, -1).map((name, season) => {
    const cards = position.pileOf(season);
    const kinds = Map.groupBy ? Map.groupBy(cards, kindOf) : grouped(cards);
    const parts = [...kinds].map(([kind, all]) => {
      const words = `${counted(all.length, "card")}: ${tables.kindNames[kind]}`;
      const part = make("span", { className: "kinds", title: tables.kindNames[kind] }, icon(icons.kind[kind], "", words));
      if (all.length > 1) part.append(make("span", { "aria-hidden": "true" }, String(all.length)));
      return part;
    });
    const now = season === position.season && !position.over;
    const head = make("span", { className: "season" }, `${name} `, make("small", {}, cards.length ? `${cards.length} left` : "none left"));
    return make("li", { className: now ? "now" : "" }, head, ...parts);
  });
  return make("ul", { id: "pile", "aria-label": "Cards to come" }, ...seasons);
}

function grouped(cards) {
  const kinds = new Map();
  for (const card of cards) kinds.set(kindOf(card), [...(kinds.get(kindOf(card)) ?? []), card]);
  return kinds;
}

// Columns

function drawColumn(column, { position, names, legal, sales }) {
  const card = position.card[column];
  if (card === EMPTY) return drawSold(column, names, sales);
  const place = `place ${column}`;
  const action = legal.has(place) ? place : null;
  const offered = column === position.offer;
  return make(
    "div",
    { className: `column ${offered ? "offered" : ""} ${action ? "legal" : ""}`, "data-column": column, "data-action": action },
    drawQueue(column, position, names, legal),
    drawCard(column, position, offered && legal.has("buy") ? "buy" : null),
  );
}

/** A card that is gone: who bought it and for what. */
function drawSold(column, names, sales) {
  const sale = sales.get(column);
  const words = sale?.buyer === undefined ? "nobody bought it" : `${names[sale.buyer]} for ${counted(sale.price, "coin")}`;
  const element = make("div", { className: "column sold", "data-column": column });
  if (!sale) return element;
  const buyer = sale.buyer === undefined ? [] : [seatChip(sale.buyer), priceOf(sale.price)];
  const picture = pictureOf(sale.card);
  element.append(
    make(
      "span",
      { className: "sale", title: `${sale.words}: ${words}`, "aria-hidden": "true" },
      ...(picture ? [picture] : []),
      ...buyer,
      make("small", {}, sale.words),
    ),
    unseen(`${sale.words}: ${words}`),
  );
  return element;
}

const priceOf = (price, payable = true) => {
  const coin = icon(icons.coin, `coin ${payable ? "" : "short"}`);
  coin.append(make("span", { className: "value" }, String(price)));
  return coin;
};

/** The workers above a card, the lowest at the bottom, each with what it would pay. */
function drawQueue(column, position, names, legal) {
  const seats = position.queueOf(column);
  const floors = Math.min(tables.spaces, tables.workers * position.players);
  const spaces = Array.from({ length: floors }, (_, space) => {
    if (space >= seats.length) return make("li", { className: "space", "aria-hidden": "true" });
    const price = seats.length - space;
    const payable = position.coins[seats[space]] >= price;
    const lowest = space === 0 && column === position.offer && legal.has("pass");
    return make(
      "li",
      { className: `space taken ${lowest ? "legal" : ""}`, "data-action": lowest ? "pass" : null },
      seatChip(seats[space], `${names[seats[space]]} for ${counted(price, "coin")}`),
      priceOf(price, payable),
    );
  });
  return make("ol", { className: "queue", "aria-label": `Workers above column ${column + 1}, the lowest first` }, ...spaces);
}

function drawCard(column, position, action) {
  const card = position.card[column];
  const name = cardName(position, card);
  const body = make("span", { className: "body" }, ...bodyOf(column, position));
  const effect = make("small", { className: "effect" }, effectOf(position, column));
  const shown = ["ship", "fireman"].includes(kindOf(card)) ? [] : [effect];
  return make(
    "div",
    { className: `card kind-${kindOf(card)} ${action ? "legal" : ""}`, "data-action": action, title: cardInWords(position, column) },
    make("b", { className: "name" }, kindOf(card) === "fireman" ? "fireman" : name),
    body,
    ...shown,
    unseen(`: ${cardInWords(position, column)}`),
  );
}

/** The picture of a card, a fireman's with his value. */
function pictureOf(card) {
  const kind = kindOf(card);
  return kind === "fire" ? null : icon(icons.kind[kind], "kind");
}

function bodyOf(column, position) {
  const card = position.card[column];
  const kind = kindOf(card);
  if (kind === "ship") return [icon(icons.kind.ship, "kind"), row(position.cargo[column].map(cube))];
  if (kind === "contract") return [row(position.goodsOf(card).map(socket))];
  if (kind === "fireman") return [icon(icons.kind.fireman, "kind"), make("span", { className: "figure" }, String(position.firemanValue(card)))];
  return [icon(icons.kind[kind], "kind")];
}

const row = (parts) => make("span", { className: "row-of-cubes" }, ...parts);

// Seats

function drawSeat(seat, drawn) {
  const { position, names, notes, you } = drawn;
  const first = seat === position.first_player && !position.over;
  const deciding = seat === position.player;
  const head = make(
    "h2",
    {},
    seatChip(seat),
    make("span", { className: "name" }, names[seat]),
    ...(first ? [icon(icons.marker, "marker", "first player")] : []),
    make("small", {}, notes[seat]),
  );
  const holdings = [...drawContracts(seat, drawn), ...drawCards(seat, drawn)];
  return make(
    "article",
    { className: `seat seat${seat} ${deciding ? "deciding" : ""} ${seat === you ? "you" : ""}`, "data-seat": seat },
    head,
    drawFigures(seat, drawn),
    drawCubes(seat, drawn),
    // The list scrolls where it is long, and the keyboard has to reach it.
    make("ul", { className: "holdings", "aria-label": `Cards of ${names[seat]}`, tabIndex: holdings.length ? 0 : null }, ...holdings),
  );
}

function drawFigures(seat, { position, points }) {
  const total = points?.[seat].at(-1);
  const workers = Array.from({ length: tables.workers }, (_, place) =>
    icon(place < position.workers[seat] ? icons.token[seat] : icons.emptyToken[seat]),
  );
  const figure = (className, picture, value, words) =>
    make("li", { className, title: words }, picture, make("span", { "aria-hidden": "true" }, value), unseen(words));
  return make(
    "ul",
    { className: "figures" },
    make("li", { className: "workers", title: "workers in hand" }, ...workers, unseen(`${counted(position.workers[seat], "worker")} in hand`)),
    figure("coins", icon(icons.coin), String(position.coins[seat]), counted(position.coins[seat], "coin")),
    figure("firemen", icon(icons.kind.fireman), String(position.firemen[seat]), `firemen of ${position.firemen[seat]} in all`),
    figure("burnt", icon(icons.flame), signed(position.fire_points[seat]), `fires brought ${signed(position.fire_points[seat])} points`),
    ...(points ? [figure("points", "", minus(total), `${counted(total, "point")} as if the game ended now`)] : []),
  );
}

/** Cubes that a seat holds, with the room for them, and those on ships bought this round. */
function drawCubes(seat, { position, names, legal }) {
  const amounts = position.cubes[seat];
  const aboard = position.aboard[seat];
  const room = position.roomOf(seat);
  const free = Math.max(0, room - position.cubesIn(amounts));
  const list = make("ul", { className: "cubes", "aria-label": `Cubes of ${names[seat]}, room for ${room}` });
  const asked = seat === position.player && position.phaseName === "loading";
  const many = position.cubesIn(amounts) > MOST_CUBES;
  amounts.forEach((count, good) => {
    for (let which = 0; which < (many ? Math.min(count, 1) : count); which += 1) {
      const touched = asked ? { "data-good": good } : {};
      const item = make("li", { className: asked ? "legal" : "", ...touched }, cube(good));
      if (many) item.append(make("b", { "aria-hidden": "true" }, String(count)));
      list.append(item);
    }
  });
  for (let place = 0; place < free; place += 1) list.append(make("li", { className: "free", "aria-hidden": "true" }));
  list.append(make("li", { className: "unseen" }, cubesInWords(amounts) || "no cube"));
  if (position.cubesIn(aboard)) {
    const cubes = aboard.flatMap((count, good) => Array.from({ length: count }, () => cube(good)));
    list.append(make("li", { className: "aboard", title: "on ships bought this round" }, icon(icons.kind.ship), ...cubes, unseen(`on ships: ${cubesInWords(aboard)}`)));
  }
  return list;
}

function drawContracts(seat, { position, legal }) {
  return position.contractsOf(seat).map((contract) => {
    const complete = position.isComplete(contract);
    const offered = new Set();
    const sockets = position.socketsOf(contract).map(({ good, filled }) => {
      if (filled) return cube(good);
      const action = `deliver ${tables.goods[good]} contract_${contract + 1}`;
      const element = socket(good);
      if (legal.has(action) && !offered.has(action)) {
        offered.add(action);
        element.dataset.action = action;
        element.classList.add("legal");
      }
      return element;
    });
    const value = position.valueOf(contract);
    const needs = cubesInWords(position.missing[contract]);
    const words = `contract ${contract + 1}, ${value} points: ${needs ? `needs ${needs}` : "complete"}`;
    const tick = complete ? [icon(icons.tick, "tick")] : [];
    return make("li", { className: `contract ${complete ? "complete" : ""}`, title: words }, make("small", { "aria-hidden": "true" }, String(contract + 1)), ...sockets, make("b", { "aria-hidden": "true" }, String(value)), ...tick, unseen(words));
  });
}

/** Cards by kind; merchants sell when they are touched. */
function drawCards(seat, { position, legal }) {
  return [...grouped(position.cardsOf(seat))].map(([kind, cards]) => {
    const name = tables.kindNames[kind];
    const values = kind === "fireman" ? cards.map((card) => position.firemanValue(card)) : [];
    const count = cards.length > 1 && !values.length ? `${cards.length}` : values.join(" ");
    const good = tables.merchants[kind];
    const action = good && legal.has(`sell ${good}`) && seat === position.player ? `sell ${good}` : null;
    const words = values.length ? `firemen of value ${listed(values.map(String))}` : `${cards.length} ${name}`;
    return make(
      "li",
      { className: `chip-of-card ${action ? "legal" : ""}`, "data-action": action, title: tables.effects[kind] ? `${name}: ${tables.effects[kind]}` : name },
      icon(icons.kind[kind]),
      make("span", { className: "label", "aria-hidden": "true" }, name),
      ...(count ? [make("b", { "aria-hidden": "true" }, count)] : []),
      unseen(words),
    );
  });
}

// Stock and bag

function drawStore(name, amounts) {
  const goods = amounts.map((count, good) => make("li", { title: tables.goods[good], "aria-hidden": "true" }, cube(good), make("span", { "aria-hidden": "true" }, String(count))));
  const words = cubesInWords(amounts) || "no cube";
  return make("section", { className: "store", "data-part": name.toLowerCase(), "aria-label": name }, make("h2", {}, name), make("ul", {}, ...goods, make("li", { className: "unseen" }, words)));
}
