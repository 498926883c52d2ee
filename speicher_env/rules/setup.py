"""Setup: the sampled deck, the cards taken out, the pile, the bag and the first player."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import (
    AUTUMN,
    CHURCH_CARD,
    CUBES_PER_GOOD,
    FIRE_RANGE,
    FIREMAN_1,
    FIREMAN_RANGE,
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
    MAX_PLAYERS,
    REMOVED,
    SAMPLED_DECK,
    START_COINS,
    WORKERS,
    blank_states,
)
from speicher_env.rules.stream import DEAL_STREAM, DECK_STREAM, Seed, Stream, below, shuffle, start_stream

__all__ = [
    "AUTUMN_FIREMEN", "LEAVING_BUILDING", "LEAVING_FIREMAN", "leaving_firemen", "may_be_taken_out", "set_up",
    "template",
]  # fmt: skip

LEAVING_BUILDING = np.full(MAX_PLAYERS + 1, EMPTY, dtype=np.int8)
"""The building that is taken out, by number of players: the port with 2, the church with 3 and 5; EMPTY for none.

Wherever a building is taken out, so is one autumn fireman of value `LEAVING_FIREMAN`.
"""
LEAVING_BUILDING[[2, 3, 5]] = PORT_CARD, CHURCH_CARD, CHURCH_CARD
LEAVING_FIREMAN = 3
"""The value of the autumn fireman that is taken out, so every deck has one."""
AUTUMN_FIREMEN = tuple(card for card in range(FIREMAN_1, FIREMAN_1 + N_FIREMEN) if SEASON_OF[card] == AUTUMN)
"""Their card numbers."""
_LOWEST_FIRE, _FIRES = FIRE_RANGE[0], FIRE_RANGE[1] - FIRE_RANGE[0] + 1
_LOWEST_FIREMAN, _FIREMEN = FIREMAN_RANGE[0], FIREMAN_RANGE[1] - FIREMAN_RANGE[0] + 1


def may_be_taken_out(cards: Collection[int], players: int, fireman_values: Sequence[int] | np.ndarray) -> bool:
    """Whether these cards are what setup takes out: a building and an autumn fireman of value 3, or nothing.

    Args:
        cards: Card numbers.
        players: 2..5.
        fireman_values: Those of the deck, fireman_1 first.
    """
    building = int(LEAVING_BUILDING[players])
    if building == EMPTY:
        return not cards
    firemen = [card for card in cards if card != building]
    return building in cards and len(firemen) == 1 and firemen[0] in leaving_firemen(fireman_values)


def leaving_firemen(fireman_values: Sequence[int] | np.ndarray) -> list[int]:
    """The autumn firemen (card numbers) of value 3: setup takes out one of them."""
    return [card for card in AUTUMN_FIREMEN if fireman_values[card - FIREMAN_1] == LEAVING_FIREMAN]


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

    Fire values never fall, and the first autumn fireman has the value 3.
    """
    stream = start_stream(game["seed"], DECK_STREAM)
    fires = game["fire_value"]
    for fire in range(N_FIRES):
        drawn, stream = below(stream, _FIRES)
        value = _LOWEST_FIRE + drawn
        place = fire
        while place > 0 and fires[place - 1] > value:
            fires[place] = fires[place - 1]
            place -= 1
        fires[place] = value
    for fireman in range(N_FIREMEN):
        drawn, stream = below(stream, _FIREMEN)
        value = _LOWEST_FIREMAN + drawn
        game["fireman_value"][fireman] = LEAVING_FIREMAN if FIREMAN_1 + fireman == AUTUMN_FIREMEN[0] else value
    for contract in range(N_CONTRACTS):
        goods = game["contract_goods"][contract]
        for place in range(MAX_CONTRACT_SIZE):
            if goods[place] != EMPTY:
                good, stream = below(stream, N_GOODS)
                goods[place] = good


@jit
def take_out_cards(game: np.void) -> None:
    """Take out the building that leaves with this number of players, and the first fireman that may leave with it."""
    building = LEAVING_BUILDING[game["players"]]
    if building == EMPTY:
        return
    game["owner"][building] = REMOVED
    for card in AUTUMN_FIREMEN:
        if game["fireman_value"][card - FIREMAN_1] == LEAVING_FIREMAN:
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
def set_up(game: np.void, seed: Seed, first_player: int) -> None:
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
