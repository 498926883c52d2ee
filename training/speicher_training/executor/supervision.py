"""A crew of workers on this machine that are watched: one that is silent for too long is ended, as is one that dies."""

from __future__ import annotations

import queue
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Done, Lost, Size

__all__ = ["FIRST_REPORT_SECONDS", "Inbox", "SupervisedCrew", "Worker"]

FIRST_REPORT_SECONDS = 600.0
"""What a worker may take for its start and a task before it reports, compilation included."""
NEVER = float("inf")

Task = TypeVar("Task")
Result = TypeVar("Result")

Kind = Literal["doing", "done", "failed", "warned", "died"]
Inbox = queue.SimpleQueue[tuple["Worker[Any]", Kind, Any]]
"""What workers say: "doing" with what and seconds, "done" with a result, "failed" with an exception, "warned" with a
text and a category, "died" with how."""


class Worker(Generic[Task]):
    """A worker's task, and the time by which it must report."""

    task: Task | None = None
    doing: object = None
    deadline = NEVER

    def begin(self, task: Task) -> None:
        """Give it a task."""
        self.task, self.doing = task, None
        self.deadline = time.monotonic() + FIRST_REPORT_SECONDS
        self.send(task)

    def send(self, task: Task) -> None:
        """Let it do a task."""
        raise NotImplementedError

    def end(self) -> None:
        """End it at once."""
        raise NotImplementedError


class SupervisedCrew(Closing, Generic[Task, Result]):
    """Workers that are made when there are tasks, and replaced when they are lost."""

    def __init__(self, hire: Callable[[Inbox], Worker[Task]], jobs: int) -> None:
        """Begin without workers.

        Args:
            hire: Makes a worker that says what it does in this inbox.
            jobs: The most workers at a time.
        """
        self._hire, self._jobs = hire, jobs
        self._inbox: Inbox = queue.SimpleQueue()
        self._workers: list[Worker[Task]] = []

    @property
    def room(self) -> int:
        """See `Crew.room`."""
        return self._jobs - sum(worker.task is not None for worker in self._workers)

    @property
    def size(self) -> Size:
        """See `Crew.size`."""
        return Size(1, self._jobs)

    @property
    def doing(self) -> list[object]:
        """See `Crew.doing`."""
        return [worker.doing for worker in self._workers if worker.task is not None]

    def submit(self, task: Task) -> None:
        """See `Crew.submit`; only while there is room."""
        worker = next((worker for worker in self._workers if worker.task is None), None)
        if worker is None:
            if len(self._workers) == self._jobs:
                raise RuntimeError("submit: there is no room for a task")
            worker = self._hire(self._inbox)
            self._workers.append(worker)
        worker.begin(task)

    def wait(self, seconds: float) -> list[Done[Task, Result] | Lost[Task]]:
        """See `Crew.wait`."""
        until = time.monotonic() + seconds
        ended: list[Done[Task, Result] | Lost[Task]] = []
        while not ended and any(worker.task is not None for worker in self._workers):
            nearest = min(until, *(worker.deadline for worker in self._workers))
            with suppress(queue.Empty):
                self._note(*self._inbox.get(timeout=max(nearest - time.monotonic(), 0.0)), ended)
                while not self._inbox.empty():
                    self._note(*self._inbox.get(), ended)
            ended += self._silent()
            if time.monotonic() >= until:
                break
        return ended

    def close(self) -> None:
        """See `Crew.close`."""
        while self._workers:
            self._workers.pop().end()

    def _note(
        self, worker: Worker[Task], kind: Kind, content: Any, ended: list[Done[Task, Result] | Lost[Task]]
    ) -> None:
        if worker not in self._workers:
            return  # an abandoned thread, or the end of a process that was ended
        task = worker.task
        if kind == "doing":
            worker.doing, seconds = content
            worker.deadline = time.monotonic() + seconds
        elif kind == "warned":
            text, category = content
            warnings.warn(text, category, stacklevel=4)  # the same words from several workers are shown once
        elif kind == "failed":
            raise content
        elif kind == "died":
            self._drop(worker)
            if task is not None:
                ended.append(Lost(task, worker.doing, content))
        elif task is not None:
            worker.task, worker.deadline = None, NEVER
            ended.append(Done(task, content))

    def _silent(self) -> list[Lost[Task]]:
        """End the workers whose time is over, and give their tasks."""
        lost = []
        for worker in [worker for worker in self._workers if time.monotonic() > worker.deadline]:
            self._drop(worker)
            if worker.task is not None:
                lost.append(Lost(worker.task, worker.doing, "was silent for too long", hung=True))
        return lost

    def _drop(self, worker: Worker[Task]) -> None:
        self._workers.remove(worker)
        worker.end()
