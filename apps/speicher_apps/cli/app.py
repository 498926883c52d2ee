"""The `speicher` command and its subcommands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

import speicher_env
from speicher_apps.cli.options import examples

__all__ = ["COMMANDS", "app"]

COMMANDS = (
    "analyse", "arena", "bench", "compile", "dataset", "demo", "exploit", "ladder", "luck", "mcp", "play", "players",
    "recipes", "record", "regret", "replay", "review", "solve", "sweep", "train",
)  # fmt: skip
"""A module of this package for each, with a function of the same name."""

app = typer.Typer(
    name="speicher",
    help="Play, record and replay games of [bold]Die Speicherstadt[/bold].",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(version: bool) -> None:
    if version:
        print(f"speicher-env {speicher_env.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def speicher(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Show the help if no command is given."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def _help(docstring: str) -> str:
    """A docstring with each paragraph on one line, which the terminal then wraps."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n"))


for name in COMMANDS:
    module = import_module(f"speicher_apps.cli.{name}")
    command = getattr(module, name)
    app.command(help=_help(command.__doc__), epilog=examples(module.EXAMPLES))(command)
