"""`frugal`: never pays more than one coin while anything could still be cheaper; spends in the last rounds.

Coins that others spend on outbidding each other buy whole cards later: it stands where the queue is shortest, takes
whatever is worth something for one coin, and shares out what it has saved over the last rounds.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import worth_of
from speicher_agents.scripted.remaining import rounds_to_come

__all__ = ["frugal_wish"]

SPENDING_ROUNDS = 4
"""Rounds at the end in which it pays more than one coin."""


@jit
def most_to_pay(game: np.void, seat: int) -> float:
    """One coin; in the last rounds an equal share of what it has."""
    rounds = rounds_to_come(game) + 1
    if rounds > SPENDING_ROUNDS:
        return 1.0
    return max(1.0, game["coins"][seat] / rounds)


@jit
def frugal_wish(game: np.void, seat: int, column: int) -> float:
    """What a card is worth, up to the most it pays."""
    return min(worth_of(game, seat, column), most_to_pay(game, seat))
