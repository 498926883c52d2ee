"""`spoiler`: drives up the prices of what others want.

It stands behind others, above the card that whoever is asked first wants most: every worker there makes that player
pay one coin more. What the others then cannot or will not pay, it buys cheaply.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import worth_of
from speicher_env.rules.actions import PLACE
from speicher_env.rules.legal import is_legal
from speicher_env.rules.state import EMPTY

__all__ = ["place_to_spoil", "spoiler_wish"]

PAYS = 0.8
"""Share of a card's worth that it pays itself."""


@jit
def spoiler_wish(game: np.void, seat: int, column: int) -> float:
    """Anything, somewhat below its worth."""
    return PAYS * worth_of(game, seat, column)


@jit
def spoil(game: np.void, seat: int, column: int) -> float:
    """What a worker here is good for, in coins.

    Somebody else who is asked first and can and will pay the higher price: all that the card is worth to them, the
    dearest first. Otherwise the card itself, as far as it is worth more than its price.
    """
    price = int(game["standing"][column]) + 1
    first = int(game["queue"][column, 0])
    own = spoiler_wish(game, seat, column) - price
    somebody_else = first != EMPTY and first != seat
    if not somebody_else:
        return own
    theirs = worth_of(game, first, column)
    if price <= game["coins"][first] and price <= theirs:
        return theirs
    return own + 1.0  # whoever is asked first will rather pass: the price falls by one


@jit
def place_to_spoil(game: np.void) -> int:
    """Place where the worker is good for most."""
    seat = int(game["player"])
    best = -1
    most = 0.0
    for column in range(int(game["players"]) + 1):
        if is_legal(game, PLACE + column):
            gain = spoil(game, seat, column)
            if best < 0 or gain > most:
                best, most = column, gain
    return PLACE + best
