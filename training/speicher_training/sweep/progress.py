"""The progress of a sweep in one line."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["SweepProgress"]


class SweepProgress:
    """How many trials are done, run and wait, and how long the rest will take."""

    def __init__(self, pending: int, done: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin.

        Args:
            pending: Trials to carry out.
            done: Trials that were finished before.
            clock: Gives seconds.
        """
        self.done, self.failed = done, 0
        self._total = pending
        self._ended: set[str] = set()
        self._parts: dict[str, float] = {}
        self._first: dict[str, float] = {}
        self._clock, self._since = clock, clock()

    def begin(self, name: str) -> None:
        """Note that a trial runs."""
        self._parts.setdefault(name, 0.0)

    def report(self, name: str, part: float) -> None:
        """Note how much of a trial is done, 0..1."""
        self._first.setdefault(name, part)  # what an earlier call had done took no time of this one
        self._parts[name] = part

    def end(self, name: str, *, failed: bool = False) -> None:
        """Note that a trial has ended."""
        self._parts[name] = 1.0
        self._ended.add(name)
        self.failed += failed
        self.done += not failed

    @property
    def running(self) -> int:
        """Trials that run."""
        return len(self._parts) - len(self._ended)

    @property
    def pending(self) -> int:
        """Trials that have not begun."""
        return self._total - len(self._parts)

    def seconds_left(self) -> float | None:
        """The time until all trials are done, if they go on as they have; None while that cannot be said."""
        worked = sum(part - self._first.get(name, 0.0) for name, part in self._parts.items())
        left = self._total - sum(self._parts.values())
        elapsed = self._clock() - self._since
        return left * elapsed / worked if worked > 0.01 else None

    def sentence(self) -> str:
        """The counts and the time left."""
        text = f"trials: {self.done} done, {self.running} running, {self.pending} pending"
        if self.failed:
            text += f", {self.failed} failed"
        left = self.seconds_left()
        if left is not None:
            minutes = round(left / 60)
            text += f"; about {minutes // 60} h {minutes % 60:02d} min left" if minutes >= 60 else (
                f"; about {max(1, minutes)} min left"
            )  # fmt: skip
        return text
