"""What players have used in the end: the tokens and costs of language models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from speicher_apps.cli.errors import say

if TYPE_CHECKING:
    from speicher_agents import Agent

__all__ = ["say_usage"]


def say_usage(specs: Iterable[str], agents: Iterable[Agent]) -> None:
    """Print a line for each player that counts what it uses."""
    from speicher_agents.usage import usage_in_words

    for spec, agent in zip(specs, agents, strict=True):
        if usage := agent.usage():
            say(f"{spec}: {usage_in_words(usage)}")
