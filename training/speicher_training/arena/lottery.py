"""Maximal lotteries: who to choose where players beat each other in circles, and ratings that copies cannot move.

A lottery gives each player a probability. It is maximal if no player finishes ahead of it more often than behind: it is
an optimal strategy of the symmetric game in which two people each name a player and let them play. A player that beats
all others has the whole lottery; of three that beat each other in a circle, each has a part. The score of a player is
how often it finishes ahead of a player drawn from the lottery: 1/2 for those in it, less for all others.

Entering copies of a player changes nothing for the others: the copies share the player's part, and they are the same
opponents. Ratings fitted to all games, like win shares, go up for whoever beats a player that is entered often.

References: Fishburn, "Probabilistic social choice based on simple voting comparisons", 1984; Balduzzi and others,
"Re-evaluating evaluation", 2018, where the same idea is called Nash averaging.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import optimize

from speicher_training.arena.bootstrap import Bootstrap
from speicher_training.intervals import Interval

__all__ = ["REPLICATES", "Lottery", "Standing", "circles", "maximal_lottery", "standings", "top_cycle"]

REPLICATES = 200
"""Of the bootstrap; each is a linear program."""
SLACK = 1e-9
LEAST_PART = 1e-6
"""A smaller part of a lottery is none."""
DIGITS = 12
"""Players whose results are the same to this digit are copies."""


@dataclass(frozen=True)
class Lottery:
    """A maximal lottery, and the scores of all players against it.

    Several lotteries can be maximal, for instance with copies of a player. `weights` is a mean of them that treats
    copies alike, and scores have a lowest and a highest value over all of them.
    """

    weights: np.ndarray
    """(players,) probabilities."""
    low: np.ndarray
    """(players,) the lowest score against a maximal lottery."""
    high: np.ndarray
    """(players,) the highest one."""

    @property
    def scores(self) -> np.ndarray:
        """(players,) the middle between the lowest and the highest score."""
        middle: np.ndarray = (self.low + self.high) / 2
        return middle


@dataclass(frozen=True)
class Standing:
    """A player's part of the maximal lottery, and its score against it, with 95 % intervals from a bootstrap."""

    name: str
    weight: Interval
    score: Interval


def maximal_lottery(ahead: np.ndarray) -> Lottery:
    """The maximal lottery of a tournament.

    Args:
        ahead: (players, players) how often the player of the row finishes ahead of the player of the column, ties
            counting half, 0..1; 1/2 against itself.
    """
    _, first, copy_of, copies = np.unique(
        ahead.round(DIGITS), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    core = ahead[np.ix_(first, first)]
    largest = np.array([_best(core, -one) for one in np.eye(len(core))])  # row k: as much as can be for player k
    weights = largest[largest.diagonal() > LEAST_PART].mean(axis=0)
    low = np.array([row @ _best(core, row) for row in core])
    high = np.array([row @ _best(core, -row) for row in core])
    shared = np.clip(weights, 0.0, 1.0) / weights.sum() / copies
    return Lottery(shared[copy_of], low[copy_of], high[copy_of])


def _best(ahead: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """The maximal lottery for which `cost` is least."""
    margins = ahead - ahead.T
    found = optimize.linprog(
        cost,
        A_ub=-margins.T,
        b_ub=np.full(len(ahead), SLACK),
        A_eq=np.ones((1, len(ahead))),
        b_eq=[1.0],
        bounds=(0.0, 1.0),
        method="highs",
    )
    assert found.success, "every tournament has a maximal lottery"
    weights: np.ndarray = found.x
    return weights


def standings(names: tuple[str, ...], ahead: np.ndarray, seed: int, replicates: int = REPLICATES) -> list[Standing]:
    """The maximal lottery of a run with its intervals, the largest part first.

    Args:
        names: The players.
        ahead: (deals, players, players) as `maximal_lottery` takes it, deal by deal.
        seed: Of the bootstrap.
        replicates: Of the bootstrap.
    """
    bootstrap = Bootstrap(len(ahead), seed, replicates)
    first, second = np.triu_indices(len(names), k=1)
    drawn = bootstrap.shares(ahead[:, first, second])
    weights, scores = np.empty((replicates, len(names))), np.empty((replicates, len(names)))
    for number, shares in enumerate(drawn):
        matrix = np.full((len(names), len(names)), 0.5)
        matrix[first, second], matrix[second, first] = shares, 1 - shares
        weights[number] = _best(matrix, np.zeros(len(names)))
        scores[number] = matrix @ weights[number]
    whole = maximal_lottery(ahead.mean(axis=0))
    found = [
        Standing(name, _interval(bootstrap, weights[:, place], whole.weights[place]),
                 _interval(bootstrap, scores[:, place], whole.scores[place]))
        for place, name in enumerate(names)
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-each.weight["estimate"], -each.score["estimate"]))


def top_cycle(ahead: np.ndarray) -> list[int]:
    """The smallest group whose members all finish ahead of everybody outside it more often than behind.

    One player, if there is one that beats all others. Everything in a maximal lottery is in this group.
    """
    order = np.argsort(-(ahead > 0.5).sum(axis=1) - 0.5 * (ahead == 0.5).sum(axis=1), kind="stable").tolist()
    for size in range(1, len(order) + 1):
        inside, outside = order[:size], order[size:]
        if (ahead[np.ix_(inside, outside)] > 0.5).all():
            return sorted(inside)
    return sorted(order)


def circles(ahead: np.ndarray) -> list[tuple[int, int, int]]:
    """All threes of players of whom the first beats the second, the second the third, and the third the first."""
    beats = ahead > 0.5
    found = []
    for a, b, c in combinations(range(len(ahead)), 3):
        if beats[a, b] and beats[b, c] and beats[c, a]:
            found.append((a, b, c))
        elif beats[b, a] and beats[c, b] and beats[a, c]:
            found.append((a, c, b))
    return found


def _interval(bootstrap: Bootstrap, drawn: np.ndarray, estimate: float) -> Interval:
    low, high = bootstrap.interval(drawn, np.asarray(estimate)).tolist()
    return {"estimate": float(estimate), "low": low, "high": high}
