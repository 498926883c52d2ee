"""Games on disk: one file each, written whole or not at all, under names that only this program makes."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path
from typing import Any, NamedTuple

from speicher_env import RecordError
from speicher_env.record import line_of, parse_line

MAX_KEPT = 100
"""Games on the shelf; past that a finished one has to go, and without one no other comes."""
KEPT_SECONDS = 90 * 24 * 3600.0
"""After so long without a move a game is thrown away."""
LARGEST_FILE = 4 * 2**20
"""Bytes of a file that is read."""

_NAME = re.compile(r"(?P<id>[0-9a-f]{16})\.json")

Stamp = tuple[int, int]
"""Tells one writing of a file from another."""


class Kept(NamedTuple):
    """A game on the shelf, as the list of games shows it."""

    id: str
    seats: list[str]
    moves: int
    points: list[int] | None
    """At the end; None while the game runs."""
    used: float
    """Time of its last move, in seconds since the epoch."""


class Shelf:
    """The folder with all games, running and finished."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if there is none, for its user's eyes only: a file tells the order of the pile."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._seen: dict[str, tuple[Stamp, Kept]] = {}

    @property
    def folder(self) -> Path:
        """Where the games are."""
        return self._folder

    def new_id(self) -> str:
        """A name for a game that no other has and nobody guesses."""
        return secrets.token_hex(8)

    def ids(self) -> list[str]:
        """The names of all games."""
        found = (_NAME.fullmatch(name) for name in os.listdir(self._folder))
        return [match["id"] for match in found if match]

    def _path(self, game: str) -> Path:
        if not _NAME.fullmatch(f"{game}.json"):
            raise ValueError("a game's name is 16 hexadecimal digits")
        return self._folder / f"{game}.json"

    def stamp(self, game: str) -> Stamp | None:
        """Changes whenever the game is written; None if it is not here."""
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
        try:
            with self._path(game).open("rb") as stream:
                text = stream.read(LARGEST_FILE)
        except OSError as error:
            raise RecordError(f"the game cannot be read ({error.strerror})") from None
        return parse_line(text, "the kept game")

    def write(self, game: str, record: dict[str, Any]) -> Stamp | None:
        """Keep a record in place of what was kept of the game; OSError leaves that as it was."""
        path = self._path(game)
        part = path.with_suffix(f".{os.getpid()}.{secrets.token_hex(4)}.part")
        try:
            with part.open("x", encoding="utf-8", newline="\n") as stream:
                os.chmod(part, 0o600)
                stream.write(line_of(record))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return self.stamp(game)

    def remove(self, game: str) -> None:
        """Throw a game away."""
        self._path(game).unlink(missing_ok=True)

    def kept(self) -> list[Kept]:
        """All games that can be read, last used first."""
        here = {}
        for game in self.ids():
            stamp = self.stamp(game)
            if stamp is None:
                continue
            if game not in self._seen or self._seen[game][0] != stamp:
                told = self._told(game, stamp)
                if told is None:
                    continue
                self._seen[game] = stamp, told
            here[game] = self._seen[game]
        self._seen = here
        return sorted((told for _, told in here.values()), key=lambda told: -told.used)

    def _told(self, game: str, stamp: Stamp) -> Kept | None:
        try:
            record = self.read(game)
            result = record["result"]
            points = None if result is None else [int(points) for points in result["points"]]
            return Kept(game, [str(seat) for seat in record["seats"]], len(record["moves"]), points, stamp[0] / 1e9)
        except (RecordError, KeyError, TypeError, ValueError):
            return None

    def make_room(self, now: float | None = None) -> bool:
        """Throw away what nobody has used for long, and a finished game if the shelf is full; whether one more fits."""
        now = time.time() if now is None else now
        kept = self.kept()
        for told in kept:
            if now - told.used > KEPT_SECONDS:
                self.remove(told.id)
        kept = [told for told in kept if now - told.used <= KEPT_SECONDS]
        if len(kept) < MAX_KEPT:
            return True
        finished = [told for told in kept if told.points is not None]
        if finished:
            self.remove(finished[-1].id)
        return bool(finished)


def seats_in(record: dict[str, Any], players: int) -> list[str] | None:
    """Who sat where, if a record tells."""
    seats = record.get("seats")
    if isinstance(seats, list) and len(seats) == players and all(isinstance(seat, str) for seat in seats):
        return seats
    return None
