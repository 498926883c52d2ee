"""The ranges of what places and counts a state names, so that compiled code can look at states from outside.

This is less than `speicher_env.rules.status`, which says whether a state can be played on: here no value reaches past
an array while a state is observed, and no more.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from speicher_env.errors import StateError
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, N_STATE_BYTES, STATE
from speicher_env.rules.status import range_faults, range_of

__all__ = ["check_ranges"]

_NAMES = STATE.names or ()
_OFFSETS = {name: int(STATE.fields[name][1]) for name in _NAMES} if STATE.fields is not None else {}
_FIRST = _OFFSETS["version"]
"""Where the fields of one byte begin; the seed, the legal actions and the coins come before."""
_PLAIN_NUMBERS = ("deck", "round", "fire_value", "fireman_value", "unused")
"""Fields of one byte that are only reckoned with, so that any value is harmless."""

_CHECKED = tuple(name for name in _NAMES if _OFFSETS[name] >= _FIRST and name not in _PLAIN_NUMBERS)


def check_ranges(states: np.ndarray, rows: np.ndarray | None = None) -> None:
    """Refuse states in which a place or a count is outside the range of its field.

    Args:
        states: A contiguous array of STATE.
        rows: Which of them, None for all; numbers that are no places in the array are left to others.

    Raises:
        StateError: Naming the first such state and field.
    """
    places = np.arange(states.size) if rows is None else rows[(rows >= 0) & (rows < states.size)]
    if not places.size:
        return
    chosen = states if rows is None else states[places]
    players = np.clip(chosen["players"], MIN_PLAYERS, MAX_PLAYERS)
    if (players == players[0]).all():  # as nearly always; one row of limits is then enough
        players = players[:1]
    low, high = _limits()
    numbers = chosen.view(np.int8).reshape(chosen.size, N_STATE_BYTES)[:, _FIRST:]
    if (numbers >= low[players]).all() and (numbers <= high[players]).all():
        return
    for place, state in zip(places.tolist(), chosen, strict=True):
        for fault in range_faults(state, _CHECKED):
            raise StateError(f"states[{place}]: no game can be in this state: {fault}")


@cache
def _limits() -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest value of each byte from `_FIRST` on, a row for each number of players."""
    limits = np.zeros((2, MAX_PLAYERS + 1), dtype=STATE)
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        for field in _NAMES:
            if field in _CHECKED:
                limits[field][0, players], limits[field][1, players] = range_of(field, players)
            elif _OFFSETS[field] >= _FIRST:
                limits[field][0], limits[field][1] = -128, 127
    low, high = limits.view(np.int8).reshape(2, MAX_PLAYERS + 1, N_STATE_BYTES)[:, :, _FIRST:]
    return low, high
