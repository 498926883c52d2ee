"""Running the server: its address, its first game, and its end."""

from __future__ import annotations

import contextlib
import html
import os
import secrets
import socket
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs
import uvicorn

from speicher_apps.levels import LEVELS
from speicher_apps.specs import HUMAN
from speicher_apps.web import DEFAULT_PORT, ServeError
from speicher_apps.web.app import ServerState, application
from speicher_apps.web.connections import TRUSTED_SILENT_SECONDS, BoundedConnection
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_apps.web.security import LOOPBACK, WILDCARDS, new_token
from speicher_apps.web.session_pool import SessionPool
from speicher_apps.web.storage import GameStorage
from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_seed, fresh_seed
from speicher_env.deal import DeckArgument, template_for
from speicher_env.messages import must_be, shown
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

__all__ = ["LARGEST_PORT", "config", "launcher", "listen", "run", "server_state", "shown_host"]

LARGEST_PORT = 65_535


def run(
    seats: Sequence[str] | None,
    deck: DeckArgument,
    seed: int | None,
    host: str,
    port: int | None,
    open_browser: bool,
    state_folder: Path | None,
    hints: str | None,
) -> None:
    """Serve until Ctrl-C, see `speicher_apps.web.serve`."""
    state, game = server_state(seats, deck, seed, state_folder, hints)
    token = new_token()
    folder = state.sessions.storage.folder
    with contextlib.closing(listen(host, port)) as listening:
        address = f"http://{shown_host(host)}:{listening.getsockname()[1]}/{token}/{f'#{game}' if game else ''}"
        print(f"The table is at {address}")
        print(f"Games are stored in {folder}. Ctrl-C stops the server.", flush=True)
        if host not in LOOPBACK:
            print("Whoever knows this address can play; it is sent unencrypted.", flush=True)
        with launcher(address, folder) if open_browser else contextlib.nullcontext() as file:
            if file is not None:
                webbrowser.open(file.as_uri())
            with contextlib.suppress(KeyboardInterrupt):
                uvicorn.Server(config(state, token, host)).run(sockets=[listening])


@contextlib.contextmanager
def launcher(address: str, folder: Path) -> Iterator[Path]:
    """A file for the browser that leads to the address, readable by its user alone, removed at the end.

    Other users of the machine can read a browser's command line, so the address with its token must not be in it.
    """
    path = folder / f"open-{secrets.token_hex(8)}.html"
    link = html.escape(address)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={link}">'
            f'<title>Speicherstadt</title><a href="{link}">The table</a>\n'
        )
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def server_state(
    seats: Sequence[str] | None,
    deck: DeckArgument,
    seed: int | None,
    state_folder: Path | None,
    hints: str | None = None,
) -> tuple[ServerState, str | None]:
    """What the server answers from, and the name of the game that is dealt at once."""
    _, deck_name = template_for(2, deck)
    decks: dict[str, DeckArgument] = {"standard": "standard", "sampled": "sampled", deck_name: deck}
    chosen = list(seats or ())
    players = OfferedPlayers(chosen if hints is None else [*chosen, hints])
    folder = platformdirs.user_state_path("speicher") / "games" if state_folder is None else state_folder
    try:
        sessions = SessionPool(GameStorage(folder), players)
    except OSError as error:
        raise ServeError(f"{folder}: games cannot be stored there ({error.strerror})") from None
    favourites = players.favourites()
    first = {
        "seats": chosen or [HUMAN, LEVELS[1].spec],
        "favourites": favourites,
        "hints": hints,
        "deck": deck_name,
        "seed": "" if seed is None else str(check_seed(seed)),
    }
    state = ServerState(sessions, players, decks, first)
    if not chosen:
        return state, None
    if not MIN_PLAYERS <= len(chosen) <= MAX_PLAYERS:
        raise ArgumentError(must_be("seats", chosen, f"{MIN_PLAYERS}..{MAX_PLAYERS} players"))
    for spec in dict.fromkeys(chosen):
        players.make(spec, 0, len(chosen))  # a wrong spec is refused now, not at that player's first turn
    game = Game(len(chosen), deck, fresh_seed() if seed is None else seed)
    return state, sessions.add(game, chosen).id


def config(state: ServerState, token: str, host: str) -> uvicorn.Config:
    """The settings of the server."""
    return uvicorn.Config(
        application(state, token, host),
        http=BoundedConnection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=int(TRUSTED_SILENT_SECONDS),
        timeout_graceful_shutdown=2,
    )


def listen(host: str, port: int | None) -> socket.socket:
    """A socket at the address; the default port, or any free one if that is taken, where none is given."""
    if port is not None and not 0 <= port <= LARGEST_PORT:
        raise ServeError(must_be("--port", port, f"a whole number 0..{LARGEST_PORT}, 0 for any free one"))
    ports = [DEFAULT_PORT, 0] if port is None else [port]
    for number in ports:
        try:
            places = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            family, _, _, _, place = places[0]
            return socket.create_server(place[:2], family=family)
        except (ValueError, UnicodeError):  # too long, or with characters that no host has
            raise ServeError(must_be("--host", host, "an address or a name of this machine")) from None
        except OSError as error:
            if number == ports[-1]:
                where = shown(host) if port is None else f"{shown(host)}, port {port}"
                raise ServeError(f"{where}: the server cannot listen there ({error.strerror})") from None
    raise AssertionError("the loop returns or raises")


def shown_host(host: str) -> str:
    """The host as a browser on this machine can open it."""
    if host in WILDCARDS:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
