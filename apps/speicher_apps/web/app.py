"""The addresses of the server and what each answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from speicher_apps.web.game_session import Session, StaleError, public_state
from speicher_apps.web.hints import hint
from speicher_apps.web.moves import why_not
from speicher_apps.web.offered_players import HUMAN, Seating
from speicher_apps.web.security import Guard, Refusal, body_of, refused
from speicher_apps.web.session_pool import Sessions, UnknownGame
from speicher_apps.web.storage import seats_in
from speicher_apps.web.view import view
from speicher_env import ArgumentError, DeckError, Game, IllegalAction, RecordError, UnknownAction
from speicher_env.arguments import check_seed, fresh_seed
from speicher_env.deal import DeckArgument
from speicher_env.record import line_of, parse_line
from speicher_env.render import page_colours
from speicher_env.rules.actions import ACTION_TEXTS

MAX_ASKED = 4096
"""Bytes of a request to do something."""
MAX_RECORD = 2**20
"""Bytes of a game record that is opened: a hundred times what a game takes."""

_WRONG = (ArgumentError, DeckError, IllegalAction, RecordError, UnknownAction)
_TYPES = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass
class Tables:
    """What the answers are made from."""

    sessions: Sessions
    seating: Seating
    decks: dict[str, DeckArgument]
    """Decks that the page offers, by name."""
    first: dict[str, Any] = field(default_factory=dict)
    """What the form begins with: seats, deck and seed."""


def application(tables: Tables, token: str, host: str) -> ASGIApp:
    """The whole server behind its guard, for a host that it listens on."""
    static = _static()
    routes = [
        Route("/", partial(_file, static["index.html"]), methods=["GET"]),
        *(Route(f"/static/{name}", partial(_file, file), methods=["GET"]) for name, file in static.items()),
        Route("/api/lobby", _bound(tables, _lobby), methods=["GET"]),
        Route("/api/games", _bound(tables, _deal), methods=["POST"]),
        Route("/api/open", _bound(tables, _open, MAX_RECORD), methods=["POST"]),
    ]
    game = "/api/games/{id}"
    routes += [
        Route(game, _bound(tables, _look), methods=["GET"]),
        Route(f"{game}/record", _bound(tables, _record), methods=["GET"]),
        Route(f"{game}/why", _bound(tables, _why), methods=["GET"]),
        Route(f"{game}/hint", _bound(tables, _hint), methods=["POST"]),
        Route(f"{game}/remove", _bound(tables, _remove), methods=["POST"]),
        *(Route(f"{game}/{verb}", _bound(tables, partial(_change, verb)), methods=["POST"]) for verb in _CHANGES),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _http_error, Exception: _failed})
    app.router.redirect_slashes = False
    return Guard(app, token, host)


# Files. All are read when the server starts, so that no request reaches the file system.


def _static() -> dict[str, Response]:
    folder = files("speicher_apps.web").joinpath("static")
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    found["colours.css"] = page_colours().encode()
    return {name: Response(body, media_type=_TYPES[name.rpartition(".")[2]]) for name, body in found.items()}


async def _file(file: Response, request: Request) -> Response:
    return Response(file.body, media_type=file.media_type)


# From a request to a function of plain values, and from what it raises to an answer.


def _bound(tables: Tables, answer: Callable[[Tables, Request, Any], Any], limit: int = MAX_ASKED) -> Endpoint:
    @wraps(answer if not isinstance(answer, partial) else answer.func)
    async def endpoint(request: Request) -> Response:
        try:
            body = await body_of(request, limit) if request.method == "POST" else b""
            # Players think there, so that other games are answered meanwhile.
            found = await run_in_threadpool(answer, tables, request, body)
        except Refusal as refusal:
            return refused(refusal.status, str(refusal))
        except UnknownGame:
            return refused(404, "there is no such game; it may have been removed")
        except StaleError as error:
            return refused(409, str(error))
        except _WRONG as error:
            return refused(400, str(error))
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refused(error.status_code, error.detail.lower())


async def _failed(request: Request, error: Exception) -> Response:
    return refused(500, "the server failed; what went wrong is in its terminal")


def _asked(body: bytes, **kinds: type) -> dict[str, Any]:
    """A table of the keys given, each of its kind; `None` stands for a key that is left out."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "the body must be JSON") from None
    if not isinstance(asked, dict):
        raise Refusal(400, "the body must be a table in JSON")
    for key, value in asked.items():
        if key not in kinds:
            raise Refusal(400, f"found the key {key[:40]!r}, known are {', '.join(kinds)}")
        if type(value) is not kinds[key] and value is not None:
            raise Refusal(400, f"{key}: must be of the kind {kinds[key].__name__}")
    return {key: asked.get(key) for key in kinds}


def _narrow(request: Request) -> bool:
    return request.query_params.get("narrow") == "1"


# Answers


def _lobby(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    return {
        "players": tables.seating.offers(),
        "decks": list(tables.decks),
        "first": tables.first,
        "actions": ACTION_TEXTS,
        "games": [told._asdict() for told in tables.sessions.shelf.kept()],
    }


def _deal(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    asked = _asked(body, seats=list, deck=str, seed=str)
    seats = tables.seating.check(asked["seats"])
    deck = asked["deck"] or "standard"
    if deck not in tables.decks:
        raise ArgumentError(f"deck: must be one of {', '.join(tables.decks)}")
    return view(
        tables.sessions.add(Game(len(seats), tables.decks[deck], _seed(asked["seed"])), seats), _narrow(request)
    )


def _seed(text: str | None) -> int:
    """A seed from the form; it comes as text because browsers keep only 53 bits of a number."""
    if text is None or not text.strip():
        return fresh_seed()
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 19:
        raise ArgumentError("seed: must be a whole number 0..2**63-1, or nothing for a fresh one")
    return check_seed(int(text))


def _open(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    """A game from a file: the first record in it."""
    line = next((line for line in body.splitlines() if line.strip()), b"")
    try:
        record = parse_line(line, "line 1")
    except RecordError:
        record = parse_line(body, "the file")  # one record written over several lines
    game = Game.from_record(record)
    try:
        seats = tables.seating.check(seats_in(record, game.num_players))
    except ArgumentError:  # no word of who sat there, or players that this page has not
        seats = [HUMAN] * game.num_players
    return view(tables.sessions.add(game, seats), _narrow(request))


def _look(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    with tables.sessions.using(request.path_params["id"]) as session:
        return view(session, _narrow(request))


def _record(tables: Tables, request: Request, body: bytes) -> Response:
    """The game's record as a file to save. The page never reads it: it tells the order of the pile."""
    with tables.sessions.using(request.path_params["id"]) as session:
        name = f"speicherstadt-{session.id}.jsonl"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(line_of(session.record()), media_type="application/jsonl", headers=headers)


def _why(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    with tables.sessions.using(request.path_params["id"]) as session:
        return {"why": why_not(public_state(session.game), request.query_params.get("action", ""))}


def _hint(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    asked = _asked(body, at=int, spec=str)
    spec = tables.seating.check_spec(asked["spec"], "hint", human=False)
    with tables.sessions.using(request.path_params["id"]) as session:
        return hint(session, asked["at"], spec)


def _remove(tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    tables.sessions.remove(request.path_params["id"])
    return {}


def _play(tables: Tables, session: Session, body: bytes) -> None:
    asked = _asked(body, at=int, action=str)
    session.play(asked["at"], asked["action"])


def _advance(tables: Tables, session: Session, body: bytes) -> None:
    session.advance(_asked(body, at=int)["at"])


def _undo(tables: Tables, session: Session, body: bytes) -> None:
    session.undo(_asked(body, at=int)["at"])


def _reseat(tables: Tables, session: Session, body: bytes) -> None:
    seats = tables.seating.check(_asked(body, seats=list)["seats"])
    if len(seats) != session.game.num_players:
        raise ArgumentError(f"seats: must be {session.game.num_players} players, as many as the game has")
    session.reseat(seats)


_CHANGES: dict[str, Callable[[Tables, Session, bytes], None]] = {
    "play": _play, "advance": _advance, "undo": _undo, "seats": _reseat,
}  # fmt: skip


def _change(verb: str, tables: Tables, request: Request, body: bytes) -> Mapping[str, Any]:
    """Carry out something in a game and show it; every change is on disk before it is answered."""
    with tables.sessions.using(request.path_params["id"]) as session:
        _CHANGES[verb](tables, session, body)
        tables.sessions.keep(session)
        return view(session, _narrow(request))
