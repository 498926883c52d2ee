"""Setup: the sampled deck, the cards taken out, the pile, the bag and the first player."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import (
    CHURCH_CARD,
    CUBES_PER_GOOD,
    FIREMAN_1,
    MAX_CONTRACT_SIZE,
    N_CARDS,
    N_CONTRACTS,
    N_CUBES,
    N_FIREMEN,
    N_FIRES,
    N_GOODS,
    PORT_CARD,
    SEASON_OF,
    SEASON_ORDER,
)
from speicher_env.rules.state import (
    EMPTY,
    IN_PILE,
    REMOVED,
    SAMPLED_DECK,
    START_COINS,
    WORKERS,
    blank_states,
)
from speicher_env.rules.stream import DEAL_STREAM, DECK_STREAM, Stream, below, shuffle, start_stream

AUTUMN = 3
LEAVING_FIREMAN = 3
"""Value of the autumn fireman that is taken out with 2, 3 and 5 players."""
MAX_FIRE_VALUE = 6
MAX_FIREMAN_VALUE = 5
FIRST_AUTUMN_FIREMAN = int(next(k for k in range(N_FIREMEN) if SEASON_OF[FIREMAN_1 + k] == AUTUMN))


def template(players: int, deck: int, values: np.ndarray) -> np.ndarray:
    """One state before the deal, for `deal` to copy: the player count and a deck's values (a DECK_VALUES record)."""
    states = blank_states(1)
    states["players"] = players
    states["deck"] = deck
    for field in ("fire_value", "fireman_value", "contract_goods"):
        states[field] = values[field]
    return states


@jit
def sample_deck(game: np.void) -> None:
    """Draw a deck from the seed, within what the sources fix: sizes and seasons stay, values are uniform.

    Fire values 1..6 in rising order, fireman values 1..5 with 3 on the first autumn one, goods of contracts any.
    """
    stream = start_stream(game["seed"], DECK_STREAM)
    fires = game["fire_value"]
    for fire in range(N_FIRES):
        value, stream = below(stream, MAX_FIRE_VALUE)
        place = fire
        while place > 0 and fires[place - 1] > value + 1:
            fires[place] = fires[place - 1]
            place -= 1
        fires[place] = value + 1
    for fireman in range(N_FIREMEN):
        value, stream = below(stream, MAX_FIREMAN_VALUE)
        game["fireman_value"][fireman] = LEAVING_FIREMAN if fireman == FIRST_AUTUMN_FIREMAN else value + 1
    for contract in range(N_CONTRACTS):
        goods = game["contract_goods"][contract]
        for place in range(MAX_CONTRACT_SIZE):
            if goods[place] != EMPTY:
                good, stream = below(stream, N_GOODS)
                goods[place] = good


@jit
def take_out_cards(game: np.void) -> None:
    """2 players: port and the autumn fireman of value 3; 3 and 5: boatsmen's church and that fireman; 4: nothing."""
    players = game["players"]
    if players == 4:
        return
    game["owner"][PORT_CARD if players == 2 else CHURCH_CARD] = REMOVED
    for fireman in range(N_FIREMEN):
        card = FIREMAN_1 + fireman
        if SEASON_OF[card] == AUTUMN and game["fireman_value"][fireman] == LEAVING_FIREMAN:
            game["owner"][card] = REMOVED
            return


@jit
def shuffle_pile(game: np.void, stream: Stream) -> Stream:
    """Shuffle each season; winter on top, the 4th fire at the bottom."""
    pile = game["pile"]
    size = 0
    season_start = 0
    season = SEASON_OF[SEASON_ORDER[0]]
    for place in range(N_CARDS):
        card = SEASON_ORDER[place]
        if SEASON_OF[card] != season:
            stream = shuffle(pile, season_start, size, stream)
            season_start = size
            season = SEASON_OF[card]
        if game["owner"][card] == IN_PILE:
            pile[size] = card
            size += 1
    game["pile_size"] = size
    return shuffle(pile, season_start, size, stream)


@jit
def need_contract_goods(game: np.void) -> None:
    """Every contract starts with all its goods missing."""
    for contract in range(N_CONTRACTS):
        for place in range(MAX_CONTRACT_SIZE):
            good = game["contract_goods"][contract, place]
            if good != EMPTY:
                game["missing"][contract, good] += 1


@jit
def set_up(game: np.void, seed: int, first_player: int) -> None:
    """Make a copied template a game about to begin: everything that chance decides is drawn here.

    `first_player` EMPTY leaves it to the lot; naming one changes nothing else of the deal.
    """
    game["seed"] = seed
    if game["deck"] == SAMPLED_DECK:
        sample_deck(game)
    take_out_cards(game)
    need_contract_goods(game)
    stream = start_stream(seed, DEAL_STREAM)
    lot, stream = below(stream, game["players"])
    game["first_player"] = lot if first_player == EMPTY else first_player
    stream = shuffle_pile(game, stream)
    for cube in range(N_CUBES):
        game["bag"][cube] = cube // CUBES_PER_GOOD
    shuffle(game["bag"], 0, N_CUBES, stream)
    for seat in range(game["players"]):
        game["coins"][seat] = START_COINS
        game["workers"][seat] = WORKERS
