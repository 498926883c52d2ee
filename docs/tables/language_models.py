"""Tables of the settings of a language model as a player."""

from __future__ import annotations

from functools import partial

from docs.tables.markdown import code, table
from speicher_agents.llm import CommandSettings, EndpointSettings, LanguageModelSettings
from speicher_env.setting import NEEDED, Setting, settings_of
from speicher_training.train.recipe import toml


def settings(kind: type) -> str:
    """The default, the range and the meaning of each setting."""
    rows = [(code(name), _default(each), each.allowed, each.meaning) for name, each in settings_of(kind).items()]
    return table(("setting", "default", "must be", "meaning"), rows, "llll")


def _default(setting: Setting) -> str:
    if setting.default is NEEDED:
        return ""
    return code("{}" if setting.default == {} else toml(setting.default))


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
    "language model settings": partial(settings, LanguageModelSettings),
    "endpoint settings": partial(settings, EndpointSettings),
    "command settings": partial(settings, CommandSettings),
}
