"""The meter: laps of decisions in several rounds after a warm-up, with the spread of their rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any

__all__ = ["Clock", "Lap", "LapFunction", "Measurement", "Rate", "measure", "timed"]

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
    """Processor time of this process divided by the time that passed; well below 1 if the core was shared."""

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
    """A lap function that measures all of `work`, which returns a count."""

    def lap() -> Lap:
        start = clock()
        count = work()
        return Lap(count, clock() - start)

    return lap


class Measurement:
    """Rounds of a lap function, which may be taken in turn with those of others."""

    def __init__(
        self, lap: LapFunction, seconds: float, clock: Clock = perf_counter, cpu_clock: Clock = process_time
    ) -> None:
        """Make ready.

        Args:
            lap: The work.
            seconds: Least length of a round by the clock, measured or not.
            clock: The time.
            cpu_clock: Processor time of this process.
        """
        self._lap, self._seconds, self._clock, self._cpu_clock = lap, seconds, clock, cpu_clock
        self._rounds: list[Lap] = []
        self._passed = self._cpu = 0.0

    def warm_up(self) -> None:
        """Run laps for a quarter of a round, at least one: code is compiled and games come out of step."""
        _round(self._lap, self._seconds / 4, self._clock)

    def round(self) -> None:
        """Run a round and keep it."""
        began, began_cpu = self._clock(), self._cpu_clock()
        self._rounds.append(_round(self._lap, self._seconds, self._clock))
        self._passed += self._clock() - began
        self._cpu += self._cpu_clock() - began_cpu

    def rate(self) -> Rate:
        """The rounds so far."""
        counts, seconds = zip(*((lap.count, lap.seconds) for lap in self._rounds), strict=True)
        return Rate(counts, seconds, self._cpu / max(self._passed, 1e-9))


def measure(
    lap: LapFunction,
    *,
    seconds: float,
    rounds: int,
    clock: Clock = perf_counter,
    cpu_clock: Clock = process_time,
) -> Rate:
    """Warm up and run that many rounds, one after the other."""
    measurement = Measurement(lap, seconds, clock, cpu_clock)
    measurement.warm_up()
    for _ in range(rounds):
        measurement.round()
    return measurement.rate()


def _round(lap: LapFunction, seconds: float, clock: Clock) -> Lap:
    """Laps until the time is over, at least one, added up."""
    count, spent = 0, 0.0
    until = clock() + seconds
    while True:
        done = lap()
        count += done.count
        spent += done.seconds
        if clock() >= until:
            return Lap(count, spent)
