"""Jobs for executors: what tasks ask for, tasks do."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from speicher_training.executor import Report, Shared, WorkerError

__all__ = ["Obedient", "Task", "Unsendable"]


class Unsendable(Exception):
    """An exception that cannot be pickled."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


@dataclass(frozen=True)
class Task:
    """Something to do with a number."""

    number: int
    do: str = "square"
    shared: tuple[Shared, ...] = ()
    marks: Path | None = None
    """A file to which the worker adds the number of its process when it begins the task."""


@dataclass(frozen=True)
class Obedient:
    """A job whose tasks say what to do."""

    hang: float = 0.2
    """Seconds after which a task that hangs is lost; others may take an hour."""

    def begin(self, report: Report) -> Callable[[Task], Any]:
        """See `Job.begin`."""

        def work(task: Task) -> Any:
            if task.marks is not None:
                with task.marks.open("a") as stream:
                    stream.write(f"{os.getpid()}\n")
            report(f"{task.do} {task.number}", self.hang if task.do == "hang" else 3600.0)
            match task.do:
                case "hang":
                    time.sleep(3600)
                case "die":
                    os._exit(3)
                case "end parent":
                    os.kill(os.getppid(), signal.SIGKILL)
                    time.sleep(3600)
                case "raise":
                    raise WorkerError("no more work")
                case "raise file":
                    raise FileNotFoundError("no such file")
                case "raise unsendable":
                    raise Unsendable("a", "b")
                case "warn":
                    warnings.warn("this job is old", FutureWarning, stacklevel=1)
                case "threads":
                    return os.environ.get("OMP_NUM_THREADS")
                case "bytes":
                    return bytes(task.number)
            return task.number**2, [shared.get() for shared in task.shared]

        return work
