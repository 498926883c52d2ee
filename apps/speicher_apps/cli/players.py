"""`speicher players`: the players that can be named wherever a spec is accepted."""

from __future__ import annotations

import json
from typing import Annotated, Any

from rich.console import Console
from rich.table import Table

from speicher_apps.cli.options import JSON, option

__all__ = ["EXAMPLES", "players"]

EXAMPLES = ("speicher players", "speicher players --json")


def players(as_json: Annotated[bool, option("--json", help=JSON)] = False) -> None:
    """List the players by name, with their parameters and their idea."""
    from speicher_agents import describe_players  # loaded here, so that no other command waits for it

    kinds = describe_players()
    if as_json:
        print(json.dumps([_as_json(kind) for kind in kinds], indent=1))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player", no_wrap=True)
    table.add_column("parameters")
    table.add_column("idea")
    for kind in kinds:
        table.add_row(kind.name, ", ".join(map(_with_default, kind.parameters)), kind.idea)
    console = Console()
    console.print(table)
    for kind in kinds:
        for parameter in kind.parameters:
            console.print(f"{kind.name}: {parameter.name} is {parameter.meaning}", highlight=False)
    console.print(
        "\nParameters follow a colon, as in name:value or name:key=value,key=value. "
        "A player of your own is module:Class or file.py:Class.",
        highlight=False,
    )


def _with_default(parameter: Any) -> str:
    default = "" if parameter.default is None else f"={parameter.default}"
    return f"{parameter.name}{default}"


def _as_json(kind: Any) -> dict[str, Any]:
    return {
        "name": kind.name,
        "idea": kind.idea,
        "parameters": [
            {
                "name": parameter.name,
                "type": parameter.kind.__name__,
                "meaning": parameter.meaning,
                "default": parameter.default,
                "least": parameter.least,
            }
            for parameter in kind.parameters
        ],
    }
