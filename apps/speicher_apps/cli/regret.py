"""`speicher regret`: what a player gives away in decisions of the last round, compared with exact play."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.options import JSON, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.streams import print_text
from speicher_apps.packages import check_installed
from speicher_apps.specs import HUMAN
from speicher_env import ArgumentError
from speicher_env.arguments import check_count, check_players, check_seed
from speicher_env.messages import must_be

if TYPE_CHECKING:
    from speicher_training.regret import Regret

__all__ = ["EXAMPLES", "regret"]

EXAMPLES = ("speicher regret frugal", "speicher regret mcts:200 --players 3 --games 20 --positions-of merchant --json")
GAMES = 50


def regret(
    player: Annotated[str, typer.Argument(metavar="SPEC", help="A player such as merchant or mcts:200.")],
    num_players: Annotated[int, option("--players", help="Number of players, 2 to 5. Default: 2.")] = 2,
    games: Annotated[int, option(help=f"Games whose last rounds are solved. Default: {GAMES}.")] = GAMES,
    positions_of: Annotated[
        str | None, option(metavar="SPEC", help="Who plays these games, in every seat. Default: the player itself.")
    ] = None,
    seed: Annotated[int | None, option(help="Seed of the first game. Default: 2000600000.")] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Measure how much a player gives away in the last round: the best exact value less that of its choice.

    The intervals are of 95 %, from a bootstrap over games.
    """
    check_players(num_players, "--players")
    check_count("--games", games)
    for spec in (player, positions_of):
        if spec is not None and spec.partition(":")[0].strip() == HUMAN:
            raise ArgumentError(must_be("player", spec, "a player that decides by itself"))
    check_installed(("scipy",), "speicher regret", "train", CommandError)
    from speicher_training.regret import SEED, measure_regret  # loaded here, so that no other command waits for it

    first = SEED if seed is None else check_seed(seed, "--seed")
    with progress_bar(beside_output=True) as bar:
        task = bar.add_task("games", total=games)
        (found,) = measure_regret(
            [player], num_players, games, positions_of or player, first, lambda: bar.advance(task)
        )
    if as_json:
        print(json.dumps({"players": num_players, "seed": first, **asdict(found)}, indent=1))
    else:
        _print(found, num_players)


def _print(found: Regret, num_players: int) -> None:
    print_text(
        f"{found.player}, {found.decisions} solved decisions in {found.games} games of {num_players} players "
        f"(positions of {found.positions_of})"
    )
    for what, interval, scale, unit in (
        ("win share lost", found.share, 100, " %"),
        ("points lost", found.points, 1, ""),
        ("not the best action", found.wrong, 100, " %"),
    ):
        estimate, low, high = (scale * interval[end] for end in ("estimate", "low", "high"))
        print_text(f"  {what:20} {estimate:6.2f}{unit} [{low:.2f}, {high:.2f}] per decision")
