"""The arguments of `Batch`, checked: each function returns what the batch works with, or says what is allowed."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from speicher_env.arguments import check_seed, is_whole
from speicher_env.batch.lane import ALL_SEATS, DRAWN_SEAT, FIXED_SEAT, NO_SEAT, ROTATING_SEAT
from speicher_env.errors import ArgumentError, StateError
from speicher_env.game import Game
from speicher_env.messages import must_be, nearest, shown
from speicher_env.rules.state import OVER, STATE, blank_states

__all__ = [
    "AUTORESETS", "SEAT_RULES", "check_lanes", "check_seat_rule", "check_seating", "check_seeds", "check_states",
    "check_threads",
]  # fmt: skip

AUTORESETS = ("disabled", "next_step", "same_step")
SEAT_RULES = {"all": ALL_SEATS, "rotating": ROTATING_SEAT, "random": DRAWN_SEAT, "none": NO_SEAT}


def check_lanes(
    lanes: np.ndarray | Sequence[int] | None, every: np.ndarray, *, distinct: bool = False, empty: bool = False
) -> np.ndarray:
    """The lanes that a caller names as an array, all for None.

    Args:
        lanes: What the caller gave.
        every: All lanes.
        distinct: Whether no lane may be named twice.
        empty: Whether the list may be empty.
    """
    if lanes is None:
        return every
    chosen = np.asarray(lanes)
    if empty and chosen.shape == (0,):
        return every[:0]
    allowed = f"numbers of games, 0..{every.size - 1}"
    if chosen.ndim != 1 or not chosen.size or chosen.dtype.kind not in "iu":
        raise ArgumentError(must_be("lanes", lanes, f"a list of {allowed}"))
    if chosen.min() < 0 or chosen.max() >= every.size:
        wrong = chosen[(chosen < 0) | (chosen >= every.size)][0]
        raise ArgumentError(must_be("lanes", int(wrong), allowed))
    if distinct and np.unique(chosen).size < chosen.size:
        raise ArgumentError(must_be("lanes", lanes, f"{allowed}, none of them twice"))
    return np.ascontiguousarray(chosen, dtype=np.int64)


def check_seeds(seeds: np.ndarray | Sequence[int], count: int) -> np.ndarray:
    """Seeds of `count` games as an array."""
    numbers = np.asarray(seeds)
    if numbers.shape != (count,):
        raise ArgumentError(must_be("seeds", numbers, f"{count} whole numbers"))
    if numbers.dtype.kind != "u" and (numbers.dtype.kind != "i" or np.any(numbers < 0)):
        # Each by itself: NumPy has no type for 0 and 2**64-1 in one list, or for what is refused here.
        numbers = np.array([check_seed(seed) for seed in seeds], dtype=np.uint64)
    return np.ascontiguousarray(numbers, dtype=np.uint64)


def check_seating(seating: object, shape: tuple[int, int], players: int) -> np.ndarray:
    """Who sits where, as an array of places in a list of players."""
    places = np.asarray(seating)
    if places.shape != shape or places.dtype.kind not in "iu":
        raise ArgumentError(must_be("seating", places, f"an array of whole numbers with shape {shape}"))
    if places.size and (places.min() < 0 or places.max() >= players):
        wrong = int(places.min() if places.min() < 0 else places.max())
        raise ArgumentError(must_be("seating", wrong, f"places in the list of opponents, 0..{players - 1}"))
    return places


def check_states(states: object, count: int, players: int) -> np.ndarray:
    """States of `count` running games as an array."""
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.shape != (count,):
        raise ArgumentError(must_be("states", states, f"an array of {count} records of dtype STATE"))
    for place in range(count):
        try:
            Game.from_state(states[place])
        except StateError as error:
            raise StateError(f"states[{place}]: {error}") from None
        if states["players"][place] != players:
            raise ArgumentError(must_be(f"states[{place}]['players']", states["players"][place], f"{players}"))
        if states["phase"][place] == OVER:
            raise ArgumentError(f"states[{place}] is a game that is over: must be a running game.")
    records = blank_states(count)
    records[:] = states
    return records


def check_threads(threads: object) -> int:
    """The cores to use, at most those there are."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(threads) or not 1 <= threads <= cores:
        raise ArgumentError(must_be("threads", threads, f"a whole number 1..{cores}, the cores there are"))
    return int(threads)


def check_seat_rule(seat: int | str, players: int) -> tuple[int, int]:
    """The code of a seat argument, and the seat if it is a fixed one."""
    if is_whole(seat) and 0 <= seat < players:
        return FIXED_SEAT, int(seat)
    if isinstance(seat, str) and seat in SEAT_RULES:
        return SEAT_RULES[seat], 0
    allowed = f"a seat 0..{players - 1}, {', '.join(map(shown, SEAT_RULES))}{nearest(seat, SEAT_RULES)}"
    raise ArgumentError(must_be("seat", seat, allowed))
