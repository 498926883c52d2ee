"""95 % intervals of means: of independent observations, and of the difference between two groups of them.

The arena's intervals, in which the deals of a run are weighted, are in `speicher_training.arena.bootstrap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
from scipy import stats

__all__ = ["LEVEL", "Interval", "difference", "interval_around", "mean_interval", "within"]

LEVEL = 0.95

Interval = dict[str, float]
"""estimate, low and high, as in the results of the arena."""


def interval_around(estimate: float, standard_error: float, freedom: float = inf) -> Interval:
    """The interval of an estimate from its standard error and, for few observations, its degrees of freedom."""
    half = float(stats.t.ppf(0.5 + LEVEL / 2, freedom)) * standard_error
    return {"estimate": estimate, "low": estimate - half, "high": estimate + half}


def mean_interval(values: Sequence[float] | np.ndarray) -> Interval:
    """The mean with Student's interval; a single value gives an interval of no width."""
    array = np.asarray(values, dtype=float)
    if array.size == 1:
        return interval_around(float(array[0]), 0.0)
    return interval_around(float(array.mean()), float(array.std(ddof=1)) / sqrt(array.size), array.size - 1)


def difference(values: Sequence[float] | np.ndarray, others: Sequence[float] | np.ndarray) -> Interval:
    """The mean of `values` less that of `others`, with Welch's interval: the two may spread differently."""
    groups = [np.asarray(group, dtype=float) for group in (values, others)]
    squares = [float(group.var(ddof=1)) / group.size for group in groups]
    freedom = 1.0
    if sum(squares) > 0:
        parts = [square**2 / (group.size - 1) for square, group in zip(squares, groups, strict=True)]
        freedom = sum(squares) ** 2 / sum(parts)
    return interval_around(float(groups[0].mean() - groups[1].mean()), sqrt(sum(squares)), freedom)


def within(interval: Interval, least: float, most: float) -> Interval:
    """An interval of something that cannot lie outside of these bounds."""
    return {name: min(max(value, least), most) for name, value in interval.items()}
