"""One game of a file of records, and one position of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from speicher_apps.cli.errors import CommandError
from speicher_env import ArgumentError, Game
from speicher_env import replay as positions
from speicher_env.messages import must_be
from speicher_env.record import parse_line

__all__ = ["check_numbers", "no_such_game", "position_after", "record_at"]


def check_numbers(game: int | None, move: int | None) -> None:
    """Refuse --game and --move that no file can have."""
    if game is not None and game < 1:
        raise ArgumentError(must_be("--game", game, "a whole number from 1"))
    if move is not None and move < 0:
        raise ArgumentError(must_be("--move", move, "a whole number from 0, the deal"))


def record_at(lines: Iterator[tuple[str, str | bytes]], where: str, number: int) -> tuple[str, dict[str, Any]]:
    """The place and the content of a record.

    Args:
        lines: The lines of a file with their places, see `speicher_env.record.numbered_lines`.
        where: The file.
        number: Which record, from 1.
    """
    for count, (place, line) in enumerate(lines, start=1):
        if count == number:
            return place, parse_line(line, place)
    raise CommandError(no_such_game(where, number))


def no_such_game(where: str, number: int | None) -> str:
    """The message for a file that does not have that many games."""
    if number is None or number == 1:
        return f"{where}: has no game; must have one game record a line."
    return f"{where}: has fewer than {number} games; --game must be one of them."


def position_after(record: dict[str, Any], place: str, move: int) -> Game:
    """The game of a record after that many moves."""
    played = 0
    for played, (game, _) in enumerate(positions(record)):
        if played == move:
            return game
    raise CommandError(must_be("--move", move, f"0..{played}, for the game has {played} moves", place))
