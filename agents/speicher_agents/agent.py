"""What a player is: a name, a seed, and an action for each decision it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.thought import Thought
from speicher_env.batch.opponents import by_address
from speicher_env.rules.state import N_STATE_BYTES
from speicher_env.rules.stream import PLAY_STREAM, WORD, draw, start_stream
from speicher_env.views import CompiledPlayer, Views


class Agent:
    """Base class of players; a class of your own needs `act` and nothing else.

    A player is shown decisions of many games at once and keeps no count of which game is which, so what it does may
    depend on the views and its seed alone.
    """

    name: str = ""
    """What tables call it; empty in a subclass stands for the name of the class."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A subclass without a name of its own is called what its class is called."""
        super().__init_subclass__(**kwargs)
        if not cls.__dict__.get("name"):
            cls.name = cls.__name__

    def reset(self, seed: int) -> None:
        """Begin anew: after `reset` with the same seed a player answers the same views with the same actions."""

    def act(self, views: Views) -> np.ndarray:
        """The id of a legal action for each row of the views."""
        raise NotImplementedError(f"{type(self).__name__} must define act(views) -> one action id for each row")

    def think(self, views: Views) -> list[Thought | None]:
        """What the player can tell about each row; None where it has nothing to tell.

        Where a thought has a line, its first action is what the player plays: who asks for thoughts need not ask `act`.
        """
        return [None] * len(views)


class CompiledAgent(Agent):
    """A compiled player asked from Python, a whole batch of decisions in one call.

    What it draws comes from its seed and the position alone, so neither the other rows nor their order matter.
    """

    def __init__(self, player: CompiledPlayer, seed: int = 0) -> None:
        self.player = player
        self.name = player.name
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """The seed of everything it draws."""
        self._seed = seed

    def act(self, views: Views) -> np.ndarray:
        """The player's choice for each row."""
        actions = np.empty(len(views.states), dtype=np.int64)
        states = np.ascontiguousarray(views.states)
        words = states.view(np.int64).reshape(len(states), N_STATE_BYTES // 8)
        _choose_rows(states, words, self.player.code, self._seed, by_address(self.player.choose), actions)
        return actions


@jit
def _choose_rows(
    states: np.ndarray,
    words: np.ndarray,
    code: int,
    seed: int,
    choose: Any,
    actions: np.ndarray,
) -> None:
    """Ask a compiled player for each state, with a stream that starts from the seed and the state's bytes."""
    stream = np.empty(4, dtype=np.int64)
    for row in range(states.size):
        a, b, c, counter = start_stream(seed, PLAY_STREAM)
        for word in range(words.shape[1]):
            a ^= words[row, word] & WORD
            b ^= (words[row, word] >> 32) & WORD
            _, (a, b, c, counter) = draw((a, b, c, counter))
        stream[0], stream[1], stream[2], stream[3] = a, b, c, counter
        actions[row] = choose(states[row], code, stream)
