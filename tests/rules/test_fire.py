"""Fire: the highest sum of firemen gains the points of the fire, the lowest loses as many."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.positions import per_seat, position, seat

pytestmark = pytest.mark.nojit

# Firemen that make up each sum: values are 1, 2 (winter), 1, 2, 3 (spring), 4, 5 (summer), 4, 5 (autumn, 9 and 10).
VALUE = {1: 1, 2: 2, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5, 9: 4, 10: 5}


def after_fire(*hands: tuple[int, ...], before: tuple[int, ...] | None = None) -> np.ndarray:
    """The game after the 3rd fire, worth 4, met players with these firemen."""
    points = before or (0,) * len(hands)
    seats = [
        seat(cards=[f"fireman_{k}" for k in hand], fire_points=scored)
        for hand, scored in zip(hands, points, strict=True)
    ]
    return position(len(hands), seats=seats, top=["fire_3"])


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        # two players
        (((6,), (1,)), [4, -4]),
        (((1,), (6,)), [-4, 4]),
        (((1,), ()), [4, -4]),
        (((2,), (4,)), [0, 0]),
        (((), ()), [0, 0]),
        # three
        (((6,), (2,), (1,)), [4, 0, -4]),
        (((6,), (9,), (1,)), [4, 4, -4]),
        (((6,), (1,), (3,)), [4, -4, -4]),
        (((1,), (3,), ()), [4, 4, -4]),
        (((), (), (1,)), [-4, -4, 4]),
        (((), (), ()), [0, 0, 0]),
        # four
        (((7,), (6,), (5,), (2,)), [4, 0, 0, -4]),
        (((7,), (10,), (2,), (4,)), [4, 4, -4, -4]),
        (((7,), (5,), (2,), (4,)), [4, 0, -4, -4]),
        (((1,), (1 + 2,), (), (2,)), [0, 0, -4, 4]),
        # five
        (((7,), (6,), (5,), (2,), (1,)), [4, 0, 0, 0, -4]),
        (((7,), (10,), (6,), (1,), (3,)), [4, 4, 0, -4, -4]),
        (((), (), (), (), (1,)), [-4, -4, -4, -4, 4]),
        (((), (), (), (), ()), [0, 0, 0, 0, 0]),
    ],
)
def test_highest_gains_lowest_loses_ties_all_and_equals_nothing(
    hands: tuple[tuple[int, ...], ...], expected: list[int]
) -> None:
    states = after_fire(*hands)
    assert per_seat(states, "firemen") == [sum(VALUE[k] for k in hand) for hand in hands]
    assert per_seat(states, "fire_points") == expected


def test_firemen_are_summed() -> None:
    # 1 + 2 + 3 beats 5.
    assert per_seat(after_fire((1, 2, 5), (7,)), "fire_points") == [4, -4]


def test_sums_count_and_not_the_number_of_firemen() -> None:
    assert per_seat(after_fire((1, 3), (6,)), "fire_points") == [-4, 4]


def test_points_of_fires_add_up() -> None:
    assert per_seat(after_fire((6,), (1,), before=(3, -2)), "fire_points") == [7, -6]


def test_points_may_go_below_0() -> None:
    assert per_seat(after_fire((6,), (), (), before=(0, -5, 2)), "fire_points") == [4, -9, -2]


def test_firemen_stay_after_a_fire() -> None:
    states = after_fire((6,), (1,))
    assert per_seat(states, "firemen") == [4, 1]


@pytest.mark.parametrize(("fire", "value"), [("fire_1", 2), ("fire_2", 3), ("fire_3", 4)])
def test_each_fire_has_its_own_points(fire: str, value: int) -> None:
    states = position(2, seats=[seat(cards=["fireman_1"]), seat()], top=[fire])
    assert per_seat(states, "fire_points") == [value, -value]


def test_the_4th_fire_has_its_own_points() -> None:
    states = position(2, seats=[seat(cards=["fireman_1"]), seat()], pile=["fire_4"])
    assert per_seat(states, "fire_points") == [5, -5]
