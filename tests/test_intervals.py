"""Intervals are those of the textbooks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from speicher_training.intervals import difference, mean_interval, within


def test_a_mean_of_three_has_students_interval() -> None:
    """2 plus and minus 4.3027 (the table, 2 degrees of freedom) times the standard error 1 / sqrt(3)."""
    interval = mean_interval([1.0, 2.0, 3.0])
    assert interval["estimate"] == 2
    assert interval["high"] - 2 == pytest.approx(2 - interval["low"]) == pytest.approx(4.3027 / 3**0.5, rel=1e-4)


@pytest.mark.parametrize(("own", "other"), [(3, 3), (3, 5), (2, 9)])
def test_a_difference_has_welchs_interval(own: int, other: int) -> None:
    rng = np.random.default_rng(own * 10 + other)
    first, second = rng.normal(5, 1, own).tolist(), rng.normal(4, 3, other).tolist()
    known = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    interval = difference(first, second)
    assert interval["estimate"] == pytest.approx(np.mean(first) - np.mean(second))
    assert (interval["low"], interval["high"]) == pytest.approx((known.low, known.high))


def test_three_seeds_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    interval = [difference(rng.normal(1, 1, 3).tolist(), rng.normal(0, 4, 3).tolist()) for _ in range(1000)]
    assert 0.93 <= np.mean([each["low"] <= 1 <= each["high"] for each in interval]) <= 0.99


def test_runs_that_all_came_to_the_same_leave_nothing_open() -> None:
    assert mean_interval([1.0, 1.0, 1.0]) == {"estimate": 1, "low": 1, "high": 1}
    assert difference([1.0, 1.0], [0.25, 0.25]) == {"estimate": 0.75, "low": 0.75, "high": 0.75}


def test_a_single_value_has_an_interval_of_no_width() -> None:
    assert mean_interval([0.5]) == {"estimate": 0.5, "low": 0.5, "high": 0.5}


def test_a_share_stays_between_none_and_all() -> None:
    assert within(mean_interval([0.9, 1.0, 1.0]), 0, 1)["high"] == 1
    assert within({"estimate": 0.5, "low": -0.1, "high": 1.2}, 0, 1) == {"estimate": 0.5, "low": 0, "high": 1}
