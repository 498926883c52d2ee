"""Language models as players: what they are asked, how their answers are read, and who answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speicher_env.lazy import load_name

if TYPE_CHECKING:
    from speicher_agents.llm.answer import BadAnswer, read_answer
    from speicher_agents.llm.command import Command
    from speicher_agents.llm.endpoint import Endpoint
    from speicher_agents.llm.player import LanguageModel
    from speicher_agents.llm.prompt import Choice, Question, choices
    from speicher_agents.llm.replies import Model, ModelFailure, Reply
    from speicher_agents.llm.rules import rules_in_short
    from speicher_agents.llm.settings import CommandSettings, EndpointSettings, LanguageModelSettings, read_settings

_HOME = {
    "BadAnswer": "answer",
    "read_answer": "answer",
    "Command": "command",
    "Endpoint": "endpoint",
    "LanguageModel": "player",
    "Choice": "prompt",
    "Question": "prompt",
    "choices": "prompt",
    "Model": "replies",
    "ModelFailure": "replies",
    "Reply": "replies",
    "rules_in_short": "rules",
    "CommandSettings": "settings",
    "EndpointSettings": "settings",
    "LanguageModelSettings": "settings",
    "read_settings": "settings",
}
"""The module of each name, loaded when the name is first used: other players must not wait for HTTP."""

__all__ = [
    "BadAnswer",
    "Choice",
    "Command",
    "CommandSettings",
    "Endpoint",
    "EndpointSettings",
    "LanguageModel",
    "LanguageModelSettings",
    "Model",
    "ModelFailure",
    "Question",
    "Reply",
    "choices",
    "read_answer",
    "read_settings",
    "rules_in_short",
]


def __getattr__(name: str) -> Any:
    """A name from the module that it is in."""
    return load_name(__name__, name, _HOME)
