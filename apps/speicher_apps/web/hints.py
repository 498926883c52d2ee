"""Hints on the page: what a player would do, with probabilities, values and its line of play."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from speicher_agents.hints import likeliest
from speicher_apps.web.game_session import GameSession, public_state
from speicher_env import Game
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
        "line": _with_states(session.game, thought.line or []),
    }


def _with_states(game: Game, line: Sequence[str]) -> list[dict[str, str]]:
    """A line of play with the states of its moves, as far as it depends on nothing hidden."""
    twin = game.redealt(0)
    moves = []
    for action in line:
        if action not in twin.legal():
            break
        state = base64.b64encode(public_state(twin).tobytes()).decode()
        moves.append({"action": action, "state": state})
        twin.play(action)
    return moves
