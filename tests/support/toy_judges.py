"""Judges whose opinion of a position can be computed by hand. Named in specs by this file: `toy_judges.py:Richest`."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from speicher_agents.agent import Agent
from speicher_env import Game
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.cards import KIND_OF, SHIP
from speicher_env.rules.state import EMPTY
from speicher_env.thoughts import Thought
from speicher_env.views import Views


def spec(name: str) -> str:
    """The spec of a class in this file."""
    return f"{Path(__file__)}:{name}"


class Even(Agent):
    """Finds all positions even, and would always play the first legal action. Counts what it is asked."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def think(self, views: Views) -> list[Thought | None]:
        self.calls.append(len(views))
        return [
            Thought(values=[0.0] * int(state["players"]), line=[ACTION_TEXTS[int(mask.argmax())]])
            for state, mask in zip(views.states, views.masks, strict=True)
        ]


class Richest(Agent):
    """Values a position by coins, and would play what leaves the deciding seat the most of them."""

    def think(self, views: Views) -> list[Thought | None]:
        return [Thought(values=coin_values(state), line=[most_coins(state)]) for state in views.states]


class Waiting(Even):
    """Finds all positions even, when it may: `asked` is set once it is asked, and `may` lets it answer."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may = threading.Event(), threading.Event()

    def think(self, views: Views) -> list[Thought | None]:
        self.asked.set()
        assert self.may.wait(600)
        return super().think(views)


class Ships(Agent):
    """Thinks that seat 0 has a tenth of an outcome more for each ship on the table."""

    def think(self, views: Views) -> list[Thought | None]:
        return [
            Thought(values=ship_values(state), line=[ACTION_TEXTS[int(mask.argmax())]])
            for state, mask in zip(views.states, views.masks, strict=True)
        ]


class Silent(Agent):
    """Has no thoughts."""

    def act(self, views: Views) -> np.ndarray:
        return views.masks.argmax(axis=1)


def coin_values(state: np.void) -> list[float]:
    """Outcomes of the seats: a twentieth for each coin that a seat has more than the others on average."""
    coins = state["coins"][: state["players"]].astype(float)
    leads = (coins - (coins.sum() - coins) / (len(coins) - 1)) / 20
    outcomes: list[float] = np.clip(leads, -1, 1).tolist()
    return outcomes


def most_coins(state: np.void) -> str:
    """The action after which the seat that decides has the most coins; the first of several."""
    seat = int(state["player"])
    game = Game.from_state(state)
    return max(game.legal(), key=lambda action: after_move(game, action).coins[seat])


def after_move(game: Game, action: str) -> Game:
    """The game with one more move."""
    twin = game.copy()
    twin.play(action)
    return twin


def ship_values(state: np.void) -> list[float]:
    """Outcomes of two seats by the ships on the table."""
    ships = sum(KIND_OF[card] == SHIP for card in state["card"][:3].tolist() if card != EMPTY)
    return [ships / 10, -ships / 10]
