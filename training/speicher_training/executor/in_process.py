"""The executor that does all work itself, in the process and thread that asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from speicher_training.executor.interface import Done, Job

__all__ = ["InProcess"]

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Here:
    """Shared bytes that never travel."""

    content: bytes

    def get(self) -> bytes:
        return self.content


class _CrewOfOne(Generic[Task, Result]):
    """Does a task when its result is waited for."""

    def __init__(self, job: Job[Task, Result]) -> None:
        self._job = job
        self._work: Callable[[Task], Result] | None = None
        self._waiting: deque[Task] = deque()

    @property
    def room(self) -> int:
        return 1 - len(self._waiting)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class InProcess:
    """Does one task after the other, here; a player that hangs hangs everything."""

    def crew(self, job: Job[Task, Result]) -> _CrewOfOne[Task, Result]:
        """Workers for a job: none but the caller."""
        return _CrewOfOne(job)

    def share(self, content: bytes) -> _Here:
        """The bytes as they are."""
        return _Here(content)
