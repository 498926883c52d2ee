"""The form of the page: damaged requests to a live server, sent as bytes."""

from __future__ import annotations

import json
import random
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from speicher_env import Game
from tests.support.fuzz_inputs.forms import ACCEPTED, REFUSED, Form, Parts, Unclear, check_sentence, expect
from tests.support.fuzz_inputs.mutations import NUMBERS, TEXTS, damaged, damaged_value, json_text, steps
from tests.support.games import random_game
from tests.support.served import HOST, TOKEN, Served, serving

GAME = "GAME"
"""Stands for the name of the case's game in a path."""
SECONDS = 60
CHECKED = ("content-security-policy", "x-content-type-options", "referrer-policy", "cache-control", "x-frame-options")
LOBBY_EVERY = 25


class _Base(NamedTuple):
    served: Served
    counter: list[int]


def _server(own: Path, shared: Path) -> _Base:
    stack = ExitStack()
    served = stack.enter_context(serving(own / "games"))
    served.stack = stack  # type: ignore[attr-defined]  # kept open as long as the worker lives
    return _Base(served, [0])


_BODIES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/games", {"seats": ["human", "random"], "deck": "standard", "seed": "7"}),
    ("POST", "/api/games", {"seats": ["human", "mcts:5", "merchant"], "deck": "sampled", "seed": ""}),
    ("POST", f"/api/games/{GAME}/play", {"at": 0, "action": "place 0"}),
    ("POST", f"/api/games/{GAME}/advance", {"at": 0}),
    ("POST", f"/api/games/{GAME}/undo", {"at": 0}),
    ("POST", f"/api/games/{GAME}/hint", {"at": 0, "spec": "merchant"}),
    ("POST", f"/api/games/{GAME}/seats", {"seats": ["human", "random"]}),
    ("POST", f"/api/games/{GAME}/remove", {}),
    ("GET", "/api/lobby", None),
    ("GET", f"/api/games/{GAME}", None),
    ("GET", f"/api/games/{GAME}/record", None),
    ("GET", "/static/app.js", None),
    ("GET", "/", None),
)
_SPECS = ("mcts:50", "mcts:ms=20001", "mcts:9_999_999_999", "flat:20", "os:system", "baseline:2p", "guided:5", *TEXTS)
_METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get", "", "X" * 300)


def _damaged_request(rng: random.Random, base: _Base) -> Parts:
    method, path, body = rng.choice(_BODIES)
    if rng.random() < 0.25:
        record = random_game(2, seed=1, decisions=rng.choice((0, 20, None))).to_record() | {
            "seats": ["human", "random"]
        }
        method, path, body = "POST", "/api/open", record
    if isinstance(body, dict) and "seats" in body and rng.random() < 0.3:
        body = {**body, "seats": [rng.choice(("human", rng.choice(_SPECS))) for _ in body["seats"]]}
    content = b"" if body is None else json_text(body, rng)
    kind = rng.random()
    if body is not None and kind < 0.4:
        content = json_text(damaged_value(body, rng), rng) if rng.random() < 0.7 else damaged(content, rng)
    headers = {"Host": f"{HOST}:PORT", "Content-Type": "application/json", "Content-Length": str(len(content))}
    if body is None:
        headers = {"Host": f"{HOST}:PORT"}
    path = f"/{TOKEN}{path}"
    for _ in range(steps(rng) if kind > 0.5 else 0):
        method, path = _change(headers, method, path, rng)
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "Connection: close"]
    request = "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + content
    return {"request": damaged(request, rng) if kind > 0.9 else request}


def _change(headers: dict[str, str], method: str, path: str, rng: random.Random) -> tuple[str, str]:
    kind = rng.randrange(7)
    text = rng.choice((*TEXTS, *NUMBERS)).replace("\r", "").replace("\n", "")
    if kind == 0:
        method = rng.choice(_METHODS)
    elif kind == 1:
        path = (
            damaged(path.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "surrogateescape").replace(" ", "%20")
        )
    elif kind == 2:
        path = path.replace(GAME, rng.choice(("0" * 16, "..", "%2e%2e", "%00", "x", "%ff", "%ed%a0%80")))
    elif kind == 3:
        headers[rng.choice(sorted(headers))] = text
    elif kind == 4:
        headers.pop(rng.choice(sorted(headers)), None)
        headers.setdefault("X", "1")
    elif kind == 5:
        headers[rng.choice(("Origin", "Transfer-Encoding", "Expect", "Cookie", "Upgrade", "Range", "X" * 50))] = (
            rng.choice(("chunked", "http://evil.example", "null", "100-continue", "websocket", "h2c", text))
        )
    else:
        path += rng.choice(("?page=", "?action=", "/", "#", "?")) + rng.choice(("1", "%00", "%ed%a0%80", "x" * 5000))
    return method, path


def _read_request(parts: Parts, base: _Base, place: Path) -> str:
    served, sessions = base.served, base.served.state.sessions
    session = sessions.add(Game(2, seed=7), ["human", "random"])
    before = set(sessions.storage.ids())
    try:
        request = (
            parts["request"].replace(GAME.encode(), session.id.encode()).replace(b"PORT", str(served.port).encode())
        )
        answer = _answer_to(request, served.port)
        return _judged(answer)
    finally:
        for name in {session.id, *(set(sessions.storage.ids()) - before)}:
            with suppress(Exception):
                sessions.remove(name)
        base.counter[0] += 1
        if base.counter[0] % LOBBY_EVERY == 0:
            expect(served.ask("/api/lobby").status == 200, "the server does not answer any more")


def _answer_to(request: bytes, port: int) -> bytes:
    answer = b""
    with socket.create_connection((HOST, port), timeout=SECONDS) as connection:
        with suppress(OSError):  # the server may close the connection before it has read everything
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while piece := connection.recv(1 << 16):
                answer += piece
    return answer


def _judged(answer: bytes) -> str:
    """The outcome by the answer of the server."""
    if not answer:
        return REFUSED  # the connection was closed
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    status = int(first.split()[1])
    if status == 100:
        return _judged(body)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if status >= 500:
        raise Unclear(f"answered with {first}: {body[:2000]!r}")
    body = body[: int(headers.get("content-length", len(body)))]  # another answer may follow
    by_the_page = "content-security-policy" in headers
    if by_the_page:
        expect(all(name in headers for name in CHECKED), f"an answer without the security headers: {head!r}")
    elif status != 400:
        raise Unclear(f"answered without the security headers: {head!r}")
    if status < 400:
        if headers.get("content-type", "").startswith("application/json") and body:
            json.loads(body)
        return ACCEPTED
    if by_the_page and body:
        error = json.loads(body)
        expect(list(error) == ["error"], f"an error of another form: {body[:500]!r}")
        check_sentence(error["error"])
    return REFUSED


PAGE = Form("page", _server, _damaged_request, _read_request, seconds=60.0)
