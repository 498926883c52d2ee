"""Results in the order of their tasks, for those who need an order and no crew of their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

from speicher_training.executor.interface import Crew, Done

__all__ = ["in_order"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TICK = 0.2
"""Seconds between two questions whether to stop."""


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
        tasks: Taken when there is room for them.
        limit: The most tasks that are handed out or wait for an earlier one.
        interrupted: Asked a few times a second; True ends the results.
    """
    pending: dict[int, Task] = {}
    finished: dict[int, Result] = {}
    numbered = enumerate(tasks)
    due = 0
    more = True
    while True:
        while more and crew.room > 0 and len(pending) + len(finished) < limit:
            number, task = next(numbered, (None, None))
            if number is None or task is None:
                more = False
                break
            pending[number] = task
            crew.submit(task)
        if not pending and not finished:
            return
        for event in crew.wait(TICK):
            number = next(each for each, task in pending.items() if task is event.task or task == event.task)
            if isinstance(event, Done):
                del pending[number]
                finished[number] = event.result
            else:
                crew.submit(event.task)
        if interrupted():
            return
        while due in finished:
            yield finished.pop(due)
            due += 1
