"""Numbers over seeds: the mean of a few runs and the difference between two kinds of run, with t-intervals.

A seed is one observation. With three of them an interval reaches 2.5 standard deviations to each side: what it rules
out, three runs have really ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, variance

from scipy import stats

LEVEL = 0.95

Interval = dict[str, float]
"""estimate, low and high, as in the results of the arena."""


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean, with Student's interval; two values or more."""
    mean = fmean(values)
    return _interval(mean, variance(values, mean) / len(values), len(values) - 1)


def difference(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Mean of `values` less that of `others`, with Welch's interval: the two need not spread alike."""
    own, other = variance(values) / len(values), variance(others) / len(others)
    freedom = 1.0
    if own + other > 0:
        freedom = (own + other) ** 2 / (own**2 / (len(values) - 1) + other**2 / (len(others) - 1))
    return _interval(fmean(values) - fmean(others), own + other, freedom)


def within(interval: Interval, least: float, most: float) -> Interval:
    """An interval of something that cannot lie outside of these."""
    return {name: min(max(value, least), most) for name, value in interval.items()}


def _interval(estimate: float, squared_error: float, freedom: float) -> Interval:
    half = float(stats.t.ppf(0.5 + LEVEL / 2, freedom)) * squared_error**0.5
    return {"estimate": estimate, "low": estimate - half, "high": estimate + half}
