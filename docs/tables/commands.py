"""Tables of the options of each command."""

from __future__ import annotations

import re
from typing import Any

from docs.tables.markdown import code, table


def _options(command: str) -> str:
    import typer

    from speicher_apps.cli.app import app

    rows = []
    group: Any = typer.main.get_command(app)
    for parameter in group.commands[command].params:
        if parameter.name == "help":
            continue
        flag = getattr(parameter, "is_flag", False)
        is_option = parameter.param_type_name == "option"
        value = "" if flag else " " + (parameter.metavar or parameter.name.upper())
        spelled = ", ".join((*parameter.opts, *parameter.secondary_opts)) + value
        names = spelled if is_option else parameter.metavar or parameter.name.upper()
        default = "" if flag or parameter.default is None else code(parameter.default)
        plain = re.sub(r"\[/?(?:bold|dim|italic)\]", "", parameter.help or "")
        rows.append((code(names.replace("|", " or ")), default, plain))
    return table(("argument", "default", "meaning"), rows, "l" * len(rows[0]))


def arena_options() -> str:
    """The options of `speicher arena`."""
    return _options("arena")


def mcp_options() -> str:
    """The options of `speicher mcp`."""
    return _options("mcp")


def dataset_options() -> str:
    """The options of `speicher dataset`."""
    return _options("dataset")


def exploit_options() -> str:
    """The options of `speicher exploit`."""
    return _options("exploit")


def play_options() -> str:
    """The options of `speicher play`."""
    return _options("play")


def record_options() -> str:
    """The options of `speicher record`."""
    return _options("record")


def solve_options() -> str:
    """The options of `speicher solve`."""
    return _options("solve")


def replay_options() -> str:
    """The options of `speicher replay`."""
    return _options("replay")


def review_options() -> str:
    """The options of `speicher review`."""
    return _options("review")


def sweep_options() -> str:
    """The options of `speicher sweep`."""
    return _options("sweep")


TABLES = {
    "arena options": arena_options,
    "mcp options": mcp_options,
    "dataset options": dataset_options,
    "exploit options": exploit_options,
    "play options": play_options,
    "record options": record_options,
    "replay options": replay_options,
    "review options": review_options,
    "solve options": solve_options,
    "sweep options": sweep_options,
}
