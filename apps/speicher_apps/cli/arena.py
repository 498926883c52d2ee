"""`speicher arena`: let players play each other, and report results with their uncertainty."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.options import DECK, JSON, RAY, check_counts, option
from speicher_apps.cli.progress import ClusterSpeed, progress_bar
from speicher_apps.packages import check_installed
from speicher_apps.specs import HUMAN
from speicher_env import ArgumentError
from speicher_env.arguments import check_players
from speicher_env.messages import must_be
from speicher_env.reading import MOST_DIGITS
from speicher_training.machine import count_cores

__all__ = ["EXAMPLES", "arena", "check_libraries"]

EXAMPLES = (
    "speicher arena merchant frugal random",
    "speicher arena mcts:500 merchant --deals 200 -o runs/mcts",
    "speicher arena runs/mine/baseline.json --panel 2p",
    "speicher arena merchant frugal --until-decided --json",
    "speicher arena merchant mcts:500 --ray auto -o runs/mcts",
)


def arena(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER", help="Specs such as random, mcts:1000 or module:Class.")
    ] = None,
    num_players: Annotated[
        int | None, option("--players", help="Number of players in a game, 2 to 5. Default: 2, or the panel's.")
    ] = None,
    deals: Annotated[
        int | None,
        option(help="Deals, each played in all seatings. Default: 100; at most 20000 with --until-decided."),
    ] = None,
    budget: Annotated[
        str | None, option(help="In place of --deals: a number of games, or a time such as 90s, 10m or 2h.")
    ] = None,
    panel: Annotated[
        str | None, option(help="A standard panel such as 2p: opponents, deals and numbers of players for papers.")
    ] = None,
    until_decided: Annotated[
        bool, option("--until-decided", help="Stop once it is decided who is better, or that they are equal.")
    ] = False,
    alpha: Annotated[
        float, option(help="With --until-decided: the chance that any decision is wrong. Default: 0.05.")
    ] = 0.05,
    indifference: Annotated[
        float, option(help="With --until-decided: how far from a half a score counts as equal. Default: 0.02.")
    ] = 0.02,
    seed: Annotated[
        str | None,
        option(
            help="Seed of the first deal, or held-out deals: evaluation, development, release-1 or a later release. "
            "Default: evaluation."
        ),
    ] = None,
    deck: Annotated[str | None, option(help=DECK)] = None,
    mirrors: Annotated[
        bool | None,
        option("--mirrors/--no-mirrors", help="Each player also against itself. Default: yes, no with --alone."),
    ] = None,
    alone: Annotated[
        bool, option("--alone", help="The first of two players in each seat in turn, the second in all others.")
    ] = False,
    jobs: Annotated[
        int | None, option(help="Workers at a time; results do not depend on it. Default: all cores.")
    ] = None,
    ray: Annotated[str | None, option(help=RAY)] = None,
    lanes: Annotated[
        int | None, option(help="Games side by side in a worker. Default: 2048, or 64 with players in Python.")
    ] = None,
    timeout: Annotated[float, option(help="Seconds that a player may take for a decision. Default: 10.")] = 10.0,
    strict: Annotated[
        bool, option("--strict", help="Stop the run when a player fails. Default: the player loses that game.")
    ] = False,
    output: Annotated[
        str | None,
        option("--output", "-o", help="Folder of the run: report, data, plots. A run that exists is resumed."),
    ] = None,
    records: Annotated[str | None, option(help="Folder for the records of the games.")] = None,
    think: Annotated[
        bool, option("--think", help="Record what the players thought of each move, as far as they can tell.")
    ] = False,
    plots: Annotated[bool, option("--plots/--no-plots", help="Plots in the folder of the run. Default: plots.")] = True,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Let players play each other: all combinations, in all seatings of the same deals, or one against others.

    Ctrl-C reports what is finished; with -o the same command resumes.
    """
    check_libraries(plots and output is not None)
    from rich.console import Console

    from speicher_training.arena import ArenaError
    from speicher_training.arena import arena as play

    if not players and panel is None:
        raise ArgumentError("PLAYER: must be at least one spec such as random, or --panel.")
    for spec in players or ():
        if spec.partition(":")[0].strip() == HUMAN:
            raise ArgumentError(must_be("PLAYER", spec, "a player that decides by itself; people use speicher play"))
    if num_players is not None:
        check_players(num_players, "--players")
    check_counts({"--deals": deals, "--jobs": jobs, "--lanes": lanes})
    bar, speed = progress_bar(), ClusterSpeed()
    with interruptible() as interrupted, bar:
        task = bar.add_task("deals", total=None)
        try:
            results = play(
                players or [], num_players, deals=deals, budget=_budget(budget), deck=deck, seed=seed, panel=panel,
                until_decided=until_decided, alpha=alpha, indifference=indifference, mirrors=mirrors,
                alone=alone, jobs=count_cores() if jobs is None and ray is None else jobs, ray=ray,
                lanes=lanes, strict=strict, timeout=timeout, output=output,
                records=records, think=think, plots=plots, isolated=True, interrupted=interrupted,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
                on_cluster=lambda size, games: bar.update(task, description=speed(size, games)),
                on_activity=lambda played, decisions: bar.update(
                    task, completed=played, description=f"deals, {decisions:,} decisions"
                ),
            )  # fmt: skip
        except ArenaError as error:
            if interrupted():
                say(str(error))
                raise typer.Exit(INTERRUPTED) from None
            raise CommandError(str(error)) from error
    if as_json:
        print(json.dumps(results.summary, indent=1))
    elif sys.stdout.isatty():
        Console().print(results)
    else:
        print(results)
    if output is not None:
        say(f"{results.summary['games']} games in {output}")
    if interrupted() and not results.complete:
        raise typer.Exit(INTERRUPTED)


def check_libraries(plots: bool) -> None:
    """Refuse at once, not after the games, if a package that the report needs is missing."""
    check_installed(("scipy", "matplotlib") if plots else ("scipy",), "the arena", "train", CommandError)


def _budget(budget: str | None) -> int | str | None:
    return int(budget) if budget is not None and budget.isdecimal() and len(budget) < MOST_DIGITS else budget
