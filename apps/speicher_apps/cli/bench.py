"""`speicher bench`: measure the speed of each layer on this machine."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Annotated

import typer
from rich.console import Console

from speicher_apps.cli.errors import say
from speicher_apps.cli.files import STANDARD_STREAM, whole_file
from speicher_env import ArgumentError
from speicher_env.arguments import check_players

SECONDS, ROUNDS = 0.2, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.05, 2


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Short rounds: a first look, no numbers to keep.")] = False,
    seconds: Annotated[float | None, typer.Option(help=f"Length of a round. None: {SECONDS}.")] = None,
    rounds: Annotated[int | None, typer.Option(help=f"Rounds of each measurement. None: {ROUNDS}.")] = None,
    players: Annotated[str, typer.Option(help="Numbers of players, with commas between them.")] = "2,3,4,5",
    output: Annotated[
        str,
        typer.Option(
            "--json", help="File for everything that was measured, round by round; - for stdout.", show_default=False
        ),
    ] = "",
) -> None:
    """Measure each layer apart: rules, masks, observations, batches, environments, the first seconds."""
    # What is measured is loaded here, so that no other command waits for it.
    from speicher_apps.meter.report import print_report, run_bench

    counts = player_counts(players)
    length = (QUICK_SECONDS if quick else SECONDS) if seconds is None else seconds
    number = (QUICK_ROUNDS if quick else ROUNDS) if rounds is None else rounds
    if not 0 < length < 3600:
        raise ArgumentError(f"--seconds: found {length:g}, must be above 0 and below 3600")
    if number < 1:
        raise ArgumentError(f"--rounds: found {number}, must be a whole number from 1")
    with whole_file(output) if output else nullcontext() as stream:  # a path that is none is refused before the work
        with Console(stderr=True).status("") as status:
            result = run_bench(counts, seconds=length, rounds=number, told=status.update)
        if stream is not None:
            json.dump(result, stream, indent=1)
            stream.write("\n")
    print_report(result, Console(stderr=output == STANDARD_STREAM))
    if output and output != STANDARD_STREAM:
        say(f"all rounds written to {output}")


def player_counts(text: str) -> list[int]:
    """Numbers of players out of a list such as "2,4", each once, ascending."""
    parts = [part.strip() for part in text.split(",")]
    wrong = [part for part in parts if not part.isdecimal()]
    if wrong:
        raise ArgumentError(
            f"--players: found {text!r}, must be numbers 2..5 with commas between them, such as 2,3,4,5"
        )
    return sorted({check_players(int(part), "--players") for part in parts})
