"""Options that mean the same in every command, worded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from speicher_env import ArgumentError
from speicher_env.arguments import check_count
from speicher_env.messages import must_be

__all__ = ["DECK", "FORCE", "JSON", "RAY", "check_counts", "examples", "minutes_of", "option", "players_option"]

DECK = "standard, sampled or a deck file. Default: standard."
FORCE = "Replace a file that exists."
JSON = "Print JSON on stdout, for programs."
RAY = "Work on a Ray cluster: auto, local or HOST:PORT. Default: this machine alone."


def option(*names: str, help: str, metavar: str | None = None) -> Any:
    """An option of a command. Its help text says the default in its own words, as "Default: 2."."""
    return typer.Option(*names, help=help, metavar=metavar, show_default=False)


def players_option(names: str) -> Any:
    """The number of players, where another option names players."""
    return option("--players", help=f"Number of players, 2 to 5. Default: as many as {names} names, at least 2.")


def check_counts(options: Mapping[str, int | None]) -> None:
    """Refuse an option that is not 1 or more; None is one that was not given."""
    for name, count in options.items():
        if count is not None:
            check_count(name, count)


def examples(lines: Sequence[str]) -> str:
    """The last part of a command's help: one example a line."""
    return "Examples:\n\n" + "\n\n".join(f"  {line}" for line in lines)


def minutes_of(budget: str | None, steps: int | None) -> float | None:
    """The minutes of a time such as 90s, 10m or 2h, the value of --budget; None if --steps is given in its place."""
    if budget is None:
        return None
    if steps is not None:
        raise ArgumentError("--steps and --budget: must be one or the other, not both.")
    from speicher_training.arena.settings import Extent

    try:
        seconds = Extent(budget=budget).seconds
    except ArgumentError:
        seconds = None
    if seconds is None:
        raise ArgumentError(must_be("--budget", budget, "a time such as 90s, 10m or 2h"))
    return seconds / 60
