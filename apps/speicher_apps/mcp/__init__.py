"""Games as tools for language models and other programs: a server of the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

from speicher_apps.packages import installed
from speicher_env.deal import DeckArgument

_NEEDED = ("mcp", "mcp_types", "anyio")

__all__ = ["ServerError", "serve"]


class ServerError(Exception):
    """The server cannot run; the message is one sentence."""


def serve(deck: DeckArgument = "standard", *, advice: bool = True, undo: bool = True) -> None:
    """Serve until stdin ends. Nothing but the protocol is written to stdout.

    Args:
        deck: The deck of games for which the client names none: "standard", "sampled", a deck file or a Deck.
        advice: Whether there is a tool that asks a player for advice.
        undo: Whether there is a tool that takes moves back.

    Raises:
        ServerError: If a package is missing.
        DeckError: For a wrong deck.
    """
    with installed(_NEEDED, "the server", "mcp", ServerError):
        from speicher_apps.mcp.server import run
    from speicher_apps.mcp.games import Games
    from speicher_apps.mcp.tools import tools

    run(tools(Games(deck), advice=advice, undo=undo))
