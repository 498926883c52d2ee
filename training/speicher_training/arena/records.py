"""Game records of an arena's games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from speicher_env import Game
from speicher_env.record import line_of
from speicher_env.thoughts import Thought
from speicher_training.arena.plan import Plan, Seated, is_outside

__all__ = ["PlayedGame", "lines_of_records"]


class PlayedGame(NamedTuple):
    """A game that was played."""

    seed: int
    deal: int
    game: int
    """Its number among the games of the deal."""
    moves: np.ndarray
    """The actions of all seats, up to a forfeit."""
    thoughts: list[Thought | None]
    """What players asked through Python thought of their moves, in order."""
    forfeit: dict[str, Any] | None
    """The seat that forfeited, and why."""


def lines_of_records(plan: Plan, seated: list[Seated], games: Iterable[PlayedGame], *, think: bool) -> str:
    """The lines of games in a file of records.

    Args:
        plan: The run.
        seated: Its players.
        games: The games.
        think: Whether the lines have what players thought of their moves.
    """
    lines = []
    for played in games:
        seating = plan.schedule.seatings[played.game]
        game, thoughts = Game(plan.num_players, plan.deck, played.seed), iter(played.thoughts)
        entries = []
        for action in played.moves.tolist():
            player = seating[game.player]
            thought = next(thoughts, None) if is_outside(seated[player]) else None
            entries.append((thought or Thought()).entry(plan.names[player]))
            game.play(action)
        record = game.to_record()
        record["seats"] = [plan.names[player] for player in seating]
        if think:
            record["think"] = entries
        record["arena"] = {"deal": played.deal, "game": played.game, "forfeit": played.forfeit}
        lines.append(line_of(record))
    return "".join(lines)
