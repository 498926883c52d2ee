"""Hints on the page: what a player would do, with probabilities, values and its line of play."""

from __future__ import annotations

from typing import Any

from speicher_agents.hints import likeliest
from speicher_apps.web.game_session import GameSession
from speicher_apps.web.view import line_with_states
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.thoughts import Thought

__all__ = ["hint"]


def hint(session: GameSession, at: int, spec: str) -> dict[str, Any]:
    """The hint of a player for the position."""
    action, thought = session.hint(at, spec)
    thought = thought or Thought()
    chances = thought.probabilities or {ACTION_TEXTS[action]: 1.0}
    return {
        "at": at,
        "spec": spec,
        "action": ACTION_TEXTS[action],
        "certain": thought.probabilities is None,
        "moves": [{"action": text, "probability": round(chances[text], 4)} for text in likeliest(chances)],
        "values": None if thought.values is None else [round(float(value), 3) for value in thought.values],
        "line": line_with_states(session.game, thought.line or []),
    }
