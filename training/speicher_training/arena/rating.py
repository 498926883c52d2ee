"""Ratings: the Davidson-Luce model of who wins a game, ties included, fitted to all games at once.

A player has a strength a > 0. In a game of a set of players, the win goes to a part T of them (sharing it if they are
several) with a probability proportional to d_k times the geometric mean of their strengths, where k is the size of T
and d_1 = 1. For two players it is Davidson's model, without ties Bradley's and Terry's; for more players without ties
it is Luce's choice, the first place of Plackett's and Luce's rankings. All that the likelihood takes from the games is
each player's win shares and how often k shared a win, so ratings and win shares say the same thing.

Reference: Firth, Kosmidis and Turner, "Davidson-Luce model for multi-item choice with ties", 2019. SciPy fits it; no
Python library of ratings has it: choix knows no ties, openskill depends on the order of the games.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy import optimize

__all__ = ["UNPLAYED", "Fit"]

SCALE = 400 / log(10)
"""Ratings are shown as in chess: 400 more make the odds of winning ten times as good."""
UNPLAYED = 0.25
"""Deals not played, won by each player of each lineup: they keep the rating of who always wins finite."""
_STEPS = 50
_CLOSE = 1e-9


class Fit:
    """The model for given lineups, one player's strength being 1.

    Parameters are the logarithms of the other players' strengths, then of d_k for the numbers k > 1 of winners that
    the games have seen.
    """

    def __init__(self, lineups: np.ndarray, players: int, anchor: int, outcomes: np.ndarray) -> None:
        """Lay out the outcomes.

        Args:
            lineups: (lineups, seats) the players of each.
            players: How many there are.
            anchor: The one rated 0.
            outcomes: (lineups, 2**seats) the games won by each set of players.
        """
        seats = lineups.shape[1]
        sets = np.arange(1, 1 << seats)
        members = (sets[:, None] >> np.arange(seats)) & 1
        sizes = members.sum(axis=1)
        seen = np.flatnonzero(outcomes.sum(axis=0))
        kept = np.isin(sizes, [1, *sizes[seen[seen > 0] - 1]])
        self.sets = sets[kept]
        self.single = np.flatnonzero(sizes[kept] == 1)
        members, sizes = members[kept], sizes[kept]
        ties = [size for size in range(2, seats + 1) if size in sizes]
        self.players, self.anchor = players, anchor
        design = np.zeros((len(lineups), len(self.sets), players + len(ties)))
        for place in range(seats):
            design[np.arange(len(lineups)), :, lineups[:, place]] += members[:, place] / sizes
        for number, size in enumerate(ties):
            design[:, sizes == size, players + number] = 1
        self.design = np.delete(design, anchor, axis=2)

    def counts(self, outcomes: np.ndarray, unplayed: np.ndarray | float) -> np.ndarray:
        """(..., lineups, outcomes) what is fitted: games, and unplayed ones won by each player alone."""
        counts = outcomes[..., self.sets].astype(float)
        counts[..., self.single] += unplayed
        return counts

    def best(self, counts: np.ndarray) -> np.ndarray:
        """The parameters of greatest likelihood."""

        def loss(at: np.ndarray) -> float:
            return float(-self._slope(counts[None], at[None])[0][0])

        def first_derivative(at: np.ndarray) -> np.ndarray:
            slope: np.ndarray = -self._slope(counts[None], at[None])[1][0]
            return slope

        def second_derivative(at: np.ndarray) -> np.ndarray:
            bend: np.ndarray = self._bend(counts[None], at[None])[0]
            return bend

        start = np.zeros(self.design.shape[2])
        top: np.ndarray = optimize.minimize(loss, start, jac=first_derivative, hess=second_derivative,
                                            method="trust-exact").x  # fmt: skip
        best: np.ndarray = self.near(counts[None], top)[0]
        return best

    def near(self, counts: np.ndarray, start: np.ndarray) -> np.ndarray:
        """(replicates, parameters) for (replicates, lineups, outcomes), by Newton's method from a start close by."""
        at = np.repeat(start[None], len(counts), axis=0)
        open_ = np.arange(len(counts))
        for _ in range(_STEPS):
            value, slope = self._slope(counts[open_], at[open_])
            step = np.linalg.solve(self._bend(counts[open_], at[open_]), slope[..., None])[..., 0]
            size = np.ones(len(open_))
            for _ in range(_STEPS):  # the likelihood is concave: a step that is short enough goes up
                worse = self._slope(counts[open_], at[open_] + size[:, None] * step)[0] < value - 1e-9 * np.abs(value)
                if not worse.any():
                    break
                size[worse] /= 2
            at[open_] += size[:, None] * step
            open_ = open_[np.abs(step).max(axis=1) > _CLOSE]
            if not open_.size:
                break
        return at

    def ratings(self, parameters: np.ndarray) -> np.ndarray:
        """(..., players) on the chess scale, the anchor's 0 in its place."""
        strengths = parameters[..., : self.players - 1] * SCALE
        return np.insert(strengths, self.anchor, 0.0, axis=-1)

    def _chances(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(replicates, lineups, outcomes) logarithms of the chances, and the chances."""
        height = np.einsum("lop,rp->rlo", self.design, at)
        height -= height.max(axis=2, keepdims=True)
        logs = height - np.log(np.exp(height).sum(axis=2, keepdims=True))
        return logs, np.exp(logs)

    def _slope(self, counts: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The logarithm of the likelihood and its first derivatives."""
        logs, chances = self._chances(at)
        surprise = counts - counts.sum(axis=2, keepdims=True) * chances
        return (counts * logs).sum(axis=(1, 2)), np.einsum("rlo,lop->rp", surprise, self.design)

    def _bend(self, counts: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Its second derivatives, the sign turned."""
        _, chances = self._chances(at)
        games = counts.sum(axis=2)
        mean = np.einsum("rlo,lop->rlp", chances, self.design)
        size = self.design.shape[2]
        squares = (self.design[..., :, None] * self.design[..., None, :]).reshape(-1, size * size)
        weights = (chances * games[..., None]).reshape(len(counts), -1)
        of_squares = (weights @ squares).reshape(-1, size, size)
        bend: np.ndarray = of_squares - np.einsum("rlp,rlq,rl->rpq", mean, mean, games, optimize=True)
        return bend
