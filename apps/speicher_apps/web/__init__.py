"""Games in the browser: a page on this machine where people play each other and the players."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from speicher_apps.packages import installed
from speicher_env.deal import DeckArgument

_NEEDED = ("starlette", "uvicorn", "anyio", "platformdirs")

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8421
"""Where the page is, unless the port is taken or another is asked for."""

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "ServeError", "serve"]


class ServeError(Exception):
    """The page cannot be served; the message is one sentence."""


def serve(
    seats: Sequence[str] | None = None,
    deck: DeckArgument = "standard",
    seed: int | None = None,
    host: str = DEFAULT_HOST,
    port: int | None = None,
    open_browser: bool = True,
    state_folder: Path | None = None,
    hints: str | None = None,
) -> None:
    """Serve the page until Ctrl-C; its address is printed on stdout.

    Args:
        seats: The spec of the player in each seat, "human" for a person; such a game is dealt at once. Default: the
            page opens with its form.
        deck: The deck of that game, also offered in the form: "standard", "sampled", a deck file or a Deck.
        seed: The seed of that game. Default: a random one.
        host: The address to listen on. With other addresses than this machine's own (127.0.0.1, ::1), everybody who
            knows the address with its token can play.
        port: The port. Default: 8421, or any free port if that is taken.
        open_browser: Whether to open the page in the browser.
        state_folder: The folder for games. Default: the system's folder for data of a user's programs.
        hints: The spec of the player that gives hints. Default: the last choice on the page, else the baseline for
            the number of players.

    Raises:
        ServeError: If a package is missing, or the host or port cannot be used.
        ArgumentError: For wrong seats or a wrong seed.
        DeckError: For a wrong deck.
    """
    with installed(_NEEDED, "the page", "play", ServeError):
        from speicher_apps.web.server import run
    run(seats, deck, seed, host, port, open_browser, state_folder, hints)
