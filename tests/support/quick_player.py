"""A player for tests of the page: it needs no compiling, answers at once, and says what it thinks."""

from __future__ import annotations

import numpy as np

from speicher_agents import Agent
from speicher_env import ACTION_TEXTS
from speicher_env.thoughts import Thought
from speicher_env.views import Views

SPEC = "tests.support.quick_player:Quick"


class Quick(Agent):
    """Chooses among the legal actions by the round and how many there are."""

    def act(self, views: Views) -> np.ndarray:
        rounds = views.states["round"].tolist()
        return np.array([_choice(mask, number) for mask, number in zip(views.masks, rounds, strict=True)])

    def think(self, views: Views) -> list[Thought | None]:
        return [_thought(views, row, int(action)) for row, action in enumerate(self.act(views))]


def _choice(mask: np.ndarray, number: int) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[number * 7 % len(legal)])


def _thought(views: Views, row: int, chosen: int) -> Thought:
    legal = np.flatnonzero(views.masks[row]).tolist()
    rest = 0.4 / (len(legal) - 1)
    chances = {ACTION_TEXTS[action]: 0.6 if action == chosen else rest for action in legal}
    players = int(views.states[row]["players"])
    values = [-1 / (players - 1)] * players
    values[int(views.seats[row])] = 1.0
    return Thought(chances, values, [ACTION_TEXTS[chosen]])


class Broken(Agent):
    """Fails at every decision."""

    def act(self, views: Views) -> np.ndarray:
        raise RuntimeError("no idea")
