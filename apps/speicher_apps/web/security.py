"""Who may talk to the server: only pages that it served itself, in browsers that were given its address.

The server runs with the rights of its user, and every web page that this user visits can send it requests. So a request
must name the host of this server (a foreign name that resolves to this machine is refused), must not come from a page
of another origin, and must carry the token of the address. Its body is bounded in size and time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import secrets
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "LOOPBACK",
    "TRUSTED",
    "WILDCARDS",
    "Guard",
    "Refusal",
    "body_of",
    "json_answer",
    "new_token",
    "own_hosts",
    "refused",
]

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
WILDCARDS = frozenset({"0.0.0.0", "::"})  # compared with; bound to only on request
BODY_SECONDS = 10.0
"""Time to send a whole body."""
TOKEN_BYTES = 16
TRUSTED = "speicher.trusted"
"""Set in the scope of a request that knew the token."""

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # the address contains the token
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Refusal(Exception):
    """A request that is refused, with an HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


def json_answer(content: Any, status: int = 200) -> Response:
    """An answer in JSON, in ASCII so that no text can fail to be encoded."""
    return Response(json.dumps(content, separators=(",", ":")), status, media_type="application/json")


def refused(status: int, sentence: str) -> Response:
    """The answer to a request that is refused; a busy server asks to try again in a second."""
    answer = json_answer({"error": sentence}, status)
    if status == 503:
        answer.headers["Retry-After"] = "1"
        answer.headers["Connection"] = "close"
    return answer


def new_token() -> str:
    """A token that nobody can guess, safe in an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def own_hosts(host: str) -> Callable[[str], bool]:
    """A function that says whether a request's host is this server, for a server that listens on `host`.

    Only names are compared: a page from another port of this machine has another origin. A server that listens on
    every address accepts any numeric address, because no foreign name can look like one.
    """
    names = LOOPBACK | {host.lower()}
    if host not in WILDCARDS:
        return names.__contains__
    names |= {socket.gethostname().lower()}
    return lambda name: name in names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Passes on only requests that know the token and come from no other page; removes the token from the path."""

    def __init__(self, app: ASGIApp, token: str, host: str) -> None:
        self._app = app
        self._token = token
        self._is_own = own_hosts(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI has it."""
        if scope["type"] != "http":
            raise RuntimeError(f"only HTTP is served, not {scope['type']}")
        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(_name(hosts[0])):
            return refused(403, "this server answers only to its own address")
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{hosts[0]}"]:
            return refused(403, "requests from pages of other origins are refused")
        _, first, *rest = [*scope["path"].split("/", 2), ""][:3] if "/" in scope["path"] else ("", "", "")
        if not secrets.compare_digest(first.encode(), self._token.encode()):
            return refused(403, "the token is missing or wrong: open the address that speicher play --web printed")
        if scope["path"] == f"/{first}":
            return RedirectResponse(f"/{first}/")
        scope[TRUSTED] = True
        path = "/" + rest[0]
        scope["path"], scope["raw_path"] = path, path.encode()
        if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0] != "application/json":
            return refused(415, "a body must be application/json")
        return None


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return sending


async def body_of(request: Request, limit: int) -> bytes:
    """The body of a request.

    Raises:
        Refusal: If it is longer than `limit` bytes, or takes too long to arrive.
    """
    too_long = Refusal(413, f"the body is too long: at most {limit} bytes are accepted")
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > limit:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise too_long
    except TimeoutError:
        raise Refusal(408, "the body did not arrive in time") from None
    except ClientDisconnect:
        raise Refusal(400, "the body ended too early") from None
    return bytes(body)
