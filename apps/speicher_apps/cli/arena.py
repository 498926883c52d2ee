"""`speicher arena`: players against each other, and numbers that say how sure they are."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.progress import progress_bar
from speicher_env import ArgumentError
from speicher_training.machine import count_cores


def arena(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER...", help="Specs such as random, mcts:1000 or module:Class.")
    ] = None,
    num_players: Annotated[
        int | None, typer.Option("--players", help="Players in a game, 2 to 5. Unless told: 2, or what the panel says.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(help="Deals, each played in all seatings. Unless told: 100; to be decided: 20000.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="In place of --deals: a number of games, or a time such as 90s, 10m or 2h.")
    ] = None,
    panel: Annotated[
        str | None, typer.Option(help="A standard panel such as 2p: opponents, deals and counts for papers.")
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop once it is decided who is better, or that they are equal.")
    ] = False,
    alpha: Annotated[float, typer.Option(help="To be decided: the chance that any decision is wrong.")] = 0.05,
    indifference: Annotated[
        float, typer.Option(help="To be decided: how far from a half a score counts as equal.")
    ] = 0.02,
    seed: Annotated[
        str | None,
        typer.Option(help="Seed of the first deal, or a held-out range. Unless told: evaluation; else development."),
    ] = None,
    deck: Annotated[
        str | None, typer.Option(help="[bold]standard[/bold] (unless told), [bold]sampled[/bold] or a deck file.")
    ] = None,
    mirrors: Annotated[
        bool | None,
        typer.Option("--mirrors/--no-mirrors", help="Each player against itself too. Unless told: not with --alone."),
    ] = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="The first of two players in each seat in turn, the second in all others.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Workers at a time; results do not depend on it. Unless told: all cores.")
    ] = None,
    lanes: Annotated[
        int | None, typer.Option(help="Games at a time in a worker. Unless told: 2048, or 64 with players in Python.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds a player may take for a decision.")] = 10.0,
    strict: Annotated[
        bool, typer.Option("--strict", help="A player's failure stops the run, and does not only cost it that game.")
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Folder for the run: report, data, plots. If there, go on.")
    ] = None,
    records: Annotated[str | None, typer.Option(help="Folder for the records of the games.")] = None,
    think: Annotated[
        bool, typer.Option("--think", help="Keep in the records what players thought of their moves.")
    ] = False,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Plots in the folder of the run.")] = True,
) -> None:
    """Let players play each other: all combinations, in all seatings of the same deals, or one alone among others.

    Ctrl-C reports what is finished; with -o the same command goes on from there.
    """
    check_libraries(plots and output is not None)
    from rich.console import Console

    from speicher_training.arena import ArenaError
    from speicher_training.arena import arena as play

    if not players and panel is None:
        raise ArgumentError("players: found none, must be specs such as random, or --panel")
    bar = progress_bar()
    with interruptible() as interrupted, bar:
        task = bar.add_task("deals", total=None)
        try:
            results = play(
                players or [], num_players, deals=deals, budget=_budget(budget), deck=deck, seed=seed, panel=panel,
                until_decided=until_decided, alpha=alpha, indifference=indifference, mirrors=mirrors,
                alone=alone, jobs=count_cores() if jobs is None else jobs,
                lanes=lanes, strict=strict, timeout=timeout, output=output,
                records=records, think=think, plots=plots, isolated=True, interrupted=interrupted,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )  # fmt: skip
        except ArenaError as error:
            raise CommandError(str(error)) from error
    if sys.stdout.isatty():
        Console().print(results)
    else:
        print(results)
    if output is not None:
        say(f"{results.summary['games']} games in {output}")
    if interrupted() and not results.complete:
        raise typer.Exit(INTERRUPTED)


def check_libraries(plots: bool) -> None:
    """Say at once, not after the games, what the report needs and does not find."""
    for package in ("scipy", "matplotlib") if plots else ("scipy",):
        if find_spec(package) is None:
            raise CommandError(
                f"the arena needs the package {package}, which `pip install 'speicher-env[train]'` brings"
            )


def _budget(budget: str | None) -> int | str | None:
    return int(budget) if budget is not None and budget.isdecimal() else budget
