"""`speicher train`: train by a recipe, and export a baseline."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible

if TYPE_CHECKING:
    from speicher_training.train.progress import LiveTable
    from speicher_training.train.recipe import Recipe
    from speicher_training.train.run import Trained

PACKAGES = ("torch", "sb3_contrib", "tensorboard", "matplotlib")
"""What training loads beyond the command's own."""
EVERY = 30.0
"""Seconds between two lines where stderr is no terminal."""


def train(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="A recipe's name, such as 2p, or a file *.toml.")],
    steps: Annotated[
        int | None, typer.Option(help="Decisions of the learner in all. Unless told: the recipe's.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="In place of --steps: minutes that the run takes in all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the network, the games and all that is drawn.")] = 1,
    start: Annotated[
        str | None, typer.Option("--from", metavar="BASELINE", help="Start from a baseline: its name or its card.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of the run; one there goes on. Unless told: runs/RECIPE-SEED."),
    ] = None,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw the learning curves at the end.")] = True,
) -> None:
    """Train a network against a league of itself and of scripted players.

    Ctrl-C, or even the end of the process, loses nothing but what came after the last checkpoint: the same command
    goes on from there.
    """
    check_packages()
    from speicher_training.train.recipe import load_recipe

    told = load_recipe(recipe)
    folder = Path(out if out is not None else f"runs/{told.name}-{seed}")
    trained = train_and_show(told, folder, steps=steps, minutes=minutes, seed=seed, start=start, plots=plots)
    for one in trained.probes:
        print(
            f"win share with {one.players} players against {one.opponent:12s} "
            f"{one.win_share:.3f} [{one.low:.3f}, {one.high:.3f}]"
        )
    if trained.card is None:
        say("interrupted in the head start, of which nothing is kept; the same command begins it again")
        raise typer.Exit(INTERRUPTED)
    say(f"{trained.steps:,} decisions in {trained.seconds / 60:.1f} minutes; the baseline is {trained.card}")
    sys.stdout.flush()
    if not trained.complete:
        say("interrupted; the same command goes on from here")
        raise typer.Exit(INTERRUPTED)


def check_packages() -> None:
    """Say at once what training needs and does not find."""
    for package in PACKAGES:
        if find_spec(package) is None:
            raise CommandError(
                f"training needs the package {package}, which `pip install 'speicher-env[train]'` brings"
            )


def train_and_show(
    recipe: Recipe, folder: Path, *, steps: int | None, minutes: float | None, seed: int, start: str | None, plots: bool
) -> Trained:
    """Train with the live table, or with lines where stderr is no terminal; Ctrl-C ends it with a checkpoint."""
    from rich.console import Console
    from rich.live import Live

    from speicher_training.train.errors import TrainingError
    from speicher_training.train.progress import LiveTable
    from speicher_training.train.run import check
    from speicher_training.train.run import train as run

    check(recipe, steps, minutes, seed)
    table = LiveTable(None if minutes is not None else steps or recipe.ppo.steps, minutes)
    console = Console(stderr=True)
    say(f"training {recipe.name} with seed {seed} in {folder}")
    shown = Live(table, console=console, refresh_per_second=2) if console.is_terminal else nullcontext()
    with interruptible() as interrupted, shown:
        try:
            return run(
                recipe, folder, steps=steps, minutes=minutes, seed=seed, start=start, plots=plots,
                watch=table.add if console.is_terminal else _Sentences(table), interrupted=interrupted,
            )  # fmt: skip
        except TrainingError as error:
            raise CommandError(str(error)) from error


class _Sentences:
    """In place of the table: a line now and then, for logs."""

    def __init__(self, table: LiveTable) -> None:
        self.table = table
        self.last = -EVERY

    def __call__(self, line: dict[str, Any]) -> None:
        self.table.add(line)
        if line["kind"] != "evaluation" and time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            say(self.table.sentence())
