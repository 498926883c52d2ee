"""The executor of threads: for compiled code, and for objects that exist in this process only."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Job, Report
from speicher_training.executor.sharing import SharedBytes
from speicher_training.executor.supervision import Inbox, SupervisedCrew, Worker

__all__ = ["Threads"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class _Thread(Worker[Task]):
    """A worker in this process. If it hangs, it cannot be ended, only abandoned."""

    def __init__(self, begin: Callable[[Report], Callable[[Task], Any]], inbox: Inbox) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, args=(begin, inbox), daemon=True).start()

    def send(self, task: Task) -> None:
        self._tasks.put(task)

    def end(self) -> None:
        self._tasks.put(None)

    def _serve(self, begin: Callable[[Report], Callable[[Task], Any]], inbox: Inbox) -> None:
        try:
            work = begin(lambda doing, seconds: inbox.put((self, "doing", (doing, seconds))))
            while (task := self._tasks.get()) is not None:
                inbox.put((self, "done", work(task)))
        except Exception as error:
            inbox.put((self, "failed", error))


class Threads(Closing):
    """Several threads of this process. A job need not be plain values, for it does not travel."""

    remote = False

    def __init__(self, jobs: int) -> None:
        """Work with so many threads at a time."""
        self._jobs = jobs

    def crew(self, job: Job[Task, Result]) -> SupervisedCrew[Task, Result]:
        """Threads that do tasks of a job."""
        return SupervisedCrew(partial(_Thread, job.begin), self._jobs)

    def share(self, content: bytes) -> SharedBytes:
        """The bytes as they are."""
        return SharedBytes(content)
