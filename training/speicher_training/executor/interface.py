"""What an executor offers: a crew of workers that is handed tasks and gives results, in any order.

Results do not depend on the executor. For that, a task says everything that its result depends on, seeds included, so
that it can be done again, by any worker, with the same result. Only the process that hands out the tasks writes files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

__all__ = ["Crew", "Done", "Executor", "Job", "Lost", "Report", "Shared"]

Task = TypeVar("Task")
Result = TypeVar("Result")
TaskIn = TypeVar("TaskIn", contravariant=True)
ResultOut = TypeVar("ResultOut", covariant=True)

Report = Callable[[object, float], None]
"""Called by a worker before it does what may hang: with what that is (plain values, None for its own work), and the
seconds that it may take."""


class Shared(Protocol):
    """Bytes that many tasks need, such as the weights of a network: put into tasks, they travel once to each worker."""

    def get(self) -> bytes:
        """The bytes."""
        ...


class Job(Protocol[TaskIn, ResultOut]):
    """A kind of work, as plain values that can be sent: specs and settings, never players or tensors."""

    def begin(self, report: Report) -> Callable[[TaskIn], ResultOut]:
        """Make ready in a worker, once; the function returned does one task after the other."""
        ...


@dataclass(frozen=True)
class Done(Generic[Task, Result]):
    """A task with its result."""

    task: Task
    result: Result


@dataclass(frozen=True)
class Lost(Generic[Task]):
    """A task that a worker did not finish, because it hung or its process ended; hand it out again or give it up."""

    task: Task
    doing: object
    """What the worker had reported last, None for its own work."""
    why: str
    """Such as "ended its process (exit code -9)"."""


class Crew(Protocol[Task, Result]):
    """Workers that do tasks of one job."""

    @property
    def room(self) -> int:
        """How many more tasks it takes to keep all workers busy; changes when workers come or go."""
        ...

    def submit(self, task: Task) -> None:
        """Hand out a task; returns at once."""
        ...

    def wait(self, seconds: float) -> Sequence[Done[Task, Result] | Lost[Task]]:
        """What has ended since the last call, waiting up to some seconds for the first.

        An exception that a job raises in a worker is raised here.
        """
        ...

    def close(self) -> None:
        """End all workers at once, also while they work."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Executor(Protocol):
    """Where work is done."""

    def crew(self, job: Job[Task, Result]) -> Crew[Task, Result]:
        """Workers for a job; they are made when there are tasks."""
        ...

    def share(self, content: bytes) -> Shared:
        """Make bytes ready to be put into tasks; the same bytes twice are kept once."""
        ...
