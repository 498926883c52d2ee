// Which players are offered at a table of how many: some networks play only with one number of players.

const PLAYERS = "{players}"; // in an offer, to be filled in

let players = [];
let favourites = {};

export function setLobby(lobby) {
  players = lobby.players;
  favourites = lobby.first.favourites;
}

const filled = (offer, count) => offer.replaceAll(PLAYERS, count);

/** The players at a table of so many: the offer as it is, its spec there, and the idea. */
export const offersAt = (count) =>
  players
    .filter((one) => one.players.includes(count))
    .map(({ spec, idea }) => ({ offer: spec, spec: filled(spec, count), idea }));

/** Who sits opposite a person and gives hints, unless told otherwise. */
export const favourite = (count) => filled(favourites[count], count);
