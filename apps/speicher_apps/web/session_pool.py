"""All games of the server: a bounded number in memory, every one of them on the shelf."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from speicher_apps.web.game_session import Session
from speicher_apps.web.storage import Shelf, Stamp, seats_in
from speicher_env import ArgumentError, Game

MAX_OPEN = 16
"""Games in memory, each with its players."""
IDLE_SECONDS = 3600.0
"""After so long without a request a game leaves memory; it stays on the shelf."""


class UnknownGame(Exception):
    """No game has this name."""


class Sessions:
    """The games by name. A game that is not in memory is read from the shelf; every change is written there."""

    def __init__(self, shelf: Shelf, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing in memory."""
        self.shelf = shelf
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, Session] = {}
        self._stamps: dict[str, Stamp | None] = {}
        self._used: dict[str, float] = {}

    def __len__(self) -> int:
        """Games in memory."""
        return len(self._open)

    def add(self, game: Game, seats: Sequence[str]) -> Session:
        """A new game, dealt or opened."""
        if not self.shelf.make_room():
            raise ArgumentError("no more games can be kept: remove one from the list of games first")
        session = Session(self.shelf.new_id(), game, seats)
        with self._lock:
            self._admit(session)
        self.keep(session)
        return session

    def keep(self, session: Session) -> None:
        """Write a game after a change; where that fails the game goes on in memory and says so."""
        try:
            self._stamps[session.id] = self.shelf.write(session.id, session.record())
            session.unsaved = ""
        except OSError as error:
            session.unsaved = f"the game cannot be kept on disk ({error.strerror}): save it before you stop the server"

    def remove(self, id: str) -> None:
        """Throw a game away."""
        if id not in self.shelf.ids() and id not in self._open:
            raise UnknownGame
        with self._lock:
            self._drop(id)
        self.shelf.remove(id)

    @contextmanager
    def using(self, id: str) -> Iterator[Session]:
        """A game to read or change, for nobody else meanwhile.

        Raises:
            UnknownGame: If there is none of this name.
            RecordError: If the file on the shelf is damaged.
        """
        with self._lock:
            session = self._current(id)
            self._admit(session)
        with session.lock:
            self._used[id] = self._clock()
            yield session

    def _current(self, id: str) -> Session:
        """The game in memory, or the one on the shelf where another server has written it since."""
        session = self._open.get(id)
        if session is None and id not in self.shelf.ids():
            raise UnknownGame
        stamp = self.shelf.stamp(id)
        if session is not None and (session.lock.locked() or stamp is None or stamp == self._stamps.get(id)):
            return session
        record = self.shelf.read(id)
        game = Game.from_record(record)
        self._stamps[id] = stamp
        return Session(id, game, seats_in(record, game.num_players) or ["human"] * game.num_players)

    def _admit(self, session: Session) -> None:
        """Take a game into memory; those idle for long leave it, and the longest unused if there are too many."""
        now = self._clock()
        self._open[session.id] = session
        self._used[session.id] = now
        idle = sorted(self._open, key=self._used.__getitem__)
        for id in idle:
            too_many = len(self._open) > MAX_OPEN
            if id != session.id and (too_many or now - self._used[id] > IDLE_SECONDS):
                if self._open[id].lock.locked() or self._open[id].unsaved:
                    continue
                self._drop(id)

    def _drop(self, id: str) -> None:
        for table in (self._open, self._stamps, self._used):
            table.pop(id, None)  # type: ignore[attr-defined]
