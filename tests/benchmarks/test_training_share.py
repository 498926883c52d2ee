"""The clocks of the training profile: every moment counts once, for the innermost piece."""

from __future__ import annotations

import pytest

pytest.importorskip("sb3_contrib", reason="the extra [train] is not installed")

from benchmarks.training_share import PIECES, Clocks, measure_training


def test_a_piece_within_a_piece_takes_its_time_away_from_the_outer_one() -> None:
    now = 0.0

    def pass_time(seconds: float) -> None:
        nonlocal now
        now += seconds

    clocks = Clocks(lambda: now)
    inner = clocks.around("inner", pass_time)
    with clocks.piece("outer"):
        pass_time(1)
        inner(10)
        pass_time(2)
    pass_time(100)  # outside of all
    assert clocks.seconds == {"outer": 3, "inner": 10}


def test_a_generator_is_timed_while_it_makes_items_only() -> None:
    now = 0.0

    def items(count: int):
        nonlocal now
        for number in range(count):
            now += 1
            yield number

    clocks = Clocks(lambda: now)
    for _ in clocks.around_generator("items", items)(3):
        now += 50
    assert clocks.seconds == {"items": 3}


@pytest.mark.slow
def test_a_training_run_spends_time_in_every_piece() -> None:
    found = measure_training(2, 64, rounds=1, envs=8, steps=16)
    assert found["decisions"] == 8 * 16
    (seconds,) = found["rounds"]
    assert set(seconds) == set(PIECES)
    assert all(spent > 0 for spent in seconds.values())
