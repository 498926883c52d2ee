"""Tastes of the simple players for loading: fixed numbers, where `merchant` works out its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import needed_by
from speicher_agents.scripted.loading import CHANCE, COIN, KEEP, SHELF, WANTED
from speicher_env.rules.cards import N_GOODS


class Habit(NamedTuple):
    """How a player loads that does not look ahead."""

    chance: float
    """That a cube which a contract lacks still comes, 0..1: the higher, the more a contract begun is worth."""
    coin: float
    """Worth of a coin in points."""
    keep: float
    """Worth of a kept cube in points; in the warehouse, one more."""


def habit_table(habits: dict[int, Habit]) -> np.ndarray:
    """Habits by the player's code, (codes, 3), as compiled code reads them."""
    rows = np.zeros((max(habits) + 1, len(Habit._fields)))
    for code, habit in habits.items():
        rows[code] = habit
    rows.flags.writeable = False
    return rows


@jit
def habitual_taste(game: np.void, habit: np.ndarray, taste: np.ndarray) -> None:
    """Write the taste of the deciding seat with a habit, a row of the table."""
    seat = np.int64(game["player"])
    for good in range(N_GOODS):
        taste[CHANCE + good] = habit[0]
        taste[WANTED + good] = needed_by(game, seat, good)
    taste[COIN] = habit[1]
    taste[KEEP] = habit[2]
    taste[SHELF] = 1.0
