"""Workers that only pretend to work, on a clock of their own: 1,000 of them take no longer than one.

They have the interface of an executor, so the code that hands out tasks is the real code. Like a crew on Ray, this one
hands out again by itself what was lost with a node.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from speicher_training.executor import Done, Job, Size

__all__ = ["Clock", "SimulatedCrew", "SimulatedExecutor", "Workers"]

Task = TypeVar("Task")

AHEAD = 2
"""Tasks that a worker has, as on Ray: while a result travels, it does the next one."""


class Clock:
    """Seconds that pass only when a crew waits or is busy."""

    now = 0.0


@dataclass(frozen=True)
class Workers:
    """What workers are like."""

    number: int
    seconds: float
    """That a task takes on average."""
    spread: float = 0.2
    """A task takes this much less or more, as a part of its time."""
    delay: float = 0.001
    """Seconds that a task travels to a worker, and its result back."""
    handling: float = 0.0005
    """Seconds that the process which hands out the tasks takes for each."""
    life: float = 0.0
    """Hours after which a worker dies on average; 0 for never."""
    noticed: float = 30.0
    """Seconds until its death is noticed, and its tasks are handed out again."""
    absence: float = 120.0
    """Seconds from then on until there is another in its place."""


@dataclass(eq=False)
class _Worker:
    """A worker's times."""

    dies: float
    free: float = 0.0
    """When it has done all that it was given."""
    gone: bool = False


class SimulatedCrew(Generic[Task]):
    """Implements `Crew`; all results are the same."""

    def __init__(self, workers: Workers, clock: Clock, result: Any = None, seed: int = 1) -> None:
        """Begin with all workers there.

        Args:
            workers: What they are like.
            clock: Moved on by this crew.
            result: Of every task.
            seed: Of times and deaths.
        """
        self._about, self._clock, self._result = workers, clock, result
        self._random = random.Random(seed)
        self._number = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._places: deque[_Worker] = deque()
        """Workers with room for a task, as often as they have it."""
        self._again: deque[Task] = deque()
        self._ended: list[Done[Task, Any]] = []
        self.worked = self.handled = 0.0
        """Seconds of work that came to a result, and of the process that hands out the tasks."""
        self.lost = 0
        """Tasks that were handed out again."""
        for _ in range(workers.number):
            self._join()

    @property
    def doing(self) -> list[object]:
        """See `Crew.doing`."""
        return []

    @property
    def room(self) -> int:
        """See `Crew.room`."""
        return len(self._places) - len(self._again)

    @property
    def size(self) -> Size:
        """See `Crew.size`."""
        return Size(self._about.number, self._about.number)

    def submit(self, task: Task) -> None:
        """See `Crew.submit`."""
        self._again.append(task)
        self._hand_out()

    def wait(self, seconds: float) -> list[Done[Task, Any]]:
        """See `Crew.wait`: the clock goes on until something has ended, or by that many seconds."""
        until = self._clock.now + seconds
        while not self._ended and self._events and self._events[0][0] <= until:
            self._clock.now = max(self._clock.now, self._events[0][0])
            while self._events and self._events[0][0] <= self._clock.now:
                heapq.heappop(self._events)[2]()
        if not self._ended:
            self._clock.now = max(self._clock.now, until)
        ended, self._ended = self._ended, []
        return ended

    def _hand_out(self) -> None:
        while self._again and self._places:
            self._start(self._again.popleft(), self._places.popleft())

    def _start(self, task: Task, worker: _Worker) -> None:
        self._handle()
        about = self._about
        seconds = about.seconds * self._random.uniform(1 - about.spread, 1 + about.spread)
        worker.free = max(self._clock.now + about.delay, worker.free) + seconds
        if worker.free > worker.dies:
            self._at(max(self._clock.now, worker.dies) + about.noticed, lambda: self._lose(task, worker))
        else:
            self._at(worker.free + about.delay, lambda: self._end(task, worker, seconds))

    def _end(self, task: Task, worker: _Worker, seconds: float) -> None:
        self._handle()
        self.worked += seconds
        if not worker.gone:
            self._places.append(worker)
        self._ended.append(Done(task, self._result))
        self._hand_out()

    def _lose(self, task: Task, worker: _Worker) -> None:
        self.lost += 1
        self._again.appendleft(task)
        if not worker.gone:
            worker.gone = True
            self._places = deque(each for each in self._places if each is not worker)
            self._at(self._clock.now + self._about.absence, self._join)
        self._hand_out()

    def _join(self) -> None:
        life = self._random.expovariate(1 / (3600 * self._about.life)) if self._about.life else float("inf")
        self._places.extend([_Worker(self._clock.now + life)] * AHEAD)
        self._hand_out()

    def _at(self, time: float, what: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, self._number, what))

    def _handle(self) -> None:
        self._clock.now += self._about.handling
        self.handled += self._about.handling

    def close(self) -> None:
        """See `Crew.close`."""
        self._events.clear()

    def __enter__(self) -> SimulatedCrew[Task]:
        """See `Crew`."""
        return self

    def __exit__(self, *_: object) -> None:
        """See `Crew`."""
        self.close()


class SimulatedExecutor:
    """Implements what an arena needs of `Executor`, with one crew."""

    remote = False

    def __init__(self, crew: SimulatedCrew[object]) -> None:
        """Take a crew."""
        self._crew = crew

    def crew(self, job: Job[object, object]) -> SimulatedCrew[object]:
        """The crew, whatever the job is."""
        return self._crew

    def __enter__(self) -> SimulatedExecutor:
        """See `Executor`."""
        return self

    def __exit__(self, *_: object) -> None:
        """See `Executor`."""
