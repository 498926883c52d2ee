"""Training runs for measurements: an interrupted run is resumed, and several may run at a time."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy and torch are loaded: a run has one core

from rich.progress import Progress as ProgressBar

from benchmarks.results import write
from speicher_apps.cli.errors import INTERRUPTED
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.progress import progress_bar
from speicher_env.errors import ArgumentError, FileError
from speicher_env.messages import listed, must_be, one_of, shown
from speicher_training.arena import ArenaError
from speicher_training.train import Recipe
from speicher_training.train.metrics import read_metrics

TICK = 0.3
"""Seconds between two reads of the progress of runs in other processes."""
MISTAKES = (ArgumentError, ArenaError, FileError)
"""Errors that are reported in one sentence."""

Progress = Callable[[int], None]
"""Called with the decisions that a run has made."""
Interrupted = Callable[[], bool]
Work = Callable[[Progress, Interrupted], Any]
"""One run, from its beginning or from where it was; returns its result, None if it was interrupted."""


def carry_out(
    works: dict[str, Work], jobs: int, progress: Callable[[str, int], None], interrupted: Interrupted
) -> Iterator[tuple[str, Any]]:
    """Carry out runs, and yield each name and result as it comes; if interrupted, those that are done by then.

    Args:
        works: By name, in order. With more than one job they are pickled.
        jobs: Runs at a time, each in its own process; 1 runs them in this one.
        progress: Called with a name and the decisions made.
        interrupted: Asked often; True makes the runs save their state, and ends this.
    """
    if jobs > 1 and len(works) > 1:
        yield from _in_processes(works, jobs, progress, interrupted)
        return
    for name, work in works.items():
        result = None if interrupted() else work(partial(progress, name), interrupted)
        if result is None:
            return
        yield name, result


def _in_processes(
    works: dict[str, Work], jobs: int, progress: Callable[[str, int], None], interrupted: Interrupted
) -> Iterator[tuple[str, Any]]:
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of NumPy and torch
    queue, stop = context.SimpleQueue(), context.Event()
    pool = ProcessPoolExecutor(jobs, context, _begin, (queue, stop))
    try:
        going: dict[Future[Any], str] = {pool.submit(_do, name, work): name for name, work in works.items()}
        while going:
            done, _ = wait(going, TICK, FIRST_COMPLETED)
            while not queue.empty():
                progress(*queue.get())
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
"""In a process of the pool: the queue of progress, and the event that stops the runs."""


def _begin(queue: Any, stop: Any) -> None:
    global _outside
    _outside = queue, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one passes it on


def _do(name: str, work: Work) -> Any:
    queue, stop = _outside
    return None if stop.is_set() else work(lambda steps: queue.put((name, steps)), stop.is_set)


def show(bar: ProgressBar, steps: int) -> Callable[[str, int], None]:
    """A line of a progress bar for each run until it has made that many decisions."""
    tasks: dict[str, Any] = {}

    def progress(name: str, made: int) -> None:
        if name not in tasks:
            tasks[name] = bar.add_task(name, total=steps)
        bar.update(tasks[name], completed=min(made, steps), visible=made < steps)

    return progress


def add_arguments(parser: argparse.ArgumentParser, runs: Path, kept: Path) -> None:
    """Add the options that commands with runs have."""
    parser.add_argument("--seeds", type=count, default=3, help="seeds 1 to this (default: 3)")
    parser.add_argument("--jobs", type=count, default=1, help="runs at a time, each on one core (default: 1)")
    parser.add_argument("--folder", type=Path, default=runs, help="where the runs are")
    parser.add_argument("--into", type=Path, default=kept, help="where their results are kept")


def carry_out_and_keep(
    works: dict[str, Work], steps: int, options: argparse.Namespace, sentence: Callable[[dict[str, Any]], str]
) -> None:
    """Carry out runs with a progress bar, and write and print each result as it comes; exit if interrupted.

    Args:
        works: By name.
        steps: Decisions of a run.
        options: See `add_arguments`.
        sentence: A result in one line.
    """
    with interruptible() as interrupted, progress_bar() as bar:
        every = bar.add_task("runs", total=len(works))
        for name, result in carry_out(works, options.jobs, show(bar, steps), interrupted):
            write(name, result, options.into)
            print(sentence(result), flush=True)
            bar.advance(every)
    if interrupted():
        print("interrupted; the same command resumes from here", file=sys.stderr)
        sys.exit(INTERRUPTED)


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
