"""Running the server: its address, its first game, and its end."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import platformdirs
import uvicorn

from speicher_apps.web import DEFAULT_PORT, ServeError
from speicher_apps.web.app import Tables, application
from speicher_apps.web.offered_players import HUMAN, Seating, seated
from speicher_apps.web.security import LOOPBACK, WILDCARDS, new_token
from speicher_apps.web.session_pool import Sessions
from speicher_apps.web.storage import Shelf
from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_seed, fresh_seed
from speicher_env.deal import DeckArgument, template_for

MAX_REQUESTS = 40
"""At a time; a page makes one."""
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
    tables, game = tables_for(seats, deck, seed, state_folder, hints)
    listening = listen(host, port)
    token = new_token()
    address = f"http://{shown_host(host)}:{listening.getsockname()[1]}/{token}/{f'#{game}' if game else ''}"
    print(f"The table is at {address}")
    print(f"Games are kept in {tables.sessions.shelf.folder}. Ctrl-C stops the server.", flush=True)
    if host not in LOOPBACK:
        print("Whoever knows this address can play; it is sent unencrypted.", flush=True)
    if open_browser:
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config(tables, token, host)).run(sockets=[listening])


def tables_for(
    seats: Sequence[str] | None,
    deck: DeckArgument,
    seed: int | None,
    state_folder: Path | None,
    hints: str | None = None,
) -> tuple[Tables, str | None]:
    """What the server answers from, and the name of the game that is dealt at once."""
    _, deck_name = template_for(2, deck)
    decks: dict[str, DeckArgument] = {"standard": "standard", "sampled": "sampled", deck_name: deck}
    chosen = list(seats or ())
    seating = Seating(chosen if hints is None else [*chosen, hints])
    folder = platformdirs.user_state_path("speicher") / "games" if state_folder is None else state_folder
    try:
        sessions = Sessions(Shelf(folder))
    except OSError as error:
        raise ServeError(f"{folder}: games cannot be kept there ({error.strerror})") from None
    favourites = seating.favourites()
    first = {
        "seats": chosen or [HUMAN, favourites[2]],
        "favourites": favourites,
        "hints": hints,
        "deck": deck_name,
        "seed": "" if seed is None else str(check_seed(seed)),
    }
    tables = Tables(sessions, seating, decks, first)
    if not chosen:
        return tables, None
    if not 2 <= len(chosen) <= 5:
        raise ArgumentError(f"seats: found {len(chosen)}, must be 2..5 players")
    for spec in chosen:
        seated(spec, 0, len(chosen))  # a spec that is none is told now, not at that player's first turn
    game = Game(len(chosen), deck, fresh_seed() if seed is None else seed)
    return tables, sessions.add(game, chosen).id


def config(tables: Tables, token: str, host: str) -> uvicorn.Config:
    """The settings of the server."""
    return uvicorn.Config(
        application(tables, token, host),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_REQUESTS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
    )


def listen(host: str, port: int | None) -> socket.socket:
    """A socket at the address; without a port asked for the usual one, or any that is free."""
    if port is not None and not 0 <= port <= LARGEST_PORT:
        raise ServeError(f"port {port}: must be a whole number 0..{LARGEST_PORT}, 0 for any free one")
    wanted = [DEFAULT_PORT, 0] if port is None else [port]
    for number in wanted:
        try:
            found = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            family, _, _, _, place = found[0]
            return socket.create_server(place[:2], family=family)
        except OSError as error:
            if number == wanted[-1]:
                where = host if port is None else f"{host}, port {port}"
                raise ServeError(f"{where}: the server cannot listen there ({error.strerror})") from None
    raise AssertionError("the loop returns or raises")


def shown_host(host: str) -> str:
    """The host as it stands in an address that a browser on this machine can open."""
    if host in WILDCARDS:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
