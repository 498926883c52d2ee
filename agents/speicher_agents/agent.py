"""A player: a name, a seed, and an action for each decision that it is shown."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from speicher_agents._jit import address_of, call_at, jit
from speicher_env.arguments import check_seed
from speicher_env.batch.opponents import checked_answer, function_kept, kept_function
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.observation import RowFormat
from speicher_env.observation.rows import checked_seats_in_view
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS, parse_action
from speicher_env.rules.hidden import conceal
from speicher_env.rules.state import N_STATE_BYTES
from speicher_env.rules.stream import PLAY_STREAM, WORD, draw, start_stream
from speicher_env.thoughts import Thought
from speicher_env.views import CompiledPlayer, Views

__all__ = ["Agent", "CompiledAgent", "begin_choice", "legal_choice", "seed_for", "views_of"]

_WORDS = N_STATE_BYTES // 8
_FIRST = np.zeros(1, dtype=np.int64)
"""The only place in the array of a single game."""


def views_of(game: Game, seats: int | None = None, figures: bool = False) -> Views:
    """The pending decision of a running game as its seat sees it: one row.

    Args:
        game: The game.
        seats: Seats that the observation has room for; default: the game's number of players.
        figures: Whether the figures follow the observation.

    Raises:
        ArgumentError: If the game is over.
    """
    return views_in(game, RowFormat(checked_seats_in_view(game.states_view, seats), bool(figures)))


def views_in(game: Game, row_format: RowFormat) -> Views:
    """`views_of` for a format that fits the game."""
    return Views.unchecked(game.states_view, _FIRST, row_format)


def seed_for(game_seed: int, seat: int) -> int:
    """The seed of the player in a seat: 53 bits that follow from the game's seed and reveal nothing about its deal."""
    return int.from_bytes(hashlib.sha256(f"{game_seed} seat {seat}".encode()).digest()[:8], "big") >> 11


def legal_choice(answer: object, mask: np.ndarray, name: str) -> int:
    """The one action that `act` returned for one decision, if the mask allows it; `name` is the player's.

    Raises:
        ArgumentError: If it is not legal.
    """
    action = int(checked_answer(answer, 1, name)[0])
    if not (0 <= action < N_ACTIONS and mask[action]):
        raise _not_legal(action, name)
    return action


def _not_legal(action: int, name: str) -> ArgumentError:
    text = repr(ACTION_TEXTS[action]) if 0 <= action < N_ACTIONS else action
    return ArgumentError(f"player {name}: it chose {text}, which is not legal.")


class Agent:
    """Base class of players. A class of your own needs `act` and nothing else.

    Each call may show decisions of many games, and the player is not told which game is which. So its choices may
    depend on the views and on its seed alone.
    """

    name: str = ""
    """The player's name in tables; if a subclass leaves it empty, the name of the class."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name a subclass after its class unless it has a name."""
        super().__init_subclass__(**kwargs)
        if not cls.__dict__.get("name"):
            cls.name = cls.__name__

    def reset(self, seed: int) -> None:
        """Start again: after `reset` with the same seed a player answers the same views with the same actions."""

    def check_players(self, players: int) -> None:
        """Raise `ArgumentError` if the player does not play games of that many players; by default it plays all."""

    def row_format(self, players: int) -> RowFormat:
        """The observations that the player reads in games of that many players, if it has the choice."""
        return RowFormat(players)

    def act(self, views: Views) -> np.ndarray:
        """The id of a legal action for each row of the views."""
        raise NotImplementedError(f"{type(self).__name__} must define act(views) -> one action id for each row")

    def think(self, views: Views) -> list[Thought | None]:
        """What the player thinks of each row, None where it has nothing to say.

        If a thought has a line, its first action is the one that `act` would choose.
        """
        return [None] * len(views)

    def usage(self) -> dict[str, float]:
        """What the player has used so far, by name, such as tokens and dollars; empty for one that counts nothing.

        The arena adds it up over its workers and shows it in its report.
        """
        return {}

    def action(self, game: Game) -> int:
        """The id of the action that the player chooses in a running game, for instance `env.unwrapped.game`.

        The choice is the same as that of `act` for the same decision. The game is not changed, and the player does
        not see what is hidden in it.

        Raises:
            ArgumentError: If the game is over, or the player chooses an illegal action.
        """
        views = self._views(game)
        return legal_choice(self.act(views), views.masks[0], self.name)

    def action_and_thought(self, game: Game) -> tuple[int, Thought | None]:
        """`action`, and what the player thinks of the decision, None if it has nothing to say."""
        views = self._views(game)
        actions, thoughts = self.act_and_think(views)
        return legal_choice(actions, views.masks[0], self.name), thoughts[0]

    def act_and_think(self, views: Views) -> tuple[np.ndarray, list[Thought | None]]:
        """The answers of `act` and of `think`; `act` is called only if some thought has no line. Nothing is checked."""
        thoughts = list(self.think(views))
        lines = [thought.line for thought in thoughts if thought is not None and thought.line]
        if len(lines) == len(thoughts):
            return np.array([parse_action(line[0]) for line in lines], dtype=np.int64), thoughts
        return np.asarray(self.act(views)), thoughts

    def _views(self, game: Game) -> Views:
        """The decision in the form that the player reads."""
        return views_in(game, self.row_format(game.num_players))


class CompiledAgent(Agent):
    """A compiled player that is asked from Python, a whole batch of decisions in one call.

    Its random numbers come from its seed and the position alone, so neither the other rows nor their order matter.
    """

    def __init__(self, player: CompiledPlayer, seed: int = 0) -> None:
        self.player = player
        self.name = player.name
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Set the seed of the player's random numbers."""
        self._seed = np.uint64(check_seed(seed))

    def act(self, views: Views) -> np.ndarray:
        """The player's choice for each row."""
        actions = np.empty(len(views.states), dtype=np.int64)
        states = np.ascontiguousarray(views.states)
        _choose_rows(states, self.player.code, self._seed, address_of(self.player.choose), actions)
        return actions

    def action(self, game: Game) -> int:
        """See `Agent.action`; no observation is encoded."""
        if game.over:
            raise ArgumentError("the game is over, so there is no decision to make.")
        action = int(_choose_in_game(game.states_view, self.player.code, self._seed, address_of(self.player.choose)))
        if action not in game.legal_ids():
            raise _not_legal(action, self.name)
        return action

    def __getstate__(self) -> dict[str, Any]:
        player = self.player
        return {"player": (player.name, kept_function(player.choose), player.code), "seed": int(self._seed)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        name, choose, code = kept["player"]
        self.__init__(CompiledPlayer(name, function_kept(choose), code), kept["seed"])  # type: ignore[misc]


@jit
def _choose_in_game(games: np.ndarray, code: int, seed: np.uint64, address: Any) -> int:
    """Ask a compiled player for games[0] with everything hidden in a fixed order."""
    states = games.copy()
    conceal(states[0])
    return _choose_once(states, 0, code, seed, address, np.empty(4, dtype=np.int64))


@jit
def _choose_rows(states: np.ndarray, code: int, seed: np.uint64, address: Any, actions: np.ndarray) -> None:
    """Ask a compiled player for each state."""
    stream = np.empty(4, dtype=np.int64)
    for row in range(states.size):
        actions[row] = _choose_once(states, row, code, seed, address, stream)


@jit
def _choose_once(states: np.ndarray, row: int, code: int, seed: np.uint64, address: Any, stream: np.ndarray) -> int:
    """Ask a compiled player for a state."""
    begin_choice(states, row, seed, stream)
    return call_at(address, states[row], code, stream)


@jit
def begin_choice(states: np.ndarray, row: int, seed: np.uint64, stream: np.ndarray) -> None:
    """Start the stream of a choice from a player's seed and the bytes of states[row]."""
    words = states[row : row + 1].view(np.int64)
    a, b, c, counter = start_stream(seed, PLAY_STREAM)
    for word in range(_WORDS):
        a ^= words[word] & WORD
        b ^= (words[word] >> 32) & WORD
        _, (a, b, c, counter) = draw((a, b, c, counter))
    stream[0], stream[1], stream[2], stream[3] = a, b, c, counter
