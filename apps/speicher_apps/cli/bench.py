"""`speicher bench`: measure the speed of each layer on this machine."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Annotated

from rich.console import Console

from speicher_apps.cli.errors import say
from speicher_apps.cli.files import STANDARD_STREAM, check_new_file, output_file
from speicher_apps.cli.options import FORCE, option
from speicher_env import ArgumentError
from speicher_env.arguments import check_count, check_players
from speicher_env.messages import must_be
from speicher_env.reading import path_shown

__all__ = ["EXAMPLES", "bench", "player_counts"]

SECONDS, ROUNDS = 0.2, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.05, 2
LONGEST_ROUND = 3600
EXAMPLES = ("speicher bench --quick", "speicher bench --players 2,5 --json speed.json")


def bench(
    quick: Annotated[bool, option("--quick", help="Short rounds, for a first look only.")] = False,
    seconds: Annotated[float | None, option(help=f"Length of a round in seconds. Default: {SECONDS}.")] = None,
    rounds: Annotated[int | None, option(help=f"Rounds of each measurement. Default: {ROUNDS}.")] = None,
    players: Annotated[str, option(help="Numbers of players, with commas between them. Default: 2,3,4,5.")] = "2,3,4,5",
    output: Annotated[
        str, option("--json", metavar="OUT", help="File for all measurements, round by round; - for stdout.")
    ] = "",
    force: Annotated[bool, option("--force", help=FORCE)] = False,
) -> None:
    """Measure each layer by itself: rules, masks, observations, batches, environments, the first seconds."""
    from speicher_apps.meter.report import print_report, run_bench  # loaded here, so that no other command waits

    counts = player_counts(players)
    length = (QUICK_SECONDS if quick else SECONDS) if seconds is None else seconds
    number = (QUICK_ROUNDS if quick else ROUNDS) if rounds is None else rounds
    if not 0 < length < LONGEST_ROUND:
        raise ArgumentError(must_be("--seconds", length, f"above 0 and below {LONGEST_ROUND}"))
    check_count("--rounds", number)
    if output and not force:
        check_new_file(output)
    with output_file(output) if output else nullcontext() as stream:  # a wrong path is refused before the work
        with Console(stderr=True).status("") as status:
            result = run_bench(counts, seconds=length, rounds=number, progress=status.update)
        if stream is not None:
            json.dump(result, stream, indent=1)
            stream.write("\n")
    print_report(result, Console(stderr=output == STANDARD_STREAM))
    if output and output != STANDARD_STREAM:
        say(f"all rounds written to {path_shown(output)}")


def player_counts(text: str) -> list[int]:
    """Numbers of players from a list such as "2,4", each once, ascending."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise ArgumentError(must_be("--players", text, "numbers 2..5 with commas between them, such as 2,3,4,5"))
    return sorted({check_players(int(part), "--players") for part in parts})
