"""Training runs for measurements: an interrupted run is resumed, and several may run at a time."""

from __future__ import annotations

import argparse
import json
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy and torch are loaded: a run has one core

from rich.progress import Progress as ProgressBar

from benchmarks.results import write
from speicher_apps.cli.errors import INTERRUPTED, WRONG_INPUT
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.progress import progress_bar
from speicher_env.errors import ArgumentError, FileError
from speicher_env.messages import listed, must_be, one_of, shown
from speicher_training.arena import ArenaError
from speicher_training.sweep import Watch, Work, carry_out
from speicher_training.train import Recipe
from speicher_training.train.metrics import read_metrics

MISTAKES = (ArgumentError, ArenaError, FileError)
"""Errors that are reported in one sentence."""


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
    parser.add_argument("--ray", help="local, auto or HOST:PORT, as for speicher sweep; default: local for many jobs")
    parser.add_argument("--folder", type=Path, default=runs, help="where the runs are")
    parser.add_argument("--into", type=Path, default=kept, help="where their results are kept")


def carry_out_and_keep(
    works: Mapping[str, Work], steps: int, options: argparse.Namespace, sentence: Callable[[dict[str, Any]], str]
) -> None:
    """Carry out runs with a progress bar, and write and print each result as it comes; exit if any is missing.

    Args:
        works: By name. They report `steps`.
        steps: Decisions of a run.
        options: See `add_arguments`.
        sentence: A result in one line.
    """
    failures: list[str] = []
    with interruptible() as interrupted, progress_bar() as bar:
        every = bar.add_task("runs", total=len(works))
        made = show(bar, steps)

        def keep(name: str, result: dict[str, Any]) -> None:
            write(name, result, options.into)
            print(sentence(result), flush=True)
            bar.advance(every)

        watch = Watch(
            report=lambda name, report: made(name, report["steps"]),
            result=keep,
            failed=lambda name, why: failures.append(f"{name} failed: {why}"),
            interrupted=interrupted,
        )
        ray = options.ray or ("local" if min(options.jobs, len(works)) > 1 else None)
        carry_out(works, watch, jobs=options.jobs, ray=ray)
    if interrupted():
        print("interrupted; the same command resumes from here", file=sys.stderr)
        sys.exit(INTERRUPTED)
    if failures:
        print(*failures, sep="\n", file=sys.stderr)
        sys.exit(WRONG_INPUT)


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


def minutes_of(text: str) -> float:
    """The argument of --minutes."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < 1e6:
        raise ArgumentTypeError(f"{text!r}: must be a number of minutes above 0")
    return minutes


def check_two_players(recipe: Recipe) -> None:
    """Refuse a recipe for other numbers of players than two."""
    if recipe.game.players != [2]:
        players = listed(list(map(str, recipe.game.players)))
        raise ArgumentError(f"recipe {recipe.name}: is for games of {players}; must be for games of 2.")


def settings_by_time(recipe: Recipe) -> dict[str, dict[str, Any]]:
    """All settings of a recipe but how many decisions PPO makes, for runs that end after a time."""
    ppo = {key: value for key, value in recipe.tables["ppo"].items() if key != "steps"}
    return recipe.tables | {"ppo": ppo}


def is_kept(path: Path, identity: Mapping[str, Any]) -> bool:
    """Whether a file holds the result of the run with this identity."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(result, dict):
        return False
    return all(
        _same_settings(result.get(key, {}), value) if key == "settings" else result.get(key) == value
        for key, value in identity.items()
    )


def _same_settings(kept: Any, wanted: Any) -> bool:
    """Whether kept settings are the wanted ones; one that came later has its default in what was kept before."""
    if not isinstance(wanted, dict):  # options of a program that has no recipe
        return bool(kept == wanted)
    defaults = Recipe("").tables
    return isinstance(kept, dict) and all(
        kept.get(table, {}).get(name, defaults[table][name]) == value
        for table, settings in wanted.items()
        for name, value in settings.items()
    )


def check_names(given: Sequence[str], known: Sequence[str], what: str) -> None:
    """Refuse a name that is not known."""
    for name in given:
        if name not in known:
            raise ArgumentError(must_be(what, name, one_of(name, known)))
