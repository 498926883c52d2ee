"""A game as the page shows it: the drawing, the question, the moves, the log, and at the end the points.

Everything is made from the public state, so nothing hidden can be in it.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from speicher_apps.specs import HUMAN
from speicher_apps.web.game_session import GameSession, public_state
from speicher_apps.web.moves import groups
from speicher_env import Game
from speicher_env.render import svg, text
from speicher_env.render.sentences import question, question_to_you, result, season_name_now, sentence, standing
from speicher_env.render.words import source_name
from speicher_env.rules.scoring import SOURCES

__all__ = ["NARROW", "WIDE", "reader", "view"]

WIDE, NARROW = 960, 480
"""Widths of the two arrangements of the drawing, in pixels; the page scales it."""


def view(session: GameSession, narrow: bool) -> dict[str, Any]:
    """A position of a game."""
    game = session.game
    state = public_state(game)
    you = reader(session)
    return {
        "id": session.id,
        "at": session.at,
        "seats": session.seats,
        "deck": game.deck_name,
        "player": game.player,
        "you": you,
        "yours": session.waits_for_person,
        "over": game.over,
        "phase": game.phase,
        "standing": standing(state) if game.over else f"{standing(state)}, {season_name_now(state)}, {game.phase}",
        "question": _question(session, state, you),
        "text": text(state, seat=you),
        "drawing": svg(state, seat=you, theme="page", width=NARROW if narrow else WIDE),
        "moves": [asdict(group) for group in groups(state)] if session.waits_for_person else [],
        "log": [asdict(move) for move in session.log],
        "unsaved": session.unsaved,
        "end": _end(game) if game.over else None,
    }


def _question(session: GameSession, state: np.void, you: int | None) -> str:
    """The question, in the second person for a person."""
    if session.game.over:
        return sentence(result(state, you))
    if not session.waits_for_person:
        return sentence(question(state, you))
    seat = int(state["player"])
    name = f"Seat {seat}: " if session.seats.count(HUMAN) > 1 else ""
    return name + question_to_you(state)


def reader(session: GameSession) -> int | None:
    """The seat that the drawing addresses: that of the only person, else that of the person to move."""
    persons = [seat for seat, spec in enumerate(session.seats) if spec == HUMAN]
    if len(persons) == 1:
        return persons[0]
    return session.game.player if session.waits_for_person else None


def _end(game: Game) -> dict[str, Any]:
    """The sources of the points, and the seed, which reveals nothing at the end; as text, for it may be long."""
    return {
        "sources": [*map(source_name, SOURCES), "total"],
        "points": [list(points.values()) for points in game.points()],
        "coins": game.coins,
        "winners": game.winners(),
        "seed": str(game.seed),
    }
