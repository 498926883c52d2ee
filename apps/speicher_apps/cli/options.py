"""Options that mean the same in every command, worded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

__all__ = ["DECK", "FORCE", "JSON", "RAY", "examples", "option", "players_option"]

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


def examples(lines: Sequence[str]) -> str:
    """The last part of a command's help: one example a line."""
    return "Examples:\n\n" + "\n\n".join(f"  {line}" for line in lines)
