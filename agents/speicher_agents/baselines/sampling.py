"""Random numbers that come from a seed and a position alone, so that neither other rows nor their order matter."""

from __future__ import annotations

import numpy as np

from speicher_env.rules.state import N_STATE_BYTES

__all__ = ["draw_rows", "uniform_rows"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_WORDS = N_STATE_BYTES // 8
_MULTIPLIERS = (np.arange(1, _WORDS + 1, dtype=np.uint64) * _GOLDEN) | np.uint64(1)
"""One for each word of a state, odd."""


def uniform_rows(states: np.ndarray, seed: int) -> np.ndarray:
    """(rows,) float64 in [0, 1): a number for each state."""
    words = np.ascontiguousarray(states).view(np.uint64).reshape(len(states), _WORDS)
    mixed = _mix((_mix(words ^ _MULTIPLIERS) * _MULTIPLIERS).sum(axis=1) + np.uint64(seed) * np.ones(1, np.uint64))
    return (_mix(mixed + _GOLDEN) >> np.uint64(32)) / 2.0**32


def draw_rows(chances: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """(rows,) int64: an action for each row by its probabilities; one of probability 0 never."""
    sums = chances.cumsum(axis=1, dtype=np.float64)
    return np.asarray((sums <= (uniform * sums[:, -1])[:, None]).sum(axis=1), dtype=np.int64)


def _mix(words: np.ndarray) -> np.ndarray:
    """The finalizer of the SplitMix64 generator: each bit of a word changes half the bits of the result."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = words ^ (words >> np.uint64(31))
    return mixed
