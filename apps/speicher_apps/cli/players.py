"""`speicher players`: who can be named wherever a player is asked for."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


def players() -> None:
    """List the players by name, with their parameters and their idea."""
    # Loaded here, so that no other command waits for it.
    from speicher_agents import Parameter, describe_players

    def told(parameter: Parameter) -> str:
        default = "" if parameter.default is None else f"={parameter.default}"
        return f"{parameter.name}{default}"

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player", no_wrap=True)
    table.add_column("parameters")
    table.add_column("idea")
    kinds = describe_players()
    for kind in kinds:
        table.add_row(kind.name, ", ".join(told(parameter) for parameter in kind.parameters), kind.idea)
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
