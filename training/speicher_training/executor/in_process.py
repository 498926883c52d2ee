"""The executor that does all work itself, in the process and thread that asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Done, Job, Size
from speicher_training.executor.sharing import SharedBytes

__all__ = ["InProcess"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class _CrewOfOne(Closing, Generic[Task, Result]):
    """Does a task when its result is waited for."""

    def __init__(self, job: Job[Task, Result]) -> None:
        self._job = job
        self._work: Callable[[Task], Result] | None = None
        self._waiting: deque[Task] = deque()

    @property
    def room(self) -> int:
        return 1 - len(self._waiting)

    @property
    def size(self) -> Size:
        return Size(1, 1)

    @property
    def doing(self) -> list[object]:
        return []

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def wait(self, seconds: float) -> list[Done[Task, Result]]:
        if not self._waiting:
            return []
        if self._work is None:
            self._work = self._job.begin(lambda doing, seconds: None)
        task = self._waiting.popleft()
        return [Done(task, self._work(task))]

    def close(self) -> None:
        self._waiting.clear()


class InProcess(Closing):
    """Does one task after the other, here; what hangs hangs everything."""

    remote = False

    def crew(self, job: Job[Task, Result]) -> _CrewOfOne[Task, Result]:
        """Workers for a job: none but the caller."""
        return _CrewOfOne(job)

    def share(self, content: bytes) -> SharedBytes:
        """The bytes as they are."""
        return SharedBytes(content)
