"""`speicher analyse`: what a finished arena says beyond its report: circles, copies, luck and seats."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.options import JSON, option
from speicher_apps.cli.streams import print_columns, print_text
from speicher_apps.packages import check_installed
from speicher_env.messages import listed

__all__ = ["EXAMPLES", "analyse"]

EXAMPLES = ("speicher analyse runs/panel", "speicher analyse runs/panel --json")
MOST_LINEUPS = 12
"""With more lineups only their mean is printed."""


def analyse(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder of an arena, see speicher arena -o.")],
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Analyse a finished arena: ratings that copies of players cannot move, players that beat each other in circles,
    how much of a result is luck, and what the seat is worth.
    """  # noqa: D205
    check_installed(("scipy",), "speicher analyse", "train", CommandError)
    from speicher_training.arena import ArenaError
    from speicher_training.arena.finished import read_run
    from speicher_training.arena.run_analysis import analyse_run

    try:
        analysis = analyse_run(read_run(folder))
    except ArenaError as error:
        raise CommandError(str(error)) from None
    if as_json:
        print(json.dumps(analysis, indent=1))
    else:
        _print(analysis)


def _print(analysis: dict[str, Any]) -> None:
    print_text(f"{analysis['num_players']} players, {analysis['deals']} deals\n")
    rows = [("", "part of the lottery", "ahead of it")]
    rows += [(row["name"], _share(row["weight"]), _share(row["score"])) for row in analysis["lottery"]]
    print_columns(rows)
    if len(analysis["top_cycle"]) == 1:
        print_text(f"\n{analysis['top_cycle'][0]} finishes ahead of every other player.")
    else:
        print_text(f"\n{listed(analysis['top_cycle'])} beat everybody else, and each other in a circle.")
    for first, second, third in analysis["circles"]:
        print_text(f"Circle: {first} beats {second}, {second} beats {third}, {third} beats {first}.")
    if analysis["luck"]:
        print_text("\nVariance of a result:")
        print_columns([("", "seat", "skill", "deal", "rest"), *map(_luck, analysis["luck"][: MOST_LINEUPS + 1])])
    if analysis["seats"]:
        print_text("\nAgainst itself, win share by place in the first round:")
        places = [f"{place}." for place in range(1, analysis["num_players"] + 1)]
        print_columns([("", *places), *((row["name"], *map(_share, row["places"])) for row in analysis["seats"])])


def _luck(row: dict[str, Any]) -> tuple[str, ...]:
    name = ", ".join(row["players"]) or "mean of all lineups"
    return name, *(_share(row[part]) for part in ("seat", "skill", "deal", "rest"))


def _share(numbers: dict[str, float]) -> str:
    estimate, low, high = (100 * numbers[end] for end in ("estimate", "low", "high"))
    return f"{estimate:.1f}% [{low:.1f}, {high:.1f}]"
