"""What an executor offers: a crew of workers that is handed tasks and gives results, in any order.

Results do not depend on the executor. For that, a task says everything that its result depends on, seeds included, so
that it can be done again, by any worker, with the same result. Only the process that hands out the tasks writes files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

__all__ = ["Crew", "Done", "Executor", "Job", "Lost", "Report", "Shared", "Size", "WorkerError"]

Task = TypeVar("Task")
Result = TypeVar("Result")
TaskIn = TypeVar("TaskIn", contravariant=True)
ResultOut = TypeVar("ResultOut", covariant=True)

Report = Callable[[object, float], None]
"""Called by a worker before it does what may hang: with what that is (plain values, None for its own work), and the
seconds that it may take. Until the first report of a task it may take `supervision.FIRST_REPORT_SECONDS`."""


class WorkerError(RuntimeError):
    """Workers that cannot be had or do not finish their work; the message is one sentence."""


class Size(NamedTuple):
    """How much works at a time."""

    nodes: int
    cores: int


class Shared(Protocol):
    """Bytes that many tasks need, such as the weights of a network.

    Put into tasks or into a job, they travel once to each worker, which keeps them as long as somebody keeps this
    object in the process that shared them.
    """

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
    """The object that was submitted."""
    result: Result


@dataclass(frozen=True)
class Lost(Generic[Task]):
    """A task that a worker did not finish, because it hung or its process ended; hand it out again or give it up."""

    task: Task
    """The object that was submitted."""
    doing: object
    """What the worker had reported last, None for its own work."""
    why: str
    """Such as "ended its process (exit code -9)"."""
    hung: bool = False
    """Whether the worker was silent for longer than it had reported."""


class Crew(Protocol[Task, Result]):
    """Workers that do tasks of one job."""

    @property
    def room(self) -> int:
        """How many more tasks it takes to keep all workers busy; changes when workers come or go."""
        ...

    @property
    def size(self) -> Size:
        """The nodes and cores that it works on; changes when workers come or go."""
        ...

    @property
    def doing(self) -> Sequence[object]:
        """What the workers that have a task reported last, of workers on this machine alone."""
        ...

    def submit(self, task: Task) -> None:
        """Hand out a task; returns at once."""
        ...

    def wait(self, seconds: float) -> Sequence[Done[Task, Result] | Lost[Task]]:
        """What has ended since the last call, waiting up to some seconds for the first.

        An exception that a job raises in a worker is raised here.

        Raises:
            WorkerError: If there can be no workers, or for an exception that cannot be sent.
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

    @property
    def remote(self) -> bool:
        """Whether workers may be on other machines, so that files must be sent to them; see `luggage`."""
        ...

    def crew(self, job: Job[Task, Result]) -> Crew[Task, Result]:
        """Workers for a job; they are made when there are tasks."""
        ...

    def share(self, content: bytes) -> Shared:
        """Make bytes ready to be put into tasks."""
        ...

    def close(self) -> None:
        """Leave the cluster, if there is one; crews are closed before."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
