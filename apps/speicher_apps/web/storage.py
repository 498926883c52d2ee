"""Games on disk: one file each, written whole or not at all, under names that only this program makes."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path
from typing import Any, NamedTuple

from speicher_env import RecordError
from speicher_env.reading import read_bytes
from speicher_env.record import line_of, parse_line
from speicher_training.files import new_text_file, remove_parts

__all__ = ["KEPT_SECONDS", "MAX_GAMES", "FileStamp", "GameStorage", "StoredGame", "seats_in"]

MAX_GAMES = 100
"""Games on disk. A full folder gives up a finished game for a new one; without a finished one, none is dealt."""
KEPT_SECONDS = 90 * 24 * 3600.0
"""A game is removed when it has had no move for this long."""
LARGEST_FILE = 4 * 2**20
"""Bytes that are read of a file."""
LONGEST_SEAT = 1000
"""Characters of the spec in a seat that are accepted from a file."""

_NAME = re.compile(r"(?P<id>[0-9a-f]{16})\.json")

FileStamp = tuple[int, int]
"""Differs after each writing of a file."""


class StoredGame(NamedTuple):
    """A game on disk, as the list of games shows it."""

    id: str
    seats: list[str]
    moves: int
    points: list[int] | None
    """At the end; None while the game runs."""
    used: float
    """Time of its last move, in seconds since the epoch."""


class GameStorage:
    """The folder with all games, running and finished."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if it is missing, readable by its user alone: a file shows the order of the pile."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_parts(folder, older_than=3600.0)
        self._folder = folder
        self._cache: dict[str, tuple[FileStamp, StoredGame]] = {}

    @property
    def folder(self) -> Path:
        """Where the games are."""
        return self._folder

    def new_id(self) -> str:
        """A new name that no other game has and that nobody can guess."""
        return secrets.token_hex(8)

    def ids(self) -> list[str]:
        """The names of all games."""
        matches = (_NAME.fullmatch(name) for name in os.listdir(self._folder))
        return [match["id"] for match in matches if match]

    def _path(self, game: str) -> Path:
        if not _NAME.fullmatch(f"{game}.json"):
            raise ValueError("a game's name is 16 hexadecimal digits")
        return self._folder / f"{game}.json"

    def stamp(self, game: str) -> FileStamp | None:
        """The stamp of a game's file, another after each writing; None if there is no file."""
        try:
            status = self._path(game).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino

    def read(self, game: str) -> dict[str, Any]:
        """The record of a game.

        Raises:
            RecordError: If it cannot be read.
        """
        return parse_line(read_bytes(self._path(game), LARGEST_FILE, "a stored game", RecordError), "the stored game")

    def write(self, game: str, record: dict[str, Any]) -> FileStamp | None:
        """Replace the stored record of a game; after a `FileError` the file is as it was."""
        with new_text_file(self._path(game), private=True) as stream:
            stream.write(line_of(record))
        return self.stamp(game)

    def remove(self, game: str) -> None:
        """Remove a game from disk."""
        self._path(game).unlink(missing_ok=True)

    def games(self) -> list[StoredGame]:
        """All games that can be read, last used first."""
        cache = {}
        for id in self.ids():
            stamp = self.stamp(id)
            if stamp is None:
                continue
            if id not in self._cache or self._cache[id][0] != stamp:
                game = self._summary(id, stamp)
                if game is None:
                    continue
                self._cache[id] = stamp, game
            cache[id] = self._cache[id]
        self._cache = cache
        return sorted((game for _, game in cache.values()), key=lambda game: -game.used)

    def _summary(self, id: str, stamp: FileStamp) -> StoredGame | None:
        try:
            record = self.read(id)
            result = record["result"]
            points = None if result is None else [int(points) for points in result["points"]]
            return StoredGame(id, [str(seat) for seat in record["seats"]], len(record["moves"]), points, stamp[0] / 1e9)
        except (RecordError, KeyError, TypeError, ValueError, OverflowError):
            return None

    def make_room(self, now: float | None = None) -> bool:
        """Whether one more game fits, after removing games unused for long and, if still full, a finished one."""
        now = time.time() if now is None else now
        games = self.games()
        for game in games:
            if now - game.used > KEPT_SECONDS:
                self.remove(game.id)
        games = [game for game in games if now - game.used <= KEPT_SECONDS]
        if len(games) < MAX_GAMES:
            return True
        finished = [game for game in games if game.points is not None]
        if finished:
            self.remove(finished[-1].id)
        return bool(finished)


def seats_in(record: dict[str, Any], players: int) -> list[str] | None:
    """The spec of each seat, if a record has them."""
    seats = record.get("seats")
    if isinstance(seats, list) and len(seats) == players and all(isinstance(seat, str) for seat in seats):
        return seats if all(len(seat) <= LONGEST_SEAT for seat in seats) else None
    return None
