"""How long a search runs: a number of iterations, or a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be

__all__ = ["Budget", "Clock", "check_weight"]

Clock = Callable[[], float]
"""Seconds since some moment."""

FIRST_PART = 16
"""Iterations before a search with a time first looks at the clock."""
PART_MS = 1.0
"""How often it looks afterwards, as far as one iteration takes less."""


@dataclass(frozen=True)
class Budget:
    """What one decision may cost; exactly one of the two is given."""

    iterations: int | None = None
    ms: float | None = None
    """Milliseconds. At least `FIRST_PART` iterations are made whatever they take."""

    def __post_init__(self) -> None:
        if (self.iterations is None) == (self.ms is None):
            given = "neither is" if self.ms is None else "both are"
            raise ArgumentError(f"iterations and ms: {given} given; must be one of them.")
        if self.iterations is not None:
            check_count("iterations", self.iterations)
        if self.ms is not None and not 0 < self.ms < math.inf:
            raise ArgumentError(must_be("ms", self.ms, "a number of milliseconds above 0"))

    def spend(
        self,
        run: Callable[[int], None],
        clock: Clock = time.perf_counter,
        decisions: int = 1,
        expect: Callable[[int], None] | None = None,
    ) -> int:
        """Call `run(iterations)` until the budget is used up; return the number of iterations.

        Several decisions that are searched side by side put their times together. With a time, `expect(iterations)`
        is called before each part but the first: how many there will be in all, at the rate so far.
        """
        if self.iterations is not None:
            run(self.iterations)
            return self.iterations
        assert self.ms is not None
        given = self.ms * decisions
        begin = clock()
        done, part = 0, FIRST_PART
        while True:
            run(part)
            done += part
            passed = 1000.0 * (clock() - begin)
            left = given - passed
            if left <= 0:
                return done
            if expect is not None and passed > 0:
                expect(int(given * done / passed))
            part = FIRST_PART * done if passed <= 0 else max(1, int(min(left, PART_MS) * done / passed))


def check_weight(name: str, value: float, most: float = math.inf) -> float:
    """A parameter of a search that is a number from 0 up, or 0..most."""
    if not 0 <= value <= most or math.isinf(value):
        allowed = "from 0 up" if math.isinf(most) else f"0..{most:g}"
        raise ArgumentError(must_be(name, value, f"a number {allowed}"))
    return float(value)
