"""The executor of processes on this machine."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Generic, TypeVar

from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Done, Job, Lost, Size
from speicher_training.executor.sharing import Packed, SharedBytes, pack
from speicher_training.executor.supervision import SupervisedCrew
from speicher_training.executor.worker_process import WorkerProcess, WorkFailed

__all__ = ["Processes"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class _CrewOfProcesses(Closing, Generic[Task, Result]):
    """Hands out tasks in packed form."""

    def __init__(self, job: Job[Task, Result], jobs: int) -> None:
        self._crew: SupervisedCrew[Packed, bytes] = SupervisedCrew(partial(WorkerProcess, pack(job)), jobs)
        self._tasks: dict[int, Task] = {}

    @property
    def room(self) -> int:
        return self._crew.room

    @property
    def size(self) -> Size:
        return self._crew.size

    @property
    def doing(self) -> list[object]:
        return self._crew.doing

    def submit(self, task: Task) -> None:
        packed = pack(task)
        self._tasks[id(packed)] = task
        self._crew.submit(packed)

    def wait(self, seconds: float) -> list[Done[Task, Result] | Lost[Task]]:
        try:
            return [self._unpacked(event) for event in self._crew.wait(seconds)]
        except WorkFailed as failure:
            raise failure.original() from None

    def close(self) -> None:
        self._crew.close()

    def _unpacked(self, event: Done[Packed, bytes] | Lost[Packed]) -> Done[Task, Result] | Lost[Task]:
        task = self._tasks.pop(id(event.task))
        if isinstance(event, Done):
            return Done(task, pickle.loads(event.result))
        return Lost(task, event.doing, event.why, event.hung)


class Processes(Closing):
    """Several processes of this machine, each with one task at a time; one that hangs is killed."""

    remote = False

    def __init__(self, jobs: int) -> None:
        """Work with so many processes at a time."""
        self._jobs = jobs

    def crew(self, job: Job[Task, Result]) -> _CrewOfProcesses[Task, Result]:
        """Processes that do tasks of a job."""
        return _CrewOfProcesses(job, self._jobs)

    def share(self, content: bytes) -> SharedBytes:
        """Make bytes ready to be put into tasks; they travel once to each process."""
        return SharedBytes(content)
