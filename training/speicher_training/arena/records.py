"""Game records of an arena's games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from speicher_env import Game
from speicher_env.record import line_of
from speicher_env.thoughts import Thought
from speicher_training.arena.plan import Plan, Seated, is_outside
from speicher_training.files import new_text_file

__all__ = ["PlayedGame", "RecordSettings", "write_records"]


@dataclass(frozen=True)
class RecordSettings:
    """Where game records go, and what they hold."""

    folder: Path
    think: bool = False
    """Whether they also hold what players thought of their moves."""


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


def write_records(
    settings: RecordSettings, name: str, plan: Plan, seated: list[Seated], games: Iterable[PlayedGame]
) -> None:
    """Write a file of records, whole or not at all."""
    with new_text_file(settings.folder / name) as stream:
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
            if settings.think:
                record["think"] = entries
            record["arena"] = {"deal": played.deal, "game": played.game, "forfeit": played.forfeit}
            stream.write(line_of(record))
