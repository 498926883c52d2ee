// What the next supply can bring, from what every seat can see; as `speicher_env.chance` has it.
import { fieldsOf } from "./record.js";

const IN_PILE = -1;

/** The supplies that can come next, each as {cards, cubes, chance}, in numbers; the cubes of a ship in order of the goods. */
export function* outcomes(game) {
  const { tables } = game.speicher;
  const { owner, bag, bag_next: next } = fieldsOf(game.bytes, tables.state);
  const seasons = tables.seasons.map((_, season) =>
    tables.cards.flatMap((card, number) => (card.season === season && owner[number] === IN_PILE ? [number] : [])),
  );
  const left = tables.goods.map((_, good) => bag.slice(next).filter((one) => one === good).length);
  yield* drawn(seasons.filter((cards) => cards.length), game.players + 1, left, tables, [], 1);
}

function* drawn([season, ...later], columns, left, tables, cards, chance) {
  if (columns === 0 || season === undefined) {
    const ships = cards.filter((card) => tables.cards[card].kind === "ship").length;
    for (const load of loads(left, ships, tables.chance.cubesPerShip)) yield { cards, cubes: load.cubes, chance: chance * load.chance };
    return;
  }
  for (const card of season) {
    const rest = season.filter((one) => one !== card);
    const taken = tables.cards[card].kind === "fire" ? 0 : 1;
    yield* drawn(rest.length ? [rest, ...later] : later, columns - taken, left, tables, [...cards, card], chance / season.length);
  }
}

/** Every way to load that many ships. */
function* loads(left, ships, size) {
  if (ships === 0) {
    yield { cubes: [], chance: 1 };
    return;
  }
  const all = left.reduce((sum, count) => sum + count, 0);
  for (const load of combinations(left, size)) {
    const ways = load.reduce((product, count, good) => product * choose(left[good], count), 1);
    const names = load.flatMap((count, good) => Array.from({ length: count }, () => good));
    const rest = left.map((count, good) => count - load[good]);
    for (const others of loads(rest, ships - 1, size)) {
      yield { cubes: [...names, ...others.cubes], chance: (ways / choose(all, size)) * others.chance };
    }
  }
}

/** Every way to take that many cubes, as counts of each good: those with most of the first good first. */
function* combinations([first, ...others], size) {
  if (others.length === 0) {
    if (size <= first) yield [size];
    return;
  }
  for (let count = Math.min(first, size); count >= 0; count -= 1) {
    for (const rest of combinations(others, size - count)) yield [count, ...rest];
  }
}

function choose(all, taken) {
  let ways = 1;
  for (let number = 0; number < taken; number += 1) ways = (ways * (all - number)) / (number + 1);
  return ways;
}

/** The first few of what a generator gives. */
export function firstOf(generator, count) {
  const first = [];
  for (const one of generator) {
    first.push(one);
    if (first.length === count) break;
  }
  return first;
}
