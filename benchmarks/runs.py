"""Training runs that measurements are made of: a run goes on where it was, and several may go at a time."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy and torch are loaded: a run has one core

from rich.progress import Progress

from speicher_env.errors import ArgumentError, FileError
from speicher_env.messages import listed, must_be, one_of, shown
from speicher_training.arena import ArenaError
from speicher_training.train import Recipe
from speicher_training.train.metrics import read_metrics

TICK = 0.3
"""Seconds between two looks at what runs in other processes have to tell."""
MISTAKES = (ArgumentError, ArenaError, FileError)
"""What is told in one sentence."""

Told = Callable[[int], None]
"""Called with the decisions that a run has made."""
Interrupted = Callable[[], bool]
Work = Callable[[Told, Interrupted], Any]
"""One run, from its beginning or from where it was. What it gives back is its result, None if it was interrupted."""


def carry_out(
    works: dict[str, Work], jobs: int, told: Callable[[str, int], None], interrupted: Interrupted
) -> Iterator[tuple[str, Any]]:
    """Do the work of every name, and give each result as it comes; when interrupted, what is done by then.

    Args:
        works: By name, in the order to be done. With more than one job, to be pickled.
        jobs: How many at a time, each in a process of its own; 1 does them here.
        told: Called with a name and the decisions made.
        interrupted: Asked often; True makes the runs save where they are, and ends this.
    """
    if jobs > 1 and len(works) > 1:
        yield from _in_processes(works, jobs, told, interrupted)
        return
    for name, work in works.items():
        result = None if interrupted() else work(partial(told, name), interrupted)
        if result is None:
            return
        yield name, result


def _in_processes(
    works: dict[str, Work], jobs: int, told: Callable[[str, int], None], interrupted: Interrupted
) -> Iterator[tuple[str, Any]]:
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of NumPy and torch
    news, stop = context.SimpleQueue(), context.Event()
    pool = ProcessPoolExecutor(jobs, context, _begin, (news, stop))
    try:
        going: dict[Future[Any], str] = {pool.submit(_do, name, work): name for name, work in works.items()}
        while going:
            done, _ = wait(going, TICK, FIRST_COMPLETED)
            while not news.empty():
                told(*news.get())
            if interrupted():
                stop.set()
            for future in done:
                name = going.pop(future)
                result = future.result()
                if result is not None:
                    yield name, result
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


_outside: tuple[Any, Any] = (None, None)
"""In a process of the pool: where news go, and the sign to stop."""


def _begin(news: Any, stop: Any) -> None:
    global _outside
    _outside = news, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one passes it on


def _do(name: str, work: Work) -> Any:
    news, stop = _outside
    return None if stop.is_set() else work(lambda steps: news.put((name, steps)), stop.is_set)


def show(bar: Progress, steps: int) -> Callable[[str, int], None]:
    """A line of a progress bar for each run that goes, until it has made so many decisions."""
    tasks: dict[str, Any] = {}

    def told(name: str, made: int) -> None:
        if name not in tasks:
            tasks[name] = bar.add_task(name, total=steps)
        bar.update(tasks[name], completed=min(made, steps), visible=made < steps)

    return told


def curve(run: Path) -> list[dict[str, Any]]:
    """The evaluations of a run in their order; one that was made twice counts once."""
    found = {
        (line["steps"], line["opponent"]): {
            key: line[key] for key in ("steps", "seconds", "opponent", "win_share", "low", "high")
        }
        for line in read_metrics(run / "metrics.jsonl")
        if line["kind"] == "evaluation"
    }
    return list(found.values())


def count(text: str) -> int:
    """The argument of an option that takes a whole number, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{shown(text)}: must be a whole number, 1 or more")
    return int(text)


def check_two_players(recipe: Recipe) -> None:
    """Refuse a recipe for other numbers of players than two."""
    if recipe.game.players != [2]:
        players = listed(list(map(str, recipe.game.players)))
        raise ArgumentError(f"recipe {recipe.name}: is for games of {players}; must be for games of 2.")


def is_kept(path: Path, identity: Mapping[str, Any]) -> bool:
    """Whether a file holds the result of the run with this identity."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(result, dict) and all(result.get(key) == value for key, value in identity.items())


def check_names(given: Sequence[str], known: Sequence[str], what: str) -> None:
    """Refuse a name that is not known."""
    for name in given:
        if name not in known:
            raise ArgumentError(must_be(what, name, one_of(name, known)))
