"""Games in the browser: a page on this machine on which people play against each other and against the players."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
        seats: A player's spec for each seat, "human" for a person: such a game is dealt at once. None: the page opens
            with its form.
        deck: Of that game, and offered in the form: "standard", "sampled", a deck file or a Deck.
        seed: Of that game; None takes a fresh one.
        host: The address to listen on. Whatever is not this machine's own (127.0.0.1, ::1) lets others in who know
            the address with its token.
        port: None takes 8421, or any free port if that is taken.
        open_browser: Whether to show the page in the browser at once.
        state_folder: Where games are kept; None takes the folder that the system has for a user's programs.
        hints: The spec of the player that the page asks for hints first; None takes what it chose last, or the
            baseline for the table.

    Raises:
        ServeError: If a package is missing, or the host or port cannot be had.
        ArgumentError: For seats or a seed that are none.
        DeckError: For a deck that is none.
    """
    try:
        from speicher_apps.web.server import run
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NEEDED:
            raise
        raise ServeError(
            f"the page needs the package {missing}, which pip install 'speicher-env[play]' brings"
        ) from error
    run(seats, deck, seed, host, port, open_browser, state_folder, hints)
