"""What seats want at the end of a game, as whole numbers to compare.

A *result* is the ranking key of every seat at the end, points and then coins (`rules.scoring.ranking_key`). Each seat
wants a larger share of the win; at equal shares a larger lead over the best other seat, in points and then in coins.
`aim_of` puts both into one number. A seat that is indifferent is assumed to favour the seat on its left, then the
next one, and so on around the table, and at last more points and coins for itself and for these seats in turn.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.solve._jit import jit

__all__ = ["AIM_STEP", "aim_of", "choose", "prefers", "write_aims"]

AIM_STEP = 8
"""The step of aims for one coin of a lead. Shared wins lie between, more of them the lower."""


@jit
def aim_of(result: np.ndarray, players: int, seat: int) -> int:
    """How much a seat likes a result: above 0 if it wins, below if it does not."""
    mine = result[seat]
    best = -(1 << 30)
    tied = 1
    for other in range(players):
        if other != seat:
            best = max(best, result[other])
            tied += result[other] == mine
    if best == mine:
        return MAX_PLAYERS + 1 - tied
    return AIM_STEP * (mine - best)


@jit
def prefers(one: np.ndarray, other: np.ndarray, players: int, seat: int) -> bool:
    """Whether a seat would rather have one result than another; only equal ones are alike to it."""
    for step in range(players):
        at = (seat + step) % players
        difference = aim_of(one, players, at) - aim_of(other, players, at)
        if difference != 0:
            return difference > 0
    for step in range(players):
        at = (seat + step) % players
        if one[at] != other[at]:
            return one[at] > other[at]
    return False


@jit
def write_aims(worth: np.ndarray, players: int) -> None:
    """Fill in the aims, lowest and highest, of a result that leaves nobody a choice."""
    for seat in range(players):
        aim = aim_of(worth, players, seat)
        worth[players + seat] = aim
        worth[2 * players + seat] = aim


@jit
def choose(branches: np.ndarray, count: int, players: int, seat: int, worth: np.ndarray) -> None:
    """Write what a position is worth in which a seat chooses among some branches, from what these are worth."""
    best = 0
    sure = branches[0, players + seat]
    for branch in range(1, count):
        if prefers(branches[branch], branches[best], players, seat):
            best = branch
        sure = max(sure, branches[branch, players + seat])
    for number in range(3 * players):
        worth[number] = branches[best, number]
    for branch in range(count):
        # The seat can be sure of this aim, so it takes no branch that cannot reach it.
        if branches[branch, 2 * players + seat] >= sure:
            for low in range(players, 2 * players):
                high = low + players
                worth[low] = min(worth[low], branches[branch, low])
                worth[high] = max(worth[high], branches[branch, high])
    worth[players + seat] = max(worth[players + seat], sure)
