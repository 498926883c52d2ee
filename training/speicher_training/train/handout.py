"""Tasks handed out to workers a round at a time, whose results are taken when all of a round are there.

A round is handed out before its results are needed, so that workers are busy while the learner learns. A task that is
lost with its worker is handed out again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from speicher_training.executor import Crew, Done, Executor, InProcess, Job, Lost, Size, WorkerError

__all__ = ["Handout"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TICK = 0.2
"""Seconds between two questions whether to stop."""
MOST_LOSSES = 5
"""Times that a task is lost before the run ends."""


class Handout(Generic[Task, Result]):
    """One round of tasks of a job at a time."""

    def __init__(self, executor: Executor, job: Job[Task, Result]) -> None:
        """Make ready; workers are made when there are tasks."""
        self._executor, self._job = executor, job
        self._tasks: list[Task] = []
        self._waiting: deque[int] = deque()
        self._places: dict[int, int] = {}
        """The place in the round of each task that a worker has, by identity."""
        self._results: dict[int, Result] = {}
        self._losses: dict[int, int] = {}
        self._crew: Crew[Task, Result] | None = None
        self.waited = 0.0
        """Seconds that the last `take` waited, also where this process did the work itself."""

    @property
    def size(self) -> Size:
        """The nodes and cores that work."""
        return Size(0, 0) if self._crew is None else self._crew.size

    @property
    def losses(self) -> int:
        """Tasks of this round that were handed out again."""
        return sum(self._losses.values())

    def give(self, tasks: Sequence[Task]) -> None:
        """Begin a round; the results of the one before have been taken."""
        self._tasks = list(tasks)
        self._waiting = deque(range(len(self._tasks)))
        self._results, self._losses = {}, {}

    def take(self, stop: Callable[[], bool] = lambda: False) -> list[Result] | None:
        """The results of the round, in the order of its tasks.

        Args:
            stop: Asked a few times a second; True ends the waiting.

        Returns:
            None if it was stopped. What is being done stays as it is then.
        """
        since = time.monotonic()
        while len(self._results) < len(self._tasks):
            if stop():
                return None
            self.go_on(TICK)
        self.waited = time.monotonic() - since
        return [self._results[place] for place in range(len(self._tasks))]

    def take_before(self, tasks: Sequence[Task]) -> list[Result]:
        """The results of other tasks, done before what remains of the round."""
        first = len(self._tasks)
        self._tasks += tasks
        places = range(first, len(self._tasks))
        self._waiting.extendleft(reversed(places))
        while not all(place in self._results for place in places):
            self.go_on(TICK)
        results = [self._results.pop(place) for place in places]
        del self._tasks[first:]
        return results

    def go_on(self, seconds: float = 0.0) -> None:
        """Take what workers have done, and give them more.

        Args:
            seconds: To wait for something to be done.
        """
        for event in self.submit().wait(seconds):
            place = self._places.pop(id(event.task))
            if isinstance(event, Done):
                self._results[place] = event.result
            else:
                self._lost(place, event)
        self.submit()

    def go_on_beside(self) -> None:
        """`go_on` without waiting, to be called now and then while learning; nothing if there are no workers."""
        if not isinstance(self._executor, InProcess) and len(self._results) < len(self._tasks):
            self.go_on()

    def submit(self) -> Crew[Task, Result]:
        """Hand tasks to all workers that have none."""
        if self._crew is None:
            self._crew = self._executor.crew(self._job)
        while self._waiting and self._crew.room > 0:
            place = self._waiting.popleft()
            self._places[id(self._tasks[place])] = place
            self._crew.submit(self._tasks[place])
        return self._crew

    def close(self) -> None:
        """End all workers."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None
        self._places = {}

    def _lost(self, place: int, event: Lost[Task]) -> None:
        self._losses[place] = self._losses.get(place, 0) + 1
        if self._losses[place] >= MOST_LOSSES:
            raise WorkerError(
                f"a part of the games was lost with its worker {MOST_LOSSES} times; the last one {event.why}."
            )
        self._waiting.appendleft(place)
