"""`speicher train`: train by a recipe, and export a baseline."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.options import RAY, option
from speicher_apps.packages import check_installed
from speicher_apps.specs import split_specs

if TYPE_CHECKING:
    from speicher_training.train.progress import ProgressTable
    from speicher_training.train.recipe import Recipe
    from speicher_training.train.run import Trained

__all__ = ["EXAMPLES", "check_packages", "train", "train_and_show"]

PACKAGES = ("torch", "sb3_contrib", "tensorboard", "matplotlib")
"""Packages that training needs besides those of the command."""
EVERY = 30.0
"""Seconds between two lines if stderr is not a terminal."""
EXAMPLES = (
    "speicher train 2p --minutes 30",
    "speicher train 2p --seed 7 -o runs/mine",
    "speicher train mine.toml --from 2p",
    "speicher train 2p --anchors merchant,mine.py:MyPlayer",
    "speicher train 2p --ray auto",
)


def train(
    recipe: Annotated[
        str,
        typer.Argument(metavar="RECIPE", help="A recipe's name, such as 2p, or a file *.toml; see speicher recipes."),
    ],
    steps: Annotated[int | None, option(help="Decisions of the learner in all. Default: the recipe's.")] = None,
    minutes: Annotated[float | None, option(help="In place of --steps: minutes that the run takes in all.")] = None,
    seed: Annotated[int, option(help="Seed of the network, the games and all random draws. Default: 1.")] = 1,
    start: Annotated[
        str | None, option("--from", metavar="BASELINE", help="Start from a baseline: its name or its card.")
    ] = None,
    anchors: Annotated[
        str | None,
        option(
            metavar="SPEC,...",
            help="Scripted opponents in place of the recipe's; also your own, as in mine.py:MyPlayer.",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        option(metavar="SPEC", help="The player to imitate first in place of the recipe's; also one of your own."),
    ] = None,
    jobs: Annotated[
        int | None, option(help="Processes that play games; results do not depend on it. Default: all cores.")
    ] = None,
    ray: Annotated[str | None, option(help=RAY)] = None,
    out: Annotated[
        str | None,
        option("--out", "-o", help="Folder of the run; a run that exists is resumed. Default: runs/RECIPE-SEED."),
    ] = None,
    plots: Annotated[
        bool, option("--plots/--no-plots", help="Draw the learning curves at the end. Default: draw them.")
    ] = True,
) -> None:
    """Train a network against a league of itself and of scripted players.

    Ctrl-C, or the end of the process, loses only what came after the last checkpoint: the same command resumes there.
    """
    check_packages()
    from speicher_training.train.recipe import load_recipe

    loaded = _with_players(load_recipe(recipe), anchors, teacher)
    folder = Path(out if out is not None else f"runs/{loaded.name}-{seed}")
    trained = train_and_show(
        loaded, folder, steps=steps, minutes=minutes, seed=seed, start=start, jobs=jobs, ray=ray, plots=plots
    )
    for result in trained.evaluation:
        print(
            f"win share with {result.players} players against {result.opponent:12s} "
            f"{result.win_share:.3f} [{result.low:.3f}, {result.high:.3f}]"
        )
    if trained.card is None:
        say("interrupted during pretraining; the same command resumes from here")
        raise typer.Exit(INTERRUPTED)
    say(f"{trained.steps:,} decisions in {trained.seconds / 60:.1f} minutes; the baseline is {trained.card}")
    sys.stdout.flush()
    if not trained.complete:
        say("interrupted; the same command resumes from here")
        raise typer.Exit(INTERRUPTED)


def _with_players(recipe: Recipe, anchors: str | None, teacher: str | None) -> Recipe:
    """The recipe with other players, which may be the user's own: a recipe can only name installed ones."""
    changes: dict[str, dict[str, Any]] = {}
    if anchors is not None:
        changes["league"] = {"anchors": split_specs(anchors, "--anchors")}
    if teacher is not None:
        changes["pretraining"] = {"teacher": teacher}
    return recipe.changed(own_players=True, **changes) if changes else recipe


def check_packages() -> None:
    """Refuse at once if a package that training needs is missing."""
    check_installed(PACKAGES, "training", "train", CommandError)


def train_and_show(recipe: Recipe, folder: Path, **options: Any) -> Trained:
    """Train with a live table, or with lines if stderr is not a terminal; Ctrl-C ends the run with a checkpoint.

    Args:
        recipe: The recipe.
        folder: The folder of the run.
        options: See `RunSettings`, but for `watch` and `interrupted`.
    """
    from rich.console import Console
    from rich.live import Live

    from speicher_training.train.progress import ProgressTable
    from speicher_training.train.run import Run, RunSettings

    settings = RunSettings(**options)
    settings.check(recipe)
    table = ProgressTable(settings.most_steps(recipe), settings.minutes)
    console = Console(stderr=True)
    say(f"training {recipe.name} with seed {settings.seed} in {folder}")
    shown = Live(table, console=console, refresh_per_second=2) if console.is_terminal else nullcontext()
    watch = table.add if console.is_terminal else _ProgressLines(table)
    with interruptible() as interrupted, shown:
        return Run(recipe, folder, replace(settings, watch=watch, interrupted=interrupted)).train()


class _ProgressLines:
    """A line now and then in place of the table, for logs."""

    def __init__(self, table: ProgressTable) -> None:
        self.table = table
        self.last = -EVERY

    def __call__(self, line: dict[str, Any]) -> None:
        self.table.add(line)
        if line["kind"] != "evaluation" and time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            say(self.table.sentence())
