"""The language model that a spec can name. It is loaded when it is first named: other players must not wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speicher_agents.registry import Parameter, PlayerKind

if TYPE_CHECKING:
    from speicher_agents.llm.player import LanguageModel

__all__ = ["KINDS", "NAME"]

NAME = "llm"


def _make(file: str | None, model: str | None) -> LanguageModel:
    from speicher_agents.llm.player import LanguageModel

    return LanguageModel.from_file(file, model)


KINDS = (
    PlayerKind(
        NAME,
        "a language model behind an endpoint or a program, as a settings file says",
        _make,
        (
            Parameter("file", str, "the settings, a TOML file"),
            Parameter("model", str, "the model, in place of the one in the file"),
        ),
        command_line_only=True,
    ),
)
