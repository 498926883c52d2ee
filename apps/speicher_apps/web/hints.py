"""Hints on the page: what a player would do, with probabilities, values and its line of play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from speicher_agents.hints import likeliest
from speicher_apps.web.game_session import GameSession, public_state
from speicher_env import Game
from speicher_env.render.sentences import sentence
from speicher_env.render.words import move_in_words, move_label
from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS, parse_action
from speicher_env.thoughts import Thought

__all__ = ["hint"]


def hint(session: GameSession, at: int, spec: str) -> dict[str, Any]:
    """The hint of a player for the position."""
    action, thought = session.hint(at, spec)
    thought = thought or Thought()
    state = public_state(session.game)
    chances = thought.probabilities or {ACTION_TEXTS[action]: 1.0}
    return {
        "at": at,
        "spec": spec,
        "action": ACTION_TEXTS[action],
        "label": move_label(state, ACTIONS[action]),
        "certain": thought.probabilities is None,
        "moves": [
            {
                "action": text,
                "label": move_label(state, ACTIONS[parse_action(text)]),
                "probability": round(chances[text], 4),
            }
            for text in likeliest(chances)
        ],
        "values": None if thought.values is None else [round(float(value), 3) for value in thought.values],
        "line": _in_words(session.game, thought.line or []),
    }


def _in_words(game: Game, line: Sequence[str]) -> list[str]:
    """A line of play in words, as far as it depends on nothing hidden: it is played in a game dealt again."""
    twin = game.redealt(0)
    sentences = []
    for action in line:
        if action not in twin.legal():
            break
        sentences.append(sentence(move_in_words(public_state(twin), action)))
        twin.play(action)
    return sentences
