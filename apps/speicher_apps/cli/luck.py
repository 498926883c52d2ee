"""`speicher luck`: how much of a game between equals the deal decides, and how much their own choices do."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.options import JSON, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.streams import print_text
from speicher_apps.packages import check_installed
from speicher_apps.specs import HUMAN
from speicher_env import ArgumentError
from speicher_env.arguments import check_players, check_seed
from speicher_env.messages import must_be

__all__ = ["EXAMPLES", "luck"]

EXAMPLES = ("speicher luck merchant", "speicher luck mcts:50 --players 4 --deals 50 --times 2")
DEALS, TIMES, FEWEST = 200, 4, 10


def luck(
    player: Annotated[str, typer.Argument(metavar="SPEC", help="A player such as random or mcts:50.")],
    num_players: Annotated[int, option("--players", help="Number of players, 2 to 5. Default: 2.")] = 2,
    deals: Annotated[int, option(help=f"Deals, 10 or more. Default: {DEALS}.")] = DEALS,
    times: Annotated[int, option(help=f"Games on each deal, 2 or more. Default: {TIMES}.")] = TIMES,
    seed: Annotated[int | None, option(help="Seed of the first deal. Default: the first of evaluation.")] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Let a player play itself several times on each deal, and say what decides who wins.

    The parts of the variance are the seat, the deal, and the player's own random choices.
    """
    check_players(num_players, "--players")
    for name, count, fewest in (("--deals", deals, FEWEST), ("--times", times, 2)):
        if count < fewest:
            raise ArgumentError(must_be(name, count, f"a whole number, {fewest} or more"))
    if player.partition(":")[0].strip() == HUMAN:
        raise ArgumentError(must_be("player", player, "a player that decides by itself"))
    check_installed(("scipy",), "speicher luck", "train", CommandError)
    from speicher_training.arena.luck import with_intervals
    from speicher_training.arena.repeated import play_again
    from speicher_training.arena.seeds import EVALUATION, first_seed

    first = first_seed(EVALUATION, deals) if seed is None else check_seed(seed, "--seed")
    check_seed(first + deals - 1, "--seed of the last deal")
    with progress_bar(beside_output=True) as bar:
        task = bar.add_task("rounds of games", total=times)
        results = play_again(player, num_players, first, deals, times, lambda: bar.advance(task))
    parts = with_intervals(results)
    del parts["skill"]  # equal players do not differ in it
    if as_json:
        print(json.dumps({"player": player, "players": num_players, "deals": deals, "times": times, **parts}, indent=1))
        return
    print_text(f"{player} against itself, {num_players} players, {deals} deals, {times} games on each")
    names = {"seat": "who begins", "deal": "the cards of the deal", "rest": "the player's random choices"}
    for part, words in names.items():
        estimate, low, high = (100 * parts[part][end] for end in ("estimate", "low", "high"))
        print_text(f"  {words:28} {estimate:5.1f}% [{low:.1f}, {high:.1f}]")
