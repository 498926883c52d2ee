"""Demand: one worker at a time above the cards, three times around."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.actions import PLACE
from speicher_env.rules.legal import ZERO
from speicher_env.rules.state import DEMAND, SPACES

__all__ = ["begin_demand", "demand_decision", "place_worker"]

_PLACE_BITS = np.array([1 << (PLACE + column) for column in range(SPACES)], dtype=np.uint64)


@jit
def begin_demand(game: np.void) -> None:
    """The first player places the first worker."""
    game["phase"] = DEMAND
    game["player"] = game["first_player"]


@jit
def demand_decision(game: np.void) -> bool:
    """Set the legal columns of the player to move; False once all workers are placed."""
    if game["workers"][game["player"]] == 0:  # turns go round strictly, so nobody has one left
        return False
    columns = ZERO
    for column in range(game["players"] + 1):
        if game["standing"][column] < SPACES:
            columns |= _PLACE_BITS[column]
    game["legal"][0] = columns
    return True


@jit
def place_worker(game: np.void, column: int) -> None:
    """The worker goes on the lowest free space; the turn passes clockwise."""
    seat = game["player"]
    game["queue"][column, game["standing"][column]] = seat
    game["standing"][column] += 1
    game["workers"][seat] -= 1
    game["player"] = seat + 1 if seat + 1 < game["players"] else 0
