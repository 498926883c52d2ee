"""The skill ladder: how often a budget must be doubled until the larger one finishes ahead in 60 % of games.

From one budget to the next, the odds of finishing ahead are the share s over 1 - s. If every doubling multiplies the
odds alike, log(odds of 60 %) / log(odds) of such steps make 60 %. A game in which few doublings do that rewards
thinking; in one in which many are needed, luck covers what further thinking gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, log2
from typing import Any

from speicher_training.intervals import Interval

__all__ = ["GOAL", "Rung", "doublings", "rungs", "spec_with"]

GOAL = 0.6
"""The share of games of a whole step."""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder: from a budget to the next one."""

    budget: int
    next_budget: int
    ahead: Interval
    """How often the larger budget finishes ahead of the smaller one."""
    doublings: Interval
    """How often the budget must double for 60 %, as in this step; inf where more budget does not help."""


def rungs(summary: Mapping[str, Any], specs: Sequence[str], budgets: Sequence[int]) -> list[Rung]:
    """The steps between neighbouring budgets.

    Args:
        summary: The results of an arena in which all of them have played.
        specs: The names of the players there.
        budgets: Their budgets, ascending.
    """
    found = []
    for place, budget in enumerate(budgets[:-1]):
        ahead = _ahead(summary, specs[place + 1], specs[place])
        times = log2(budgets[place + 1] / budget)
        low, high = doublings(ahead["high"], times), doublings(ahead["low"], times)
        needed = {"estimate": doublings(ahead["estimate"], times), "low": low, "high": high}
        found.append(Rung(budget, budgets[place + 1], ahead, needed))
    return found


def doublings(ahead: float, times: float = 1.0) -> float:
    """How many doublings make 60 % of games, if `times` doublings make the share `ahead`."""
    if ahead <= 0.5:
        return inf
    if ahead >= 1.0:
        return 0.0
    return times * _log_odds(GOAL) / _log_odds(ahead)


def spec_with(spec: str, budget: int) -> str:
    """The spec of a search with a budget: ``mcts`` and ``mcts:c=1`` with 50 become ``mcts:50`` and ``mcts:50,c=1``."""
    name, _, rest = spec.partition(":")
    return f"{name}:{budget}{',' if rest else ''}{rest}"


def _log_odds(share: float) -> float:
    return log(share / (1 - share))


def _ahead(summary: Mapping[str, Any], first: str, second: str) -> Interval:
    for pair in summary["pairs"]:
        share: Interval = pair["ahead"]
        if (pair["first"], pair["second"]) == (first, second):
            return share
        if (pair["first"], pair["second"]) == (second, first):
            return {"estimate": 1 - share["estimate"], "low": 1 - share["high"], "high": 1 - share["low"]}
    raise KeyError(f"{first} and {second} have not played each other")
