"""Results in the order of their tasks, for those who need an order and no crew of their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from speicher_training.executor.interface import Crew, Done, WorkerError

__all__ = ["in_order"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TICK = 0.2
"""Seconds between two questions whether to stop."""
LOSSES = 3
"""Times that a task is lost before it is given up."""


@dataclass
class _Turn(Generic[Task, Result]):
    """A task and what has become of it."""

    task: Task
    lost: int = 0
    results: tuple[Result, ...] = ()
    """Its result, once there is one."""


def in_order(
    crew: Crew[Task, Result],
    tasks: Iterable[Task],
    *,
    limit: int,
    interrupted: Callable[[], bool] = lambda: False,
) -> Generator[Result, None, None]:
    """The results of tasks, in their order, however they end.

    Args:
        crew: Does them. Tasks that are lost are handed out again.
        tasks: Taken when there is room for them. The same object must not come twice.
        limit: The most tasks that are handed out or wait for an earlier one.
        interrupted: Asked a few times a second; True ends the results.

    Raises:
        WorkerError: If a task is lost `LOSSES` times.
    """
    turns: list[_Turn[Task, Result]] = []
    source = iter(tasks)
    more = True
    while True:
        while more and crew.room > 0 and len(turns) < limit:
            try:
                task = next(source)
            except StopIteration:
                more = False
            else:
                turns.append(_Turn(task))
                crew.submit(task)
        if not turns:
            return
        for event in crew.wait(TICK):
            turn = next(turn for turn in turns if turn.task is event.task)
            if isinstance(event, Done):
                turn.results = (event.result,)
                continue
            turn.lost += 1
            if turn.lost == LOSSES:
                task_name = "the same task" if event.doing is None else str(event.doing)
                raise WorkerError(f"a worker {event.why}, {LOSSES} times with {task_name}.")
            crew.submit(event.task)
        if interrupted():
            return
        while turns and turns[0].results:
            yield turns.pop(0).results[0]
