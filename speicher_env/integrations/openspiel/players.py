"""Players of this project as bots of OpenSpiel, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.integrations.openspiel.game import SpeicherstadtGame, SpeicherstadtState
from speicher_env.integrations.openspiel.positions import load_game
from speicher_env.messages import must_be
from speicher_env.views import Views

__all__ = ["BotPlayer", "PlayerBot"]


class PlayerBot(pyspiel.Bot):
    """A player of this project as a bot of OpenSpiel.

    Args:
        player: An object with ``action(game)`` or ``act(views)``, such as `speicher_agents.load_agent` gives.
        seed: The seed that the player is reset with at the start of each game, if it has ``reset(seed)``.
    """

    def __init__(self, player: Any, seed: int = 0) -> None:
        super().__init__()
        if not callable(getattr(player, "action", None)) and not callable(getattr(player, "act", None)):
            raise ArgumentError(must_be("player", player, "an object with action(game) or act(views), not a spec"))
        self._player = player
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        """A new game begins."""
        if callable(getattr(self._player, "reset", None)):
            self._player.reset(self._seed)

    def restart_at(self, state: SpeicherstadtState) -> None:
        """A game begins at a state."""
        self.restart()

    def step(self, state: SpeicherstadtState) -> int:
        """The player's action."""
        game = state.progress.game
        assert game is not None
        if callable(getattr(self._player, "action", None)):
            return int(self._player.action(game))
        return int(self._player.act(Views.of(game.states_view))[0])

    def provides_policy(self) -> bool:
        """Whether `get_policy` gives the probabilities of its actions: it does."""
        return True

    def get_policy(self, state: SpeicherstadtState) -> list[tuple[int, float]]:
        """The action that it chooses, with probability 1."""
        return [(self.step(state), 1.0)]

    def step_with_policy(self, state: SpeicherstadtState) -> tuple[list[tuple[int, float]], int]:
        """`get_policy` and `step` at once."""
        action = self.step(state)
        return [(action, 1.0)], action


class BotPlayer:
    """A bot of OpenSpiel as a player of this project; `speicher_agents.load_agent` makes an `Agent` of it.

    Each decision is made by a new bot, with a seed that follows from the player's seed and the position. So a choice
    depends on nothing else, as with every player.

    Args:
        make_bot: Makes the bot from a `pyspiel.Game` and a seed 0..2**32-1.
        name: The player's name in tables.
    """

    def __init__(self, make_bot: Callable[[Any, int], Any], name: str = "") -> None:
        self.make_bot = make_bot
        self.name = name or getattr(make_bot, "__name__", type(self).__name__)
        self._seed = 0

    def reset(self, seed: int) -> None:
        """Set the seed that the seeds of the bots follow from."""
        self._seed = seed

    def act(self, views: Views) -> np.ndarray:
        """The bot's choice for each row."""
        return np.array([self._choose(views.states[row : row + 1]) for row in range(len(views))], dtype=np.int64)

    def _choose(self, states: np.ndarray) -> int:
        game = _game_of(int(states["players"][0]))
        digest = blake2b(states.tobytes(), digest_size=4, salt=(self._seed % 2**64).to_bytes(8, "little")).digest()
        bot = self.make_bot(game, int.from_bytes(digest, "little"))
        return int(bot.step(SpeicherstadtState(game, Game.from_state(states))))


@cache
def _game_of(players: int) -> SpeicherstadtGame:
    return load_game(players=players)
