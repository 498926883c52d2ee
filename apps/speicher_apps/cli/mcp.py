"""`speicher mcp`: games as tools for language models and other programs."""

from __future__ import annotations

from typing import Annotated

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.options import DECK, option

__all__ = ["EXAMPLES", "mcp"]

EXAMPLES = ("speicher mcp", "speicher mcp --no-advice --no-undo", "claude mcp add speicher -- speicher mcp")


def mcp(
    deck: Annotated[str, option(help=DECK)] = "standard",
    advice: Annotated[
        bool, option("--advice/--no-advice", help="A tool that asks a player for advice. Default: there is one.")
    ] = True,
    undo: Annotated[
        bool, option("--undo/--no-undo", help="A tool that takes moves back. Default: there is one.")
    ] = True,
) -> None:
    """Serve games as tools of the Model Context Protocol on stdin and stdout, until stdin ends.

    A client such as an editor or an agent starts this command by itself.
    """
    from speicher_apps.mcp import ServerError, serve  # needs more packages than other commands

    try:
        serve(deck, advice=advice, undo=undo)
    except ServerError as error:
        raise CommandError(str(error)) from error
