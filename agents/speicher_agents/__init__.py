"""Players for Speicherstadt: anything that chooses an action from what its seat may see."""

from __future__ import annotations

from speicher_agents.agent import Agent, CompiledAgent, seed_for, views_of
from speicher_agents.registry import Parameter, PlayerKind
from speicher_agents.specs import describe_players, load_agent, make_player
from speicher_env.thoughts import Thought

__all__ = [
    "Agent",
    "CompiledAgent",
    "Parameter",
    "PlayerKind",
    "Thought",
    "describe_players",
    "load_agent",
    "make_player",
    "seed_for",
    "views_of",
]
