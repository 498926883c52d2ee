"""The round before the last, solved by expectation over what its next supply can bring.

All cards that are still to come are known there, and in the printed game all cubes of the bag will be on their ships:
only the order is drawn. So every end of the round is worth the mean of the last rounds that can follow, each of which
`search` solves. Sums are whole numbers over one common denominator, so nothing is rounded, and equal is equal.

What a position is worth is a row with eleven numbers for each seat, see `Row`. Seats compare means in the order in
which they compare results: share of the win, lead in points, lead in coins.
"""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from math import lcm

import numpy as np

from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.solve._jit import jit
from speicher_env.solve.graph import Round
from speicher_env.solve.payoffs import AIM_STEP, aim_of
from speicher_env.solve.pools import POINT

__all__ = ["SHARE", "Row", "best_of", "choose_mean", "common_denominator", "induce", "row_of"]

SHARE = 60
"""What a whole win counts, so that a half, a third, a quarter and a fifth are whole numbers."""
PARTS = 3
"""Numbers of an aim: the share of the win, the lead in points, the lead in coins."""


class Row(IntEnum):
    """Where the blocks of a row begin, in numbers of each seat."""

    AIM = 0
    """The aim with which the seat ends by the rule for ties, see `payoffs`."""
    LEAST = 3
    """The lowest aim, however seats choose that are indifferent."""
    MOST = 6
    """The highest one."""
    POINTS = 9
    COINS = 10
    NUMBERS = 11


AIM, LEAST, MOST, POINTS, COINS = (int(block) for block in list(Row)[:5])
"""`Row` for compiled code."""


def row_of(worth: list[int], players: int) -> np.ndarray:
    """The row of a solved position of the last round: (11, players), see `Row`.

    Args:
        worth: What it is worth there, see `memory`: ranking keys, lowest aims, highest aims.
        players: Number of players.
    """
    row = np.zeros((Row.NUMBERS, players), dtype=np.int64)
    result, least, most = (worth[players * block : players * (block + 1)] for block in range(3))
    for seat in range(players):
        aim = int(aim_of(np.array(result), players, seat))
        row[Row.AIM : Row.LEAST, seat] = _parts(aim)
        row[Row.LEAST : Row.MOST, seat] = _parts(least[seat])
        row[Row.MOST : Row.POINTS, seat] = _parts(most[seat])
        row[Row.POINTS, seat], row[Row.COINS, seat] = divmod(result[seat], POINT)
    return row


def _parts(aim: int) -> tuple[int, int, int]:
    """Share, lead in points and lead in coins of an aim, see `payoffs.aim_of`."""
    if 0 < aim < AIM_STEP:
        return SHARE // (MAX_PLAYERS + 1 - aim), 0, 0
    lead = aim // AIM_STEP
    points = (lead + POINT // 2) // POINT
    return SHARE * (aim > 0), points, lead - POINT * points


def common_denominator(chances: list[dict[bytes, Fraction]]) -> int:
    """The least number of which all probabilities are whole parts."""
    return lcm(*(chance.denominator for following in chances for chance in following.values()))


def induce(found: Round, ends: np.ndarray, players: int) -> np.ndarray:
    """What every position of a round is worth: (positions, 11, players).

    Args:
        found: The round.
        ends: (ends, 11, players) int64: what the ends are worth.
        players: Number of players.
    """
    rows = np.empty((len(found.states), Row.NUMBERS, players), dtype=np.int64)
    _induce(found.first, found.after, np.ascontiguousarray(found.states["player"]), ends, rows)
    return rows


@jit
def best_of(rows: np.ndarray, seat: int) -> int:
    """The row that a seat prefers by the rule for ties, the first one of several.

    Args:
        rows: (rows, 11, players): what the actions are worth.
        seat: The seat.
    """
    best = 0
    for other in range(1, rows.shape[0]):
        if _prefers(rows[other], rows[best], seat):
            best = other
    return best


@jit
def _induce(first: np.ndarray, after: np.ndarray, movers: np.ndarray, ends: np.ndarray, rows: np.ndarray) -> None:
    """Write what each position is worth, from what follows it; see `Round` for the first two arguments."""
    numbers, players = rows.shape[1], rows.shape[2]
    branches = np.empty((0, numbers, players), dtype=np.int64)
    for position in range(len(movers)):
        actions = first[position + 1] - first[position]
        if len(branches) < actions:
            branches = np.empty((actions, numbers, players), dtype=np.int64)
        for action in range(actions):
            target = after[first[position] + action]
            branches[action] = rows[target] if target >= 0 else ends[-1 - target]
        choose_mean(branches[:actions], movers[position], rows[position])


@jit
def choose_mean(branches: np.ndarray, seat: int, row: np.ndarray) -> None:
    """Write what a position is worth in which a seat chooses among branches; as `payoffs.choose` for whole results."""
    row[:] = branches[best_of(branches, seat)]
    sure = 0
    for branch in range(1, branches.shape[0]):
        if _compare(branches[branch], LEAST, branches[sure], LEAST, seat) > 0:
            sure = branch
    for branch in range(branches.shape[0]):
        # The seat can be sure of an aim, so it takes no branch that cannot reach it.
        if _compare(branches[branch], MOST, branches[sure], LEAST, seat) >= 0:
            for other in range(branches.shape[2]):
                if _compare(branches[branch], LEAST, row, LEAST, other) < 0:
                    row[LEAST:MOST, other] = branches[branch, LEAST:MOST, other]
                if _compare(branches[branch], MOST, row, MOST, other) > 0:
                    row[MOST:POINTS, other] = branches[branch, MOST:POINTS, other]
    if _compare(row, LEAST, branches[sure], LEAST, seat) < 0:
        row[LEAST:MOST, seat] = branches[sure, LEAST:MOST, seat]


@jit
def _prefers(one: np.ndarray, other: np.ndarray, seat: int) -> bool:
    """Whether a seat would rather have one row than another: see `payoffs.prefers`."""
    players = one.shape[1]
    for step in range(players):
        difference = _compare(one, AIM, other, AIM, (seat + step) % players)
        if difference != 0:
            return difference > 0
    for step in range(players):
        at = (seat + step) % players
        for number in (POINTS, COINS):
            if one[number, at] != other[number, at]:
                return one[number, at] > other[number, at]
    return False


@jit
def _compare(one: np.ndarray, block: int, other: np.ndarray, other_block: int, seat: int) -> int:
    """1 if an aim of a seat in one row is higher than one in another, -1 if it is lower, 0 if they are equal."""
    for part in range(PARTS):
        mine, its = one[block + part, seat], other[other_block + part, seat]
        if mine != its:
            return 1 if mine > its else -1
    return 0
