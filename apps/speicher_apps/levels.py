"""Levels of play: what the page offers people in place of specs."""

from __future__ import annotations

from typing import NamedTuple

from speicher_apps.specs import HUMAN

__all__ = ["LEVELS", "NAMES", "Level"]


class Level(NamedTuple):
    """One level of play."""

    name: str
    spec: str
    """The spec of the player; ``{players}`` stands for the number of players."""
    note: str
    """How it plays, in a few words."""


LEVELS = (
    Level("easy", "frugal", "buys cheaply and plans little"),
    Level("medium", "merchant", "knows what every card is worth"),
    Level("hard", "mcts:200", "looks ahead"),
    Level("expert", "baseline:{players}p", "a trained network"),
    Level("master", "guided:200", "guided search by the network"),
)
"""The levels, the weakest first."""

NAMES = ("Anna", "Bruno", "Clara", "Dietrich", "Emma")
"""What the player in each seat is called, unless a person sits there."""

assert all(level.spec != HUMAN for level in LEVELS)
