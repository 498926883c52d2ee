"""`speicher sweep`: train with every combination of some settings, each with several seeds."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.options import JSON, minutes_of, option
from speicher_apps.cli.train import check_packages
from speicher_apps.packages import check_installed

if TYPE_CHECKING:
    from collections.abc import Callable

    from speicher_training.sweep.progress import SweepProgress
    from speicher_training.sweep.run import Sweep

__all__ = ["EXAMPLES", "sweep"]

EVERY = 30.0
"""Seconds between two lines if stderr is not a terminal."""
FAILED = 1
"""The exit code if a trial has failed."""
EXAMPLES = (
    "speicher sweep demo --set 'ppo.entropy=[0.003, 0.01, 0.03]'",
    "speicher sweep 2p --set 'ppo.entropy=[0.003, 0.01]' --set 'league.past=[0, 0.3]' --seeds 5 --budget 30m",
    "speicher sweep mine.toml --set 'network.policy=[[128, 128], [256, 256]]' --dry-run",
    'speicher sweep 2p --set \'game.reward=["margin", "outcome"]\' --ray auto',
)


def sweep(
    recipe: Annotated[
        str,
        typer.Argument(metavar="RECIPE", help="A recipe's name, such as 2p, or a file *.toml; see speicher recipes."),
    ],
    settings: Annotated[
        list[str] | None,
        option(
            "--set", metavar="SETTING=[VALUE,...]", help="A setting of the recipe and its values in TOML; repeatable."
        ),
    ] = None,
    seeds: Annotated[int, option(help="Seeds 1 to this for every combination. Default: 3.")] = 3,
    steps: Annotated[int | None, option(help="Decisions of the learner in each trial. Default: the recipe's.")] = None,
    budget: Annotated[
        str | None, option(help="In place of --steps: the time of each trial, such as 90s, 10m or 2h.")
    ] = None,
    out: Annotated[
        str | None,
        option("--out", "-o", help="Folder of the sweep; a sweep that exists is resumed. Default: sweeps/RECIPE."),
    ] = None,
    jobs: Annotated[int | None, option(help="The most trials at a time. Default: one for each core.")] = None,
    ray: Annotated[
        str,
        option(
            metavar="WHERE",
            help="local: this machine. auto: the Ray cluster that it is part of. HOST:PORT: that one. Default: local.",
        ),
    ] = "local",
    dry_run: Annotated[bool, option("--dry-run", help="Print the trials, and carry out none.")] = False,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Train with every combination of some settings, each with several seeds, and compare them.

    A trial is one combination with one seed: a run like that of speicher train. After Ctrl-C, or the end of any
    process, the same command resumes; finished trials are not run again.
    """
    check_packages()
    check_installed(("ray", "pyarrow"), "a sweep", "ray", CommandError)
    from speicher_training.sweep import Sweep, parse_settings
    from speicher_training.train.recipe import load_recipe

    loaded = load_recipe(recipe)
    folder = Path(out if out is not None else f"sweeps/{loaded.name}")
    planned = Sweep(
        loaded, folder, parse_settings(settings or ()), seeds, steps=steps, minutes=minutes_of(budget, steps)
    )
    if dry_run:
        _print_trials(planned, as_json)
        return
    _carry_out(planned, jobs, ray, as_json)


def _print_trials(planned: Sweep, as_json: bool) -> None:
    missing = {trial.name for trial in planned.missing()}
    if as_json:
        trials = [
            {"trial": trial.name, "settings": dict(trial.combination), "seed": trial.seed,
             "finished": trial.name not in missing}
            for trial in planned.trials
        ]  # fmt: skip
        print(json.dumps(trials, indent=1))
        return
    for trial in planned.trials:
        print(trial.name if trial.name in missing else f"{trial.name} (finished)")
    say(f"{len(planned.trials)} trials, {len(missing)} of them to carry out, in {planned.ledger.folder}")


def _carry_out(planned: Sweep, jobs: int | None, ray: str, as_json: bool) -> None:
    from speicher_training.sweep.table import rich_table

    say(f"sweep of {planned.recipe.name}: {len(planned.trials)} trials in {planned.ledger.folder}")
    with interruptible() as interrupted, _shown() as watch:
        swept = planned.carry_out(jobs=jobs, ray=ray, watch=watch, interrupted=interrupted)
    if as_json:
        print((swept.folder / "sweep.json").read_text(encoding="utf-8"), end="")
    else:
        Console().print(rich_table(swept.rows))
    for name, why in swept.failures.items():
        say(f"trial {name} failed: {why}")
    if swept.complete:
        say(f"table.md, sweep.json and curves.png are in {swept.folder}")
        return
    if interrupted():
        say("interrupted; the same command resumes from here")
        raise typer.Exit(INTERRUPTED)
    say("the same command carries out the trials that have failed again")
    raise typer.Exit(FAILED)


@contextmanager
def _shown() -> Iterator[Callable[[SweepProgress], None]]:
    """Show the progress in one line that changes, or in a line now and then if stderr is not a terminal."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("trials: starting Ray") as status:
            yield lambda progress: status.update(progress.sentence())
        return
    last = time.monotonic()

    def line(progress: SweepProgress) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(progress.sentence())

    yield line
