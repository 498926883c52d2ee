"""Playing until it is decided who is better: a test whose result may be looked at after every deal.

For two players let x be the first one's score in a deal: the share of its common games in which it finished ahead of
the second, a tie counting half, over all seatings. Deals are independent and x lies in 0..1; nothing else is assumed.
There are four bets, each against a claim about the mean of x:

- it is at most 1/2: if the bet is won, the first player is better;
- it is at least 1/2: if the bet is won, the second is;
- it is at least 1/2 + d, and it is at most 1/2 - d: if both are won, the players are equal, give or take d.

A bet against a true claim starts with 1 and has, at any moment, an expected fortune of at most 1. So it ever reaches
1/a with a probability of at most a (Ville's inequality). With a = alpha / 2 / pairs for each claim, the chance that any
pair is ever declared different though it is equal, or equal though it differs by d or more, is at most alpha, for all
pairs together and however often one looks. The stakes are those of Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting" (2023): what would have made the fortune grow fastest so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

__all__ = ["ALPHA", "INDIFFERENCE", "Decision", "decisions", "pairs_of"]

ALPHA = 0.05
INDIFFERENCE = 0.02
_BOLDEST = 0.75
"""The largest share of its fortune that a bet risks."""


@dataclass(frozen=True)
class Decision:
    """The verdict on a pair."""

    first: int
    second: int
    verdict: str
    """"first" or "second" is better, "equal" within the indifference, or "open"."""
    deal: int | None
    """The number of deals that it took."""


def fortunes(scores: np.ndarray, claim: float) -> np.ndarray:
    """The logarithm, after each deal, of the fortune of a bet against "the mean of the scores is at most `claim`"."""
    deals = np.arange(1, len(scores) + 1)
    before = np.concatenate(([0.0], np.cumsum(scores)[:-1]))
    mean = (0.5 + before) / deals
    off = (scores - mean) ** 2
    spread = (0.25 + np.concatenate(([0.0], np.cumsum(off)[:-1]))) / deals
    edge = mean - claim
    stake = np.clip(edge / (spread + edge**2), 0.0, _BOLDEST / claim)
    growth: np.ndarray = np.cumsum(np.log1p(stake * (scores - claim)))
    return growth


def decide(scores: np.ndarray, alpha: float, indifference: float) -> tuple[str, int | None]:
    """The earliest verdict on a pair, and the number of deals that it took; "open" and None without one."""
    needed = np.log(2 / alpha)

    def won(values: np.ndarray, claim: float) -> float:
        reached = fortunes(values, claim) >= needed
        return float(reached.argmax() + 1) if reached.any() else np.inf

    when = {
        "first": won(scores, 0.5),
        "second": won(1 - scores, 0.5),
        "equal": max(won(1 - scores, 0.5 - indifference), won(scores, 0.5 - indifference)),
    }
    verdict = min(when, key=lambda name: when[name])
    return (verdict, int(when[verdict])) if np.isfinite(when[verdict]) else ("open", None)


def decisions(ahead: np.ndarray, pairs: Sequence[tuple[int, int]], alpha: float, indifference: float) -> list[Decision]:
    """The verdicts on all pairs from (deals, players, players) scores; `alpha` holds for all of them together."""
    return [
        Decision(first, second, *decide(ahead[:, first, second], alpha / len(pairs), indifference))
        for first, second in pairs
    ]


def pairs_of(names: Sequence[str], candidates: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs to decide: all, or with candidates those that have a candidate."""
    every = combinations(range(len(names)), 2)
    return [pair for pair in every if not candidates or any(names[player] in candidates for player in pair)]
