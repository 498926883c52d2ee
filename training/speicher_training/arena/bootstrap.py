"""Intervals: a bootstrap in which deals are drawn, never games, because the games of a deal have much in common.

It is Rubin's Bayesian bootstrap: each replicate gives every deal a weight drawn from the standard exponential
distribution, and each number is computed again from the weighted deals. Unlike drawing deals with replacement it never
leaves a deal out, so that the rating of a player that hardly ever loses stays finite. SciPy's `bootstrap` draws with
replacement and has no weights.

Shares need two more steps. Two deals that were never played join in, one all won and one all lost, with weights
drawn from the gamma distribution of shape 1/2: without them a player that has won every deal would have an interval
of no width. For deals that are won or lost as a whole this gives the Jeffreys interval. Where a deal says more than
that, because it is the mean of many games that differ, the two weigh less by as much (see `worth`). And the percentiles
are taken a little further out, as far as Student's t is from the normal distribution (Hesterberg's expanded
percentiles), because few deals make every bootstrap too narrow.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt

import numpy as np
from scipy import stats

from speicher_training.intervals import LEVEL

__all__ = ["REPLICATES", "Bootstrap", "worth"]

REPLICATES = 2000
MOST_WORTH = 100.0
"""The most games that a deal may count for."""
GROUPS = 1000
"""More deals than this are summed in this many groups first: groups are as independent of each other as deals."""
UNPLAYED = 0.5
"""Shape of the weight of an unplayed deal."""


class Bootstrap:
    """The replicates of a run; one seed, one set of weights for all its numbers."""

    def __init__(self, deals: int, seed: int, replicates: int = REPLICATES) -> None:
        self.deals = deals
        self.replicates = replicates
        self._seed = seed

    def sums(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weighted sums over deals of (deals, ...) values, as (replicates, ...); and the weights' own sums."""
        flat, _ = _grouped(values.reshape(len(values), -1).astype(float))
        return np.reshape(self._weights @ flat, (self.replicates, *values.shape[1:])), self._total

    def means(self, values: np.ndarray) -> np.ndarray:
        """Replicates of the mean over deals."""
        sums, total = self.sums(values)
        means: np.ndarray = sums / total.reshape(-1, *[1] * (values.ndim - 1))
        return means

    def shares(self, values: np.ndarray) -> np.ndarray:
        """Replicates of the mean over deals of shares 0..1, two unplayed deals included."""
        sums, total = self.sums(values)
        won, lost = self.unplayed((2, *sums.shape)) / worth(values)
        shares: np.ndarray = (sums + won) / (total.reshape(-1, *[1] * (values.ndim - 1)) + won + lost)
        return shares

    def unplayed(self, shape: tuple[int, ...]) -> np.ndarray:
        """Weights of unplayed deals."""
        return np.random.default_rng([self._seed, 1]).gamma(UNPLAYED, size=shape)

    def interval(self, replicates: np.ndarray, estimate: np.ndarray) -> np.ndarray:
        """(..., 2): lower and upper ends, for (replicates, ...) and the estimates (...), which they always hold."""
        out = tail(self.deals)
        ends = np.quantile(replicates, [out, 1 - out], axis=0)
        return np.stack([np.minimum(ends[0], estimate), np.maximum(ends[1], estimate)], axis=-1)

    @cached_property
    def _weights(self) -> np.ndarray:
        shape = (self.replicates, min(self.deals, GROUPS))
        return np.random.default_rng([self._seed, 0]).standard_exponential(shape)

    @cached_property
    def _total(self) -> np.ndarray:
        """The weights of all deals together, in each replicate."""
        _, deals = _grouped(np.empty((self.deals, 0)))
        total: np.ndarray = self._weights @ deals
        return total


def worth(values: np.ndarray) -> np.ndarray:
    """The number of deals won or lost as a whole that one deal is worth, by the spread of its shares (deals, ...).

    At least 1; 1 where all is won or all lost, for then nothing is known about the spread.
    """
    mean, spread = values.mean(axis=0), values.var(axis=0, ddof=min(1, len(values) - 1))
    of_whole_deals = mean * (1 - mean)
    deals_worth: np.ndarray = np.maximum(1.0, of_whole_deals / np.maximum(spread, of_whole_deals / MOST_WORTH + 1e-300))
    return deals_worth


def tail(deals: int) -> float:
    """The share of replicates to cut off at each end: less than 2.5 % if there are few deals."""
    if deals < 2:
        return 0.0
    furthest = stats.t.ppf((1 + LEVEL) / 2, deals - 1) * sqrt((deals + 1) / (deals - 1))
    return float(stats.norm.cdf(-furthest))


def _grouped(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over groups of deals, and the deals in each group."""
    if len(values) <= GROUPS:
        return values, np.ones(len(values))
    starts = np.linspace(0, len(values), GROUPS, endpoint=False).astype(int)
    return np.add.reduceat(values, starts, axis=0), np.diff(starts, append=len(values)).astype(float)
