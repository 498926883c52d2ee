// What happened: every move with what followed it, and the moves since one's last as a short replay.
import { byId, make, seatChip } from "./dom.js";
import { positionOf } from "./position.js";
import { actionOf } from "./tables.js";
import { cardInWords, deedOf, HUMAN, newsOf } from "./words.js";

/** A move of a view in words: who, what, and what happened by itself after it. */
export function toldOf(view, place, names) {
  const { seat, action, state } = view.log[place];
  const before = positionOf(state);
  const after = positionOf(view.log[place + 1]?.state ?? view.state);
  const move = actionOf.get(action);
  return { seat, words: deedOf(before, move, names[seat]), news: newsOf(before, move, after, names) };
}

/** The moves, the last first; those already listed stay. */
export function showLog(view, before, names) {
  const list = byId("log");
  const same = before?.id === view.id && before.log.every((move, place) => move.state === view.log[place]?.state && move.action === view.log[place].action);
  if (!same) list.replaceChildren();
  for (let place = list.children.length; place < view.log.length; place += 1) list.prepend(itemOf(toldOf(view, place, names), names));
  const since = view.log.length - sinceLast(view);
  [...list.children].forEach((item, place) => item.classList.toggle("fresh", place < since));
}

function itemOf({ seat, words, news }, names) {
  const item = make("li", {}, seatChip(seat), ` ${words}`);
  item.firstChild.title = names[seat];
  if (news.length) item.append(make("ul", {}, ...news.map((one) => make("li", {}, one))));
  return item;
}

/** The place of the first move after a person's last one. */
export const sinceLast = (view) => view.log.findLastIndex(({ seat }) => view.seats[seat] === HUMAN) + 1;

/** Who bought the cards that are gone this round and for what, by column. */
export function salesOf(view) {
  const sales = new Map();
  const now = positionOf(view.state);
  view.log.forEach(({ seat, action, state }, place) => {
    const before = positionOf(state);
    if (before.round !== now.round) return;
    const after = positionOf(view.log[place + 1]?.state ?? view.state);
    before.card.forEach((card, column) => {
      if (card < 0 || after.round !== now.round || after.card[column] === card) return;
      const sale = { card, words: cardInWords(before, column) };
      if (action === "buy" && column === before.offer) Object.assign(sale, { buyer: seat, price: before.standing[column] });
      sales.set(column, sale);
    });
  });
  return sales;
}
