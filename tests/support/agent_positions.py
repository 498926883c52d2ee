"""Games among scripted players for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from speicher_agents import load_agent
from speicher_agents.scripted import CODES, choose
from speicher_env.deck import Deck
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import EMPTY
from speicher_env.rules.stream import PLAY_STREAM, start_stream
from speicher_env.rules.turn import step
from speicher_env.views import Views
from tests.support.games import OWN_DECK
from tests.support.positions import JIT, deal_game

SCRIPTED = tuple(CODES)
DECKS = {"standard": "standard", "sampled": "sampled", "own": OWN_DECK}
PLAYER_COUNTS = (2, 3, 4, 5) if JIT else (2, 5)


def stream_of(seed: int) -> np.ndarray:
    """A stream as a lane has it."""
    return np.array(start_stream(seed, PLAY_STREAM), dtype=np.int64)


def decisions(names: tuple[str, ...], deck: str | Deck, seed: int) -> Iterator[tuple[np.ndarray, str, np.ndarray, int]]:
    """Play a game, seat k by names[k]; gives every state with its player, a copy of the stream, and the choice."""
    states = deal_game(len(names), deck, seed)
    stream = stream_of(seed)
    while states["player"][0] != EMPTY:
        name = names[int(states["player"][0])]
        before = stream.copy()
        action = int(choose(states[0], CODES[name], stream))
        yield states, name, before, action
        assert step(states, 0, action), f"{name} chose {ACTION_TEXTS[action]}, which is not legal"


def choice(states: np.ndarray, name: str) -> str:
    """What a player does in a position laid out by hand."""
    return ACTION_TEXTS[int(choose(states[0], CODES[name], stream_of(0)))]


def views_of(states: np.ndarray) -> Views:
    """Views of states for players that look at nothing but these."""
    rows = len(states)
    return Views(
        np.zeros((rows, 1), dtype=np.float32), np.ones((rows, 184), dtype=np.int8), states, states["player"].copy()
    )


def agent_choices(name: str, states: np.ndarray, seed: int = 0) -> list[int]:
    """What a player of that name, asked from Python, does in many states."""
    agent = load_agent(name)
    agent.reset(seed)
    return [int(action) for action in agent.act(views_of(states))]
