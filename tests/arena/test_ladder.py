"""The skill ladder, on shares whose answer is known."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from speicher_training.arena.ladder import doublings, rungs, spec_with


@pytest.mark.parametrize(
    ("ahead", "times", "needed"),
    [(0.6, 1, 1), (0.6, 2, 2), (9 / 13, 1, 0.5), (0.5, 1, inf), (0.4, 1, inf), (1.0, 1, 0)],
)
def test_doublings_follow_from_the_odds(ahead: float, times: float, needed: float) -> None:
    """Odds of 9 to 4 are those of 60 %, 3 to 2, twice over."""
    assert doublings(ahead, times) == pytest.approx(needed)


def test_a_ladder_of_equal_steps_needs_the_same_doublings_everywhere() -> None:
    """Each doubling multiplies the odds by 1.2: 2.22 doublings make odds of 3 to 2."""
    budgets = [10, 20, 80]
    names = [f"s:{budget}" for budget in budgets]

    def pair(second: int, first: int) -> dict[str, Any]:
        odds = 1.2 ** {(1, 0): 1, (2, 1): 2, (2, 0): 3}[second, first]
        share = 1 / (1 + odds)
        ahead = {"estimate": share, "low": share - 0.02, "high": share + 0.02}
        return {"first": names[first], "second": names[second], "ahead": ahead}

    found = rungs({"pairs": [pair(1, 0), pair(2, 0), pair(2, 1)]}, names, budgets)
    assert [(rung.budget, rung.next_budget) for rung in found] == [(10, 20), (20, 80)]
    for rung in found:
        assert rung.ahead["low"] < 0.5 + 0.5 * rung.ahead["estimate"] and rung.ahead["estimate"] > 0.5
        assert rung.doublings["estimate"] == pytest.approx(2.224, abs=0.001)
        assert rung.doublings["low"] < rung.doublings["estimate"] < rung.doublings["high"]


@pytest.mark.parametrize(
    ("spec", "made"),
    [("mcts", "mcts:50"), ("mcts:c=1", "mcts:50,c=1"), ("guided:baseline=2p", "guided:50,baseline=2p")],
)
def test_a_budget_comes_first_in_a_spec(spec: str, made: str) -> None:
    assert spec_with(spec, 50) == made
