"""What the value learns from at the end of a run: games that go astray now and then, and what decisions are worth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.small_networks import card, network

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_training.train.astray import Played, games_astray, worth_of  # noqa: E402
from tests.training.test_imitation import policy  # noqa: E402


def played(seats: list[int], values: list[float], strayed: list[int], payoffs: list[float]) -> Played:
    """One game in one lane."""
    column = (len(seats), 1)
    return Played(
        np.array(values, dtype=np.float32).reshape(column),
        np.array(seats, dtype=np.int8).reshape(column),
        np.isin(np.arange(len(seats)), strayed).reshape(column),
        np.ones(column, dtype=bool),
        np.array([payoffs], dtype=np.float32),
    )


def worth(told: Played, trace: float) -> dict[int, float]:
    """What each decision is worth, by its time; those left out are not there."""
    rows = np.arange(len(told.seats), dtype=np.float32).reshape(-1, 1, 1)
    found = worth_of(rows, told, trace)
    return {int(row[0]): round(float(one), 6) for row, one in zip(found.rows, found.worth, strict=True)}


def test_with_a_full_trace_every_decision_is_worth_what_its_seat_is_paid():
    told = played([0, 1, 2, 0, 1], [0.3, 0.1, 0.2, 0.9, -0.4], [], [1.0, -0.5, -0.5])
    assert worth(told, 1.0) == {0: 1.0, 1: -0.5, 2: -0.5, 3: 1.0, 4: -0.5}


def test_without_a_trace_a_decision_is_worth_what_its_seat_expects_at_its_next_one():
    told = played([0, 1, 2, 0, 1], [0.3, 0.1, 0.2, 0.9, -0.4], [], [1.0, -0.5, -0.5])
    assert worth(told, 0.0) == {0: 0.9, 1: -0.4, 2: -0.5, 3: 1.0, 4: -0.5}


def test_between_both_values_count_the_less_the_later_they_are():
    told = played([0, 0, 0], [0.0, 0.4, 0.8], [], [1.0, -1.0])
    assert worth(told, 0.5) == {0: 0.5 * 0.4 + 0.25 * 0.8 + 0.25 * 1.0, 1: 0.9, 2: 1.0}


def test_no_decision_is_judged_by_what_a_mistake_has_brought():
    """Seat 1 goes astray at time 3: neither its decision there is learned from, nor the others' last ones before."""
    told = played([0, 1, 0, 1, 0, 1], [0.5, 0.25, 0.5, 0.25, -0.5, 0.75], [3], [-1.0, 1.0])
    assert worth(told, 1.0) == {0: 0.5, 1: 0.25, 4: -1.0, 5: 1.0}


def test_what_other_lanes_do_changes_nothing():
    single = [played([0, 1, 0], [0.1, 0.2, 0.3], [1], [1.0, -1.0]), played([1, 1, 0], [0.4, 0.5, 0.6], [], [-1.0, 1.0])]
    both = Played(*(np.concatenate(parts, axis=1) for parts in zip(*(one[:4] for one in single), strict=True)),
                  np.concatenate([one.payoffs for one in single]))  # fmt: skip
    rows = np.arange(6, dtype=np.float32).reshape(3, 2, 1)
    found = worth_of(rows, both, 0.9)
    apart = [worth_of(rows[:, [lane]], one, 0.9) for lane, one in enumerate(single)]
    known = {float(row[0]): one for told in apart for row, one in zip(told.rows, told.worth, strict=True)}
    assert {float(row[0]): one for row, one in zip(found.rows, found.worth, strict=True)} == known


def test_a_lane_whose_game_is_over_is_left_out():
    """Even if a decision that is not there were called astray."""
    told = played([0, 1, 0], [0.1, 0.2, 0.3], [2], [1.0, -1.0])
    told = told._replace(going=np.array([[True], [True], [False]]))
    assert worth(told, 1.0) == {0: 1.0, 1: -1.0}


@pytest.mark.parametrize("players", [2, 4])
def test_games_go_astray_as_often_as_they_are_told(players: int):
    told = card(network(players), [players])

    def strayed(astray: float) -> float:
        rows, found = next(games_astray(policy(players), told, ["standard"], 10_000, np.random.default_rng(1), astray))
        assert rows.shape[:2] == found.going.shape
        return float(found.strayed[found.going].mean())

    assert strayed(0.0) == 0.0
    assert 0.2 < strayed(0.25) < 0.3
