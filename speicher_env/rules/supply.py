"""Supply: new trade cards, fires on the way, cubes on the ships."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import CUBES_PER_SHIP, FIRE, FIRE_1, KIND_OF, SHIP
from speicher_env.rules.fire import carry_out_fire
from speicher_env.rules.state import DISCARDED, ON_TABLE

__all__ = ["supply", "supply_start"]


@jit
def supply(game: np.void) -> bool:
    """Lay out one card more than there are players; False if the pile has none left.

    A fire is carried out when it is revealed and replaced. The trade cards divide into full rounds for every player
    count, so a supply finds all it needs or none at all: then only fires were left (the 4th, or the 3rd and the
    4th), they are carried out here, and the game is over.
    """
    column = 0
    while column <= game["players"] and game["pile_next"] < game["pile_size"]:
        card = game["pile"][game["pile_next"]]
        game["pile_next"] += 1
        if KIND_OF[card] == FIRE:
            carry_out_fire(game, game["fire_value"][card - FIRE_1])
            game["owner"][card] = DISCARDED
        else:
            game["card"][column] = card
            game["owner"][card] = ON_TABLE
            column += 1
    if column == 0:
        return False
    game["round"] += 1
    load_ships(game)
    return True


@jit
def supply_start(game: np.void) -> int:
    """The place in the pile of the first card that this round's supply revealed, fires included."""
    trade_cards = game["players"] + 1
    start = game["pile_next"]
    while start > 0:
        if KIND_OF[game["pile"][start - 1]] != FIRE:
            if trade_cards == 0:
                break
            trade_cards -= 1
        start -= 1
    return start


@jit
def load_ships(game: np.void) -> None:
    """Each ship, left to right, gets 3 cubes from the bag."""
    for column in range(game["players"] + 1):
        if KIND_OF[game["card"][column]] == SHIP:
            for place in range(CUBES_PER_SHIP):
                game["cargo"][column, place] = game["bag"][game["bag_next"]]
                game["bag_next"] += 1
