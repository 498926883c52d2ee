// The players offered for a number of players: some networks play only with one number.

const PLAYERS = "{players}"; // in an offer, to be filled in

let players = [];
let favourites = {};

export function setLobby(lobby) {
  players = lobby.players;
  favourites = lobby.first.favourites;
}

const filled = (offer, count) => offer.replaceAll(PLAYERS, count);

/** The offers for a number of players: the offer as it is, its spec, and the idea. */
export const offersAt = (count) =>
  players
    .filter((one) => one.players.includes(count))
    .map(({ spec, idea }) => ({ offer: spec, spec: filled(spec, count), idea }));

/** The default opponent and hint giver. */
export const favourite = (count) => filled(favourites[count], count);
