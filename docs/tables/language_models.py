"""Tables of the settings of a language model as a player."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any

from docs.tables.markdown import code, table
from speicher_agents.llm import CommandSettings, EndpointSettings, LanguageModelSettings
from speicher_training.train.recipe import toml


def settings_of(kind: type) -> str:
    """The default, the range and the meaning of each setting."""
    rows = [
        (code(each.name), _default(each), each.metadata["allowed"], each.metadata["meaning"]) for each in fields(kind)
    ]
    return table(("setting", "default", "must be", "meaning"), rows, "llll")


def _default(each: Field[Any]) -> str:
    if each.default_factory is MISSING:
        return ""
    default = each.default_factory()
    return code("{}" if default == {} else toml(default))


def mcp_tools() -> str:
    """The tools of `speicher mcp`."""
    from speicher_apps.mcp.games import Games
    from speicher_apps.mcp.tools import tools

    rows = [
        (code(tool.name), ", ".join(code(argument.name) for argument in tool.arguments), tool.description)
        for tool in tools(Games())
    ]
    return table(("tool", "arguments", "what it does"), rows, "lll")


TABLES = {
    "mcp tools": mcp_tools,
    "language model settings": partial(settings_of, LanguageModelSettings),
    "endpoint settings": partial(settings_of, EndpointSettings),
    "command settings": partial(settings_of, CommandSettings),
}
