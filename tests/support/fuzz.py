"""The deep comparison of the engine with its naive twin: `python -m tests.support.fuzz --games 100000`.

A game follows from its seed alone: the number of players, the deck, the way to choose, the deal and every move. So one
seed repeats what was found. The first difference stops the run; exit code 1 says that there was one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from speicher_env import N_ACTIONS
from speicher_env.errors import ArgumentError
from speicher_env.rules.stream import MAX_SEED
from speicher_training.executor import check_ray
from tests.support.choosers import CHOOSERS
from tests.support.rule_events import EVENTS, Chronicle
from tests.support.seed_chunks import Seeds, in_chunks
from tests.support.twin import Chooser, Difference, play_both

CHUNK = 20
"""Games that a process plays before it reports: about half a second."""
NOT_A_TERMINAL_INTERVAL = 15.0
"""Seconds between progress lines where they cannot be written over."""

EXIT_DIFFERENCE, EXIT_INTERRUPTED = 1, 130


class Case(NamedTuple):
    """How the game of a seed is played."""

    players: int
    deck: str
    chooser: Callable[[random.Random], Chooser]


class Report(NamedTuple):
    """The outcome of a chunk of games."""

    chronicle: Chronicle
    fault: str | None
    seed: int
    """Of the game with the fault, else of the last one."""


def case_of(seed: int) -> Case:
    """How the game of a seed is played: neighbouring seeds go through all combinations."""
    ways, players = divmod(seed, 4)
    chooser, deck = divmod(ways, 2)
    return Case(2 + players, ("standard", "sampled")[deck], CHOOSERS[chooser % len(CHOOSERS)])


def play_seeds(first: int, count: int) -> Report:
    """Play the games of so many seeds, up to the first difference."""
    chronicle = Chronicle()
    for seed in range(first, first + count):
        case = case_of(seed)
        try:
            play_both(case.players, case.deck, seed, case.chooser(random.Random(seed)), chronicle.watch)
        except Exception as error:  # an engine that cannot even deal is a fault like any other
            what = str(error) if isinstance(error, Difference) else traceback.format_exc()
            return Report(chronicle, f"{what}\nmoves chosen by: {case.chooser.__name__}", seed)
    return Report(chronicle, None, first + count - 1)


class Interrupt:
    """Notes Ctrl-C instead of raising it, so that the chunks under way end, the processes too, and nothing is lost."""

    def __init__(self) -> None:
        self.noted = False

    def __enter__(self) -> Interrupt:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        self.noted = True


class Progress:
    """A line on standard error: games so far, games a second, time left."""

    def __init__(self, games: int, what: str = "games") -> None:
        self.games = games
        self.what = what
        self.started = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._said = self.started

    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    def say(self, played: int) -> None:
        """Write the line, now and then only where it cannot be written over."""
        if not self._terminal and time.monotonic() - self._said < NOT_A_TERMINAL_INTERVAL:
            return
        self._said = time.monotonic()
        rate = played / max(self.seconds(), 1e-9)
        left = duration((self.games - played) / rate) if rate else "unknown time"
        line = f"{played:,} of {self.games:,} {self.what}, {rate:.1f} {self.what}/s, {left} left"
        print(
            f"\r{line:<70}" if self._terminal else line, end="" if self._terminal else "\n", file=sys.stderr, flush=True
        )

    def close(self) -> None:
        """End the line."""
        if self._terminal:
            print(file=sys.stderr)


def duration(seconds: float) -> str:
    """A time for people: "41 s", "12 min 5 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def summary(chronicle: Chronicle, seconds: float) -> str:
    """What was played and what happened in it."""
    rate = chronicle.games / max(seconds, 1e-9)
    lines = [
        f"{chronicle.games:,} games, {chronicle.decisions:,} decisions in {duration(seconds)} ({rate:.1f} games/s)",
        f"{len(chronicle.actions)} of {N_ACTIONS} actions played",
        "games in which it happened:",
        *(f"{chronicle.events[event]:>9,}  {event}" for event in EVENTS),
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    options = _options(arguments)
    total = Chronicle()
    progress = Progress(options.games)
    fault: Report | None = None
    job = Seeds("tests.support.fuzz", "play_seeds")
    games = in_chunks(job, options.games, options.seed, CHUNK, options)
    with Interrupt() as interrupt, closing(games) as running:
        for report in running:
            total.add(report.chronicle)
            progress.say(total.games)
            if report.fault is not None:
                fault = report
            if fault is not None or interrupt.noted:
                break
    seconds = progress.seconds()
    progress.close()
    print(summary(total, seconds))
    seeds = range(options.seed, options.seed + options.games)
    return report_end(fault, interrupt, "fuzz --games", "no difference between engine and twin", seeds)


def report_end(fault: Any, interrupt: Interrupt, command: str, no_fault: str, seeds: range) -> int:
    """Print how a fuzzing command ended; returns its exit code."""
    if fault is not None:
        print(f"\n{fault.fault}\n\nTo repeat it: python -m tests.support.{command} 1 --seed {fault.seed}")
        return EXIT_DIFFERENCE
    if interrupt.noted:
        print(f"Interrupted: {no_fault} so far, seeds from {seeds[0]}.")
        return EXIT_INTERRUPTED
    print(f"{no_fault.capitalize()}, seeds {seeds[0]} to {seeds[-1]}.")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    description = "Play games in the engine and in its naive twin and compare every state."
    parser = parser_for("fuzz", description, "games", 1000)
    options = parser.parse_args(arguments)
    if options.seed + options.games - 1 > MAX_SEED:
        parser.error(f"the last game would have the seed {options.seed + options.games - 1}; seeds end at {MAX_SEED}")
    options.jobs = jobs_anywhere(options, options.games, CHUNK)
    return options


def parser_for(module: str, description: str, things: str, default: int) -> argparse.ArgumentParser:
    """The options of a fuzzing command: how many things are tried, from which seed on, by how many processes."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.support.{module}", description=description)
    parser.add_argument(
        f"--{things}", type=at_least(1), default=default, help=f"how many {things} (default: {default})"
    )
    parser.add_argument("--jobs", type=at_least(1), help="workers at a time (default: one for each core)")
    parser.add_argument("--ray", type=cluster, help="a Ray cluster that works: auto, local or HOST:PORT")
    parser.add_argument("--seed", type=at_least(0), default=0, help=f"seed of the first of the {things} (default: 0)")
    return parser


def jobs_for(jobs: int | None, count: int, size: int) -> int:
    """Workers at a time, no more than there are chunks."""
    return min(jobs or os.cpu_count() or 1, -(-count // size))


def jobs_anywhere(options: argparse.Namespace, count: int, size: int) -> int | None:
    """`jobs_for`, but None for all cores of a cluster."""
    if options.jobs is None and options.ray is not None:
        return None
    return jobs_for(options.jobs, count, size)


def cluster(text: str) -> str:
    """A type for arguments: what `executor_for` takes for a Ray cluster."""
    try:
        check_ray(text)
    except ArgumentError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def at_least(lowest: int) -> Callable[[str], int]:
    """A type for arguments: a whole number that is not below `lowest`."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < lowest:
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number from {lowest}")
        return int(text)

    return number


if __name__ == "__main__":
    sys.exit(main())
