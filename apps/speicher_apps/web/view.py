"""A game as the page gets it: the public state, the points, and the moves so far with the states they were made in.

The page draws and tells everything from these bytes. They are made from the public state, so nothing hidden is in them.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from speicher_apps.specs import HUMAN
from speicher_apps.web.game_session import GameSession, public_state
from speicher_env import Game

__all__ = ["line_with_states", "reader", "view"]


def view(session: GameSession) -> dict[str, Any]:
    """A position of a game with the way to it."""
    game = session.game
    return {
        "id": session.id,
        "at": session.at,
        "seats": session.seats,
        "deck": game.deck_name,
        "you": reader(session),
        "yours": session.waits_for_person,
        "over": game.over,
        "player": game.player,
        "phase": game.phase,
        "legal": game.legal() if session.waits_for_person else [],
        "state": _bytes(public_state(game)),
        "points": [list(points.values()) for points in game.points()],
        "log": [{"seat": move.seat, "action": move.action, "state": _bytes(move.before)} for move in session.log],
        "unsaved": session.unsaved,
        "end": _end(game) if game.over else None,
    }


def line_with_states(game: Game, line: Sequence[str]) -> list[dict[str, str]]:
    """A line of play with the states of its moves, as far as it depends on nothing hidden."""
    twin = game.redealt(0)
    moves = []
    for action in line:
        if action not in twin.legal() or twin.round != game.round:
            break
        moves.append({"action": action, "state": _bytes(public_state(twin))})
        twin.play(action)
    return moves


def _bytes(state: np.void) -> str:
    return base64.b64encode(state.tobytes()).decode()


def reader(session: GameSession) -> int | None:
    """The seat that the page addresses: that of the only person, else that of the person to move."""
    persons = [seat for seat, spec in enumerate(session.seats) if spec == HUMAN]
    if len(persons) == 1:
        return persons[0]
    return session.game.player if session.waits_for_person else None


def _end(game: Game) -> dict[str, Any]:
    """Who won, and the seed, which reveals nothing at the end; as text, for it may be long."""
    return {"winners": game.winners(), "seed": str(game.seed)}
