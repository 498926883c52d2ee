"""The meter: laps of real decisions, warmed up, in several rounds, with their spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

Clock = Callable[[], float]
"""Seconds from an arbitrary start."""


@dataclass(frozen=True)
class Lap:
    """A piece of work: how much was done and how long the measured part of it took."""

    count: int
    """Decisions, or calls; never resets, dead steps or decisions that play themselves."""
    seconds: float


LapFunction = Callable[[], Lap]


@dataclass(frozen=True)
class Rate:
    """Rounds of laps: counts and seconds of each round."""

    counts: tuple[int, ...]
    seconds: tuple[float, ...]
    cpu: float
    """Processor time of this process over the time that passed. Well below 1 with one thread: the core was shared."""

    @property
    def rates(self) -> list[float]:
        """Of each round, per second."""
        return [count / second for count, second in zip(self.counts, self.seconds, strict=True)]

    @property
    def median(self) -> float:
        """Per second; what is reported."""
        return median(self.rates)

    @property
    def low(self) -> float:
        """Of the slowest round."""
        return min(self.rates)

    @property
    def high(self) -> float:
        """Of the fastest round."""
        return max(self.rates)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the spread first, then every round."""
        return {
            "median": round(self.median, 3),
            "low": round(self.low, 3),
            "high": round(self.high, 3),
            "counts": list(self.counts),
            "seconds": [round(second, 6) for second in self.seconds],
            "cpu": round(self.cpu, 3),
        }


def timed(work: Callable[[], int], clock: Clock = perf_counter) -> LapFunction:
    """A lap that is measured from beginning to end; `work` returns its count."""

    def lap() -> Lap:
        start = clock()
        count = work()
        return Lap(count, clock() - start)

    return lap


def measure(
    lap: LapFunction,
    *,
    seconds: float,
    rounds: int,
    clock: Clock = perf_counter,
    cpu_clock: Clock = process_time,
) -> Rate:
    """Warm up, then run laps for so many rounds of at least `seconds` each (by the clock, measured or not).

    The warm-up, of at least one lap and a quarter of a round, is where code is compiled and games come out of step.
    """
    _round(lap, seconds / 4, clock)
    begun, begun_cpu = clock(), cpu_clock()
    done = [_round(lap, seconds, clock) for _ in range(rounds)]
    cpu = (cpu_clock() - begun_cpu) / max(clock() - begun, 1e-9)
    return Rate(tuple(one.count for one in done), tuple(one.seconds for one in done), cpu)


def _round(lap: LapFunction, seconds: float, clock: Clock) -> Lap:
    """Laps until the time is over, at least one, added up."""
    count, spent = 0, 0.0
    until = clock() + seconds
    while True:
        one = lap()
        count += one.count
        spent += one.seconds
        if clock() >= until:
            return Lap(count, spent)
