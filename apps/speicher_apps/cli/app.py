"""The `speicher` command and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

import speicher_env
from speicher_apps.cli.arena import arena
from speicher_apps.cli.bench import bench
from speicher_apps.cli.demo import demo
from speicher_apps.cli.play import play
from speicher_apps.cli.players import players
from speicher_apps.cli.record import record
from speicher_apps.cli.replay import replay
from speicher_apps.cli.train import train

app = typer.Typer(
    name="speicher",
    help="Play, record and replay games of [bold]Die Speicherstadt[/bold].",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"speicher-env {speicher_env.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def speicher(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Show what there is, if nothing is asked for."""
    if context.invoked_subcommand is None:
        print(context.get_help())


app.command()(arena)
app.command()(bench)
app.command()(demo)
app.command()(play)
app.command()(players)
app.command()(record)
app.command()(replay)
app.command()(train)
