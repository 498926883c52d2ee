"""The server of the page on a free port, in a thread, and plain requests to it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import uvicorn

from speicher_apps.web.app import ServerState
from speicher_apps.web.game_session import GameSession
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_apps.web.server import config, listen, server_state
from speicher_apps.web.session_pool import SessionPool
from speicher_apps.web.storage import GameStorage
from speicher_env import Game
from tests.support.quick_player import SPEC

TOKEN = "token-of-the-tests"
HOST = "127.0.0.1"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    port: int
    state: ServerState

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/{TOKEN}/"

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str | None] | None = None,
        token: str = f"/{TOKEN}",
    ) -> Answer:
        """One request; `body` is sent as JSON unless it is bytes, a header of None is left out."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Host": f"{HOST}:{self.port}", **({} if data is None else {"Content-Type": "application/json"})}
        sent.update(headers or {})  # type: ignore[arg-type]
        connection = HTTPConnection(HOST, self.port, timeout=120)  # the first answer may compile
        try:
            connection.putrequest(
                method or ("GET" if data is None else "POST"), token + path, skip_host=True, skip_accept_encoding=True
            )
            if data is not None:
                sent.setdefault("Content-Length", str(len(data)))
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(data)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        return _good(self.ask(f"/api/{path}"))

    def post(self, path: str, body: Any) -> Any:
        return _good(self.ask(f"/api/{path}", body))

    def deal(self, seats: Sequence[str] = ("human", SPEC), seed: str = "7", **more: Any) -> Any:
        return self.post("games", {"seats": list(seats), "seed": seed, **more})

    def moved(self, game: Any, place: int = 0) -> Any:
        """A game after the next move: a person's is the legal one at this place, another player's its own."""
        change, body = ("play", {"action": game["legal"][place]}) if game["yours"] else ("advance", {})
        return self.post(f"games/{game['id']}/{change}", {"at": game["at"], **body})


def _good(answer: Answer) -> Any:
    assert answer.status == 200, answer.body
    return answer.json


def new_session(game: Game, seats: Sequence[str]) -> GameSession:
    """A game on the page without a server."""
    return GameSession("0" * 16, game, seats, OfferedPlayers([SPEC]))


def new_pool(folder: Path, clock: Callable[[], float] = time.monotonic) -> SessionPool:
    """All games of a folder without a server."""
    return SessionPool(GameStorage(folder), OfferedPlayers([SPEC]), clock)


@contextmanager
def serving(folder: Path, seats: Sequence[str] | None = None) -> Iterator[Served]:
    state, _ = server_state(seats, "standard", None, folder)
    state.players.trust([SPEC, "tests.support.quick_player:Broken"])
    listening = listen(HOST, 0)
    server = uvicorn.Server(config(state, TOKEN, HOST))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield Served(listening.getsockname()[1], state)
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
        assert not thread.is_alive()
