"""`speicher recipes`: the training recipes that come with this package, and all settings of one."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from speicher_apps.cli.options import JSON, option

__all__ = ["EXAMPLES", "recipes"]

EXAMPLES = ("speicher recipes", "speicher recipes 2p > mine.toml", "speicher recipes --json")


def recipes(
    recipe: Annotated[
        str | None, typer.Argument(metavar="RECIPE", help="Print all settings of this recipe as TOML.")
    ] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """List the recipes for `speicher train`, or print one with every setting and its meaning."""
    from speicher_training.train.recipe import load_recipe  # loaded here, so that no other command waits for it
    from speicher_training.train.recipe import recipes as names

    loaded = [load_recipe(recipe)] if recipe is not None else [load_recipe(name) for name in names()]
    if as_json:
        print(json.dumps({found.name: found.tables for found in loaded}, indent=1))
        return
    if recipe is not None:
        print(loaded[0].text())
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("recipe", "players", "decisions", "pretrained by", "layers"):
        table.add_column(column, no_wrap=True)
    for found in loaded:
        table.add_row(
            found.name,
            ", ".join(map(str, found.game.players)),
            f"{found.ppo.steps:,}",
            found.pretraining.teacher if found.pretraining.decisions else "nobody",
            ", ".join(map(str, found.network.policy)),
        )
    Console().print(table)
