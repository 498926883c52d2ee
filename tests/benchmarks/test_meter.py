"""The meter counts what it says and reports every round; all times come from a clock that the test moves."""

from __future__ import annotations

import pytest

from speicher_apps.meter import Lap, Measurement, Rate, measure, timed


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_timed_lap_has_the_count_of_its_work_and_the_time_it_took() -> None:
    clock = Clock()

    def work() -> int:
        clock.now += 0.5
        return 7

    assert timed(work, clock)() == Lap(7, 0.5)


def test_rounds_come_after_a_warm_up_that_is_not_counted() -> None:
    clock, laps = Clock(), []

    def lap() -> Lap:
        slow = 100.0 if not laps else 1.0  # as compiling is
        laps.append(slow)
        clock.now += slow
        return Lap(10, slow)

    rate = measure(lap, seconds=3, rounds=2, clock=clock, cpu_clock=clock)
    assert rate.counts == (30, 30)
    assert rate.seconds == (3.0, 3.0)
    assert len(laps) == 1 + 3 + 3
    assert rate.median == 10


def test_only_the_measured_part_of_a_lap_counts_as_time() -> None:
    clock = Clock()

    def lap() -> Lap:
        clock.now += 1.0  # of which a quarter is measured
        return Lap(5, 0.25)

    rate = measure(lap, seconds=4, rounds=3, clock=clock, cpu_clock=clock)
    assert rate.counts == (20, 20, 20) and rate.seconds == (1.0, 1.0, 1.0)
    assert rate.rates == [20.0, 20.0, 20.0]


def test_the_share_of_the_core_is_told() -> None:
    clock, cpu = Clock(), Clock()

    def lap() -> Lap:
        clock.now += 1.0
        cpu.now += 0.5
        return Lap(1, 1.0)

    assert measure(lap, seconds=2, rounds=2, clock=clock, cpu_clock=cpu).cpu == pytest.approx(0.5)


def test_rounds_taken_in_turn_do_not_count_the_time_of_others() -> None:
    clock, cpu = Clock(), Clock()

    def lap_of(seconds: float) -> Lap:
        clock.now += seconds
        cpu.now += seconds
        return Lap(1, seconds)

    slow, quick = (Measurement(lambda s=s: lap_of(s), 2, clock, cpu) for s in (2.0, 1.0))
    for _ in range(3):
        slow.round()
        quick.round()
    assert slow.rate().counts == (1, 1, 1) and quick.rate().counts == (2, 2, 2)
    assert slow.rate().cpu == quick.rate().cpu == pytest.approx(1)


def test_the_spread_is_that_of_the_rounds() -> None:
    rate = Rate((10, 30, 20), (1.0, 1.0, 1.0), 1.0)
    assert (rate.low, rate.median, rate.high) == (10, 20, 30)
    told = rate.as_dict()
    assert (told["low"], told["median"], told["high"]) == (10, 20, 30)
    assert told["counts"] == [10, 30, 20] and told["seconds"] == [1.0, 1.0, 1.0] and told["cpu"] == 1.0
