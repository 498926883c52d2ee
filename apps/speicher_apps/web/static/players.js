// The players offered for a number of players: levels of play, and all others by their specs.
import { make } from "./dom.js";
import { HUMAN } from "./words.js";

const PLAYERS = "{players}"; // in an offer, to be filled in
export const OTHER = "other";

let levels = [];
let players = [];
let favourites = {};

export function setPlayers(lobby) {
  levels = lobby.levels;
  players = lobby.players;
  favourites = lobby.first.favourites;
}

const filled = (offer, count) => offer.replaceAll(PLAYERS, count);
const at = (offers, count) =>
  offers.filter((one) => one.players.includes(count)).map((one) => ({ ...one, offer: one.spec, spec: filled(one.spec, count) }));

/** The levels that play with that many: name, idea, the offer as it is, and its spec. */
export const levelsAt = (count) => at(levels, count);
/** Players by their specs. */
export const offersAt = (count) => at(players, count);
/** The default hint giver. */
export const favourite = (count) => filled(favourites[count], count);

/** Options of a choice of players: a person if wanted, the levels with or without what they are, and the others by their specs. */
export function optionsAt(count, { person = false, ideas = true, other = false } = {}) {
  const known = levelsAt(count);
  const named = offersAt(count).filter(({ spec }) => !known.some((level) => level.spec === spec));
  const option = ({ spec, offer }, words) => make("option", { value: spec, "data-offer": offer }, words);
  return [
    ...(person ? [make("option", { value: HUMAN }, "a person")] : []),
    ...known.map((level) => option(level, ideas ? `${level.name}: ${level.idea}` : level.name)),
    make("optgroup", { label: "Players by their specs" }, ...named.map((one) => option(one, one.spec))),
    ...(other ? [make("option", { value: OTHER }, "another, by its spec")] : []),
  ];
}
