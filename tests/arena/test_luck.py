"""The parts of the variance of results, on simulated games whose parts are known, and on real ones."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_training.arena.luck import PARTS, parts_of, results_of_lineups, with_intervals
from speicher_training.arena.repeated import play_again
from tests.support.made_results import games, plan_of, points_of_winners

SEAT, SKILL, DEAL, REST = 0.1, 0.2, 0.3, 0.4
"""Standard deviations of the parts."""


def simulated(deals: int, seed: int, skill: float = SKILL, deal: float = DEAL, rest: float = REST) -> np.ndarray:
    """Results of two places in two seatings."""
    rng = np.random.default_rng(seed)
    signs = np.array([1, -1])
    luck = rng.normal(0, deal, (deals, 1, 1)) * signs
    noise = rng.normal(0, rest, (deals, 2, 1)) * signs if rest else 0.0
    return 0.5 + SEAT * signs + skill * signs[:, None] * signs + luck + noise


def test_known_variances_are_found() -> None:
    found = parts_of(simulated(50_000, seed=1))
    assert [found.seat, found.skill, found.deal, found.rest] == pytest.approx(
        [SEAT**2, SKILL**2, DEAL**2, REST**2], abs=0.002
    )
    assert sum(found.share(part) for part in PARTS) == pytest.approx(1)


@pytest.mark.parametrize("part", ["skill", "deal", "rest"])
def test_a_part_that_is_not_there_is_not_found(part: str) -> None:
    found = parts_of(simulated(5000, seed=2, **{part: 0.0}))
    assert found.share(part) < 0.01
    assert all(found.share(other) > 0.02 for other in PARTS if other != part)


def test_intervals_hold_the_truth() -> None:
    variances = np.array([SEAT**2, SKILL**2, DEAL**2, REST**2])
    truth = dict(zip(PARTS, variances / variances.sum(), strict=True))
    held = [
        found[part]["low"] <= truth[part] <= found[part]["high"]
        for seed in range(40)
        for found in [with_intervals(simulated(200, seed))]
        for part in PARTS
    ]
    assert np.mean(held) > 0.85


def test_lineups_are_laid_out_by_who_sits_in_which_place() -> None:
    """a always wins, whoever begins: all is skill. Then whoever begins wins: all is the seat."""
    plan = plan_of(3, 2, mirrors=True)
    first = np.arange(20) % 2
    winners = np.minimum(plan.schedule.seatings[:, 0], plan.schedule.seatings[:, 1])
    better = games(plan.schedule, points_of_winners(plan.schedule, np.tile(winners, (20, 1))), first)
    lineups = results_of_lineups(better)
    assert [lineup for lineup, _ in lineups] == [(0, 1), (0, 2), (1, 2)]
    for _, results in lineups:
        assert results.shape == (20, 2, 2)
        assert parts_of(results).share("skill") == pytest.approx(1)
    points = np.zeros((20, plan.schedule.games, 2), dtype=np.int64)
    points[np.arange(20), :, first] = 5
    for _, results in results_of_lineups(games(plan.schedule, points, first)):
        assert parts_of(results).share("seat") == pytest.approx(1)


def test_what_the_deal_decides_is_told_from_the_choices_of_a_player() -> None:
    """`merchant` draws nothing, so that a deal played again ends alike; of `random` the reverse is nearly true."""
    alike = play_again("merchant", 2, 1_000_000_000, deals=30, times=3)
    assert (alike == alike[:, :1]).all() and parts_of(alike).share("rest") == 0
    assert alike.sum(axis=2) == pytest.approx(np.ones((30, 3)))
    drawn = play_again("random", 3, 1_000_000_000, deals=60, times=4)
    assert parts_of(drawn).share("rest") > 0.7
    assert (play_again("random", 3, 1_000_000_000, deals=60, times=4) == drawn).all()
