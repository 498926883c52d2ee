"""The content of the page: every position with its picture, its words, its numbers and the players' thoughts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from speicher_apps.replay_page.pictures import Pictures
from speicher_env import Game, replay
from speicher_env.render.drawing.picture import in_words
from speicher_env.render.news import news
from speicher_env.render.sentences import sentence, standing
from speicher_env.render.words import move_in_words, seat_name
from speicher_env.rules.actions import ACTION_TEXTS, parse_action
from speicher_env.thoughts import Thought, thoughts

__all__ = ["story"]


def story(record: Mapping[str, Any]) -> dict[str, Any]:
    """The page's data as plain values for JSON.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    pictures = Pictures()
    steps: list[dict[str, Any]] = []
    entries: list[Thought | None] = []
    game: Game | None = None
    state_before = None
    for game, action in replay(record):
        if not steps:  # the deal and the moves are known to be right, and nothing is drawn yet
            entries = thoughts(record)
        state = game.state
        step: dict[str, Any] = {
            "picture": pictures.add(state),
            "alt": in_words(state),
            "round": game.round,
            "standing": standing(state),
            "legal": game.legal_ids(),
            "points": [points["total"] for points in game.points()],
        }
        if state_before is not None:
            step["news"] = [sentence(words) for words in news(state_before, state)]
        if action is not None:
            step["player"] = game.player
            step["move"] = sentence(move_in_words(state, action))
            step["action"] = parse_action(action)
        steps.append(step)
        state_before = state
    assert game is not None, "replay gives at least the deal"
    for step, thought in zip(steps, entries, strict=False):
        if thought is not None:
            step["think"] = _with_ids(thought)
    seats = record.get("seats")
    names = [str(spec) for spec in seats] if isinstance(seats, list) and len(seats) == game.num_players else []
    return {
        "players": game.num_players,
        "names": names,
        "seats": [_seat(seat, names) for seat in range(game.num_players)],
        "title": f"{game.num_players} players, {game.deck_name} deck, seed {game.seed}",
        "texts": list(ACTION_TEXTS),
        "steps": steps,
        **pictures.data(),
    }


def _seat(seat: int, names: Sequence[str]) -> dict[str, str]:
    """How a seat is called: with who played there if that is known, and in short."""
    short = seat_name(seat)
    name = f"{short.capitalize()}, {names[seat]}" if names else short.capitalize()
    return {"name": name, "short": short}


def _with_ids(thought: Thought) -> dict[str, Any]:
    """A thought with the ids of actions in place of their texts."""
    shares = {parse_action(action): share for action, share in (thought.probabilities or {}).items()}
    return {
        "player": thought.player,
        "probabilities": shares,
        "values": list(thought.values or ()),
        "line": list(thought.line or ()),
    }
