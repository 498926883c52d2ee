"""All games of the server: a bounded number in memory, every one of them on disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from speicher_apps.specs import HUMAN
from speicher_apps.web.game_session import GameSession
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_apps.web.storage import FileStamp, GameStorage, seats_in
from speicher_env import ArgumentError, Game
from speicher_env.errors import FileError

__all__ = ["IDLE_SECONDS", "MAX_OPEN", "SessionPool", "UnknownGame"]

MAX_OPEN = 16
"""Games in memory, each with its players."""
IDLE_SECONDS = 3600.0
"""A game leaves memory after this long without a request; it stays on disk."""


class UnknownGame(Exception):
    """No game has this name."""


class SessionPool:
    """The games by name. A game that is not in memory is read from disk; every change is written there."""

    def __init__(
        self, storage: GameStorage, players: OfferedPlayers, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with no game in memory."""
        self.storage = storage
        self._players = players
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, GameSession] = {}
        self._stamps: dict[str, FileStamp | None] = {}
        self._used: dict[str, float] = {}

    def __len__(self) -> int:
        """Games in memory."""
        return len(self._open)

    def add(self, game: Game, seats: Sequence[str]) -> GameSession:
        """Add a new game, dealt or opened."""
        if not self.storage.make_room():
            raise ArgumentError("no more games can be stored: remove one from the list of games first")
        session = GameSession(self.storage.new_id(), game, seats, self._players)
        with self._lock:
            self._admit(session)
        self.write(session)
        return session

    def write(self, session: GameSession) -> None:
        """Write a game to disk after a change; if that fails, the game stays in memory and says so."""
        try:
            self._stamps[session.id] = self.storage.write(session.id, session.record())
            session.unsaved = ""
        except FileError as error:
            session.unsaved = f"the game is not stored: {error} Save it before you stop the server"

    def remove(self, id: str) -> None:
        """Remove a game from memory and from disk."""
        if id not in self.storage.ids() and id not in self._open:
            raise UnknownGame
        with self._lock:
            self._drop(id)
        self.storage.remove(id)

    @contextmanager
    def using(self, id: str) -> Iterator[GameSession]:
        """A game to read or change, locked for others meanwhile.

        Raises:
            UnknownGame: If there is none of this name.
            RecordError: If its file is damaged.
        """
        with self._lock:
            session = self._current(id)
            self._admit(session)
        with session.lock:
            self._used[id] = self._clock()
            yield session

    def _current(self, id: str) -> GameSession:
        """The game in memory, or the one on disk if another server has written it since."""
        session = self._open.get(id)
        if session is None and id not in self.storage.ids():
            raise UnknownGame
        stamp = self.storage.stamp(id)
        if session is not None and (session.lock.locked() or stamp is None or stamp == self._stamps.get(id)):
            return session
        record = self.storage.read(id)
        game = Game.from_record(record)
        self._stamps[id] = stamp
        return GameSession(id, game, seats_in(record, game.num_players) or [HUMAN] * game.num_players, self._players)

    def _admit(self, session: GameSession) -> None:
        """Take a game into memory; drop idle ones and, if there are too many, the longest unused."""
        now = self._clock()
        self._open[session.id] = session
        self._used[session.id] = now
        for id in sorted(self._open, key=self._used.__getitem__):
            too_many = len(self._open) > MAX_OPEN
            if id != session.id and (too_many or now - self._used[id] > IDLE_SECONDS):
                if self._open[id].lock.locked() or self._open[id].unsaved:
                    continue
                self._drop(id)

    def _drop(self, id: str) -> None:
        self._open.pop(id, None)
        self._stamps.pop(id, None)
        self._used.pop(id, None)
