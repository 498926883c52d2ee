"""The addresses of the server and what each answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from speicher_apps.specs import HUMAN
from speicher_apps.web.files import page_files
from speicher_apps.web.game_session import GameSession, StaleError
from speicher_apps.web.hints import hint
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_apps.web.reviews import GameReviews, NoReview
from speicher_apps.web.security import Guard, Refusal, body_of, json_answer, refused
from speicher_apps.web.session_pool import SessionPool, UnknownGame
from speicher_apps.web.storage import seats_in
from speicher_apps.web.view import view
from speicher_env import ArgumentError, DeckError, Game, IllegalAction, RecordError, UnknownAction
from speicher_env.arguments import SEEDS, check_seed, fresh_seed
from speicher_env.deal import DeckArgument
from speicher_env.messages import must_be, one_of, shown
from speicher_env.record import line_of, parse_line
from speicher_env.rules.actions import ACTION_TEXTS

__all__ = ["MAX_RECORD", "MAX_REQUEST", "ServerState", "application"]

MAX_REQUEST = 4096
"""Bytes of a request's body, apart from records."""
MAX_RECORD = 2**20
"""Bytes of a game record that is opened: a hundred times what a game takes."""

_INPUT_ERRORS = (ArgumentError, DeckError, IllegalAction, RecordError, UnknownAction)
_TYPES = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
}

Endpoint = Callable[[Request], Awaitable[Response]]
Answer = Callable[["ServerState", Request, bytes], Any]


@dataclass
class ServerState:
    """What the answers are made from."""

    sessions: SessionPool
    players: OfferedPlayers
    decks: dict[str, DeckArgument]
    """Decks that the page offers, by name."""
    first: dict[str, Any] = field(default_factory=dict)
    """What the form begins with: seats, deck and seed."""
    reviews: GameReviews = field(default_factory=GameReviews)


class Queue:
    """Lets some requests of a kind run, some wait, and refuses the others at once.

    Each kind has a queue of its own, so that no number of requests to look at a game delays a move.
    """

    def __init__(self, running: int, waiting: int) -> None:
        """Allow that many requests at a time."""
        self._running = running
        self._most = running + waiting
        self._here = 0
        self._limiter: CapacityLimiter | None = None

    async def run(self, answer: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in a thread, so that other games are answered while a player thinks."""
        if self._here >= self._most:
            raise Refusal(503, "the server is busy: try again in a moment")
        self._limiter = self._limiter or CapacityLimiter(self._running)  # needs the event loop
        self._here += 1
        try:
            return await run_sync(answer, *arguments, limiter=self._limiter)
        finally:
            self._here -= 1


def application(state: ServerState, token: str, host: str) -> ASGIApp:
    """The whole server behind its guard, for a host that it listens on."""
    static = _static()
    looks, moves, thinking = Queue(8, 24), Queue(16, 48), Queue(4, 12)
    one = "/api/games/{id}"
    routes = [
        Route("/", partial(_file, static["index.html"]), methods=["GET"]),
        Route("/review.html", partial(_file, static["review.html"]), methods=["GET"]),
        *(Route(f"/static/{name}", partial(_file, file), methods=["GET"]) for name, file in static.items()),
        Route("/api/lobby", _bound(state, looks, _lobby), methods=["GET"]),
        Route("/api/games", _bound(state, moves, _deal), methods=["POST"]),
        Route("/api/open", _bound(state, looks, _open, MAX_RECORD), methods=["POST"]),
        Route(one, _bound(state, looks, _look), methods=["GET"]),
        Route(f"{one}/record", _bound(state, looks, _record), methods=["GET"]),
        Route(f"{one}/hint", _bound(state, thinking, _hint), methods=["POST"]),
        Route(f"{one}/review", _bound(state, looks, _review_progress), methods=["GET"]),
        Route(f"{one}/review", _bound(state, looks, _review), methods=["POST"]),
        Route(f"{one}/review/stop", _bound(state, looks, _stop_review), methods=["POST"]),
        Route(f"{one}/review/result", _bound(state, looks, _review_result), methods=["GET"]),
        Route(f"{one}/remove", _bound(state, moves, _remove), methods=["POST"]),
        Route(f"{one}/play", _bound(state, moves, partial(_change, _play)), methods=["POST"]),
        Route(f"{one}/undo", _bound(state, moves, partial(_change, _undo)), methods=["POST"]),
        Route(f"{one}/seats", _bound(state, moves, partial(_change, _reseat)), methods=["POST"]),
        Route(f"{one}/advance", _bound(state, thinking, partial(_change, _advance)), methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _http_error, Exception: _failed})
    app.router.redirect_slashes = False
    return Guard(app, token, host)


# Files. All are read when the server starts, so that no request reaches the file system.


def _static() -> dict[str, Response]:
    return {name: Response(body, media_type=_TYPES[name.rpartition(".")[2]]) for name, body in page_files().items()}


async def _file(file: Response, request: Request) -> Response:
    return Response(file.body, media_type=file.media_type)


# From a request to a function of plain values, and from what it raises to an answer.


def _bound(state: ServerState, queue: Queue, answer: Answer, limit: int = MAX_REQUEST) -> Endpoint:
    @wraps(answer if not isinstance(answer, partial) else answer.func)
    async def endpoint(request: Request) -> Response:
        try:
            body = await body_of(request, limit) if request.method == "POST" else b""
            content = await queue.run(answer, state, request, body)
        except Refusal as refusal:
            return refused(refusal.status, str(refusal))
        except UnknownGame:
            return refused(404, "there is no such game; it may have been removed")
        except NoReview:
            return refused(404, "there is no review of this game: ask for it at the end of the game")
        except StaleError as error:
            return refused(409, str(error))
        except _INPUT_ERRORS as error:
            return refused(400, str(error))
        return content if isinstance(content, Response) else json_answer(content)

    return endpoint


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refused(error.status_code, error.detail.lower())


async def _failed(request: Request, error: Exception) -> Response:
    return refused(500, "the server failed; the reason is in its terminal")


def _fields(body: bytes, **types: type) -> dict[str, Any]:
    """The fields of a JSON object, each checked against its type; `None` for a field that is left out."""
    try:
        fields = json.loads(body)
        json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refusal(400, "the body contains a text that is not Unicode (half of a surrogate pair)") from None
    except (ValueError, RecursionError):
        raise Refusal(400, "the body must be JSON") from None
    if not isinstance(fields, dict):
        raise Refusal(400, "the body must be a JSON object")
    for name, value in fields.items():
        if name not in types:
            raise Refusal(400, must_be("field", name, one_of(name, types)))
        if type(value) is not types[name] and value is not None:
            raise Refusal(400, must_be(name, value, f"of the type {types[name].__name__}"))
    return {name: fields.get(name) for name in types}


# Answers


def _lobby(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    return {
        "players": state.players.offers(),
        "levels": state.players.levels(),
        "decks": list(state.decks),
        "first": state.first,
        "games": [game._asdict() for game in state.sessions.storage.games()],
    }


def _deal(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    fields = _fields(body, seats=list, deck=str, seed=str)
    seats = state.players.check(fields["seats"])
    deck = fields["deck"] or "standard"
    if deck not in state.decks:
        raise ArgumentError(must_be("deck", deck, one_of(deck, state.decks)))
    game = Game(len(seats), state.decks[deck], _seed(fields["seed"]))
    return view(state.sessions.add(game, seats))


def _seed(text: str | None) -> int:
    """A seed from the form; it comes as text because browsers keep only 53 bits of a number."""
    if text is None or not text.strip():
        return fresh_seed()
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 20:
        raise ArgumentError(must_be("seed", text, f"{SEEDS}, or empty for a new one"))
    return check_seed(int(text))


def _open(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    """A game from a file: the first record in it."""
    line = next((line for line in body.splitlines() if line.strip()), b"")
    try:
        record = parse_line(line, "line 1")
    except RecordError:
        record = parse_line(body, "the file")  # one record over several lines
    game = Game.from_record(record)
    try:
        game.deck_name.encode()
    except UnicodeEncodeError:
        raise RecordError(must_be("deck", game.deck_name, "a text in Unicode")) from None
    try:
        seats = state.players.check(seats_in(record, game.num_players))
    except ArgumentError:  # the record names no players, or none that this page accepts
        seats = [HUMAN] * game.num_players
    return view(state.sessions.add(game, seats))


def _look(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    with state.sessions.using(request.path_params["id"]) as session:
        return view(session)


def _record(state: ServerState, request: Request, body: bytes) -> Response:
    """The game's record as a file to save. The page itself never reads it: it holds the order of the pile."""
    with state.sessions.using(request.path_params["id"]) as session:
        name = f"speicherstadt-{session.id}.jsonl"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(line_of(session.record()), media_type="application/jsonl", headers=headers)


def _hint(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    fields = _fields(body, at=int, spec=str)
    spec = state.players.check_spec(fields["spec"], "hint", human=False)
    with state.sessions.using(request.path_params["id"]) as session:
        return hint(session, fields["at"], spec)


def _review_progress(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    with state.sessions.using(request.path_params["id"]) as session:
        return state.reviews.progress(session)


def _review(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    with state.sessions.using(request.path_params["id"]) as session:
        state.reviews.start(session)
        return state.reviews.progress(session)


def _stop_review(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    with state.sessions.using(request.path_params["id"]) as session:
        state.reviews.stop(session.id)
        return state.reviews.progress(session)


def _review_result(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    with state.sessions.using(request.path_params["id"]) as session:
        return state.reviews.result(session)


def _remove(state: ServerState, request: Request, body: bytes) -> Mapping[str, Any]:
    state.sessions.remove(request.path_params["id"])
    state.reviews.stop(request.path_params["id"])
    return {}


def _play(state: ServerState, session: GameSession, body: bytes) -> None:
    fields = _fields(body, at=int, action=str)
    if fields["action"] is None:
        raise ArgumentError(must_be("action", None, f"the text of an action, such as {shown(ACTION_TEXTS[0])}"))
    session.play(fields["at"], fields["action"])


def _advance(state: ServerState, session: GameSession, body: bytes) -> None:
    session.advance(_fields(body, at=int)["at"])


def _undo(state: ServerState, session: GameSession, body: bytes) -> None:
    session.undo(_fields(body, at=int)["at"])


def _reseat(state: ServerState, session: GameSession, body: bytes) -> None:
    seats = state.players.check(_fields(body, seats=list)["seats"])
    if len(seats) != session.game.num_players:
        raise ArgumentError(must_be("seats", seats, f"{session.game.num_players} players, as many as the game has"))
    session.reseat(seats)


def _change(
    change: Callable[[ServerState, GameSession, bytes], None], state: ServerState, request: Request, body: bytes
) -> Mapping[str, Any]:
    """Change a game and show it; every change is on disk before it is answered."""
    with state.sessions.using(request.path_params["id"]) as session:
        change(state, session, body)
        state.sessions.write(session)
        return view(session)
