"""The game `python_speicherstadt` and its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyspiel

from speicher_env.arguments import check_choice, check_players, check_seed
from speicher_env.deck import SAMPLED, STANDARD, Deck, resolve_deck
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.integrations.openspiel.events import MOST_CHANCE_NODES, N_OUTCOMES, chance_name, event_names
from speicher_env.integrations.openspiel.observer import SpeicherstadtObserver
from speicher_env.integrations.openspiel.progress import CHANCE, TERMINAL, Pickled, Progress, Setup
from speicher_env.integrations.openspiel.start import position_from
from speicher_env.messages import must_be
from speicher_env.observation.describe import describe
from speicher_env.observation.rows import RowFormat, row_at
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.cards import N_CARDS, N_CUBES, N_FIRES
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, WORKERS

__all__ = ["GAME_TYPE", "NAME", "SpeicherstadtGame", "SpeicherstadtState"]

NAME = "python_speicherstadt"
"""The game's name in OpenSpiel."""
PARAMETERS: Mapping[str, Any] = {"players": 2, "deck": STANDARD, "deck_seed": 0, "reward": "outcome", "start": ""}
"""The game's parameters with their defaults."""

JsonDict = dict[str, Any]

_TYPE = {
    "short_name": NAME,
    "long_name": "Python Speicherstadt",
    "dynamics": pyspiel.GameType.Dynamics.SEQUENTIAL,
    "chance_mode": pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    "information": pyspiel.GameType.Information.PERFECT_INFORMATION,
    "utility": pyspiel.GameType.Utility.ZERO_SUM,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "max_num_players": MAX_PLAYERS,
    "min_num_players": MIN_PLAYERS,
    "provides_information_state_string": True,
    "provides_information_state_tensor": False,  # as in chess: the history is for observers that ask for it
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "parameter_specification": dict(PARAMETERS),
}
GAME_TYPE = pyspiel.GameType(**_TYPE)


class SpeicherstadtGame(pyspiel.Game):
    """The game `python_speicherstadt`; `pyspiel.load_game` makes it.

    Parameters:
        players: 2..5.
        deck: "standard", "sampled" or the path of a deck file.
        deck_seed: The seed that a sampled deck is drawn from; all games of this object are played with that deck.
        reward: "outcome", "rank" or "margin". All but "margin" with three players or more are zero-sum.
        start: The position in which the game begins, from `start_text`; default: the beginning.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**PARAMETERS, **(params or {})}
        players = check_players(parameters["players"], "players")
        scheme = SCHEMES.index(str(check_choice("reward", parameters["reward"], SCHEMES)))
        deck = _deck(parameters["deck"], check_seed(parameters["deck_seed"], "deck_seed"), players)
        start = position_from(parameters["start"], players) if parameters["start"] else None
        rounds = (N_CARDS - N_FIRES) // (players + 1)
        # In a round a seat places each worker, is asked once for each, and ends its loading. Every other step of
        # loading uses up a cube of the bag.
        most_decisions = rounds * players * (2 * WORKERS + 1) + N_CUBES
        first_supply = Game.first_supply(players, deck)
        self.setup = Setup(players, deck, scheme, start, first_supply, most_decisions)
        """What all states share; not to be changed."""
        zero_sum = SCHEMES[scheme] != "margin" or players == 2
        utility = pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM
        info = pyspiel.GameInfo(
            num_distinct_actions=N_ACTIONS,
            max_chance_outcomes=N_OUTCOMES,
            num_players=players,
            min_utility=-1 / (players - 1) if SCHEMES[scheme] == "outcome" else -1.0,
            max_utility=1.0,
            utility_sum=0.0 if zero_sum else None,
            max_game_length=most_decisions,
        )
        changed = {name: value for name, value in parameters.items() if value != PARAMETERS.get(name)}
        super().__init__(pyspiel.GameType(**{**_TYPE, "utility": utility}), info, changed)

    def new_initial_state(self, state: Any = None) -> SpeicherstadtState:
        """The first state, or that of a struct or dict such as `SpeicherstadtState.to_dict` gives."""
        if state is None:
            return SpeicherstadtState(self)
        return _state_from_dict(self, state if isinstance(state, Mapping) else state.to_dict())

    def max_chance_nodes_in_history(self) -> int:
        """No game has more chance nodes than this."""
        return MOST_CHANCE_NODES

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """An observer, see `SpeicherstadtObserver`."""
        return SpeicherstadtObserver(self.setup, iig_obs_type, params)

    def deserialize_state(self, text: str) -> SpeicherstadtState:
        """The state of `SpeicherstadtState.serialize`; nothing is unpickled, unlike in OpenSpiel's own functions."""
        state = SpeicherstadtState(self)
        for place, event in enumerate(text.split()):
            if not event.isdecimal() or not event.isascii() or len(event) > 3:
                raise ArgumentError(must_be(f"history[{place}]", event, "the number of an action or outcome"))
            state.apply_action(int(event))
        return state


class SpeicherstadtState(pyspiel.State):
    """A state of `python_speicherstadt`: a decision, a chance node or the end."""

    def __init__(self, game: SpeicherstadtGame, start: Game | None = None) -> None:
        """`SpeicherstadtGame.new_initial_state` and `state_at` make states.

        Args:
            game: The game.
            start: A position in which this state's history begins, not to be changed; None for that of the game.
        """
        super().__init__(game)
        self._progress: Progress | Pickled = Progress(game.setup, start)

    @property
    def progress(self) -> Progress:
        """How far the game has come."""
        progress = self._progress
        if isinstance(progress, Pickled):
            progress = Progress(self.get_game().setup, progress.start)
            for event in self.history():
                progress.apply(event)
            self._progress = progress
        return progress

    def position(self) -> Game | None:
        """A copy of the game at this decision or at its end; at a chance node the decision before it, if there is one.

        The order of its hidden cards and cubes means nothing: chance decides when they are drawn.
        """
        game = self.progress.game
        return None if game is None else game.copy()

    # What OpenSpiel calls

    def current_player(self) -> int:
        """The deciding seat, or the number that stands for chance or the end."""
        return self.progress.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.progress.player == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        game = self.progress.game
        assert game is not None
        return game.legal_ids()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their probabilities."""
        return list(self.progress.outcomes().items())

    def _apply_action(self, action: int) -> None:
        self.progress.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return chance_name(action) if player == CHANCE else ACTION_TEXTS[action]

    def returns(self) -> list[float]:
        """What each seat is paid at the end; zeros before it."""
        return self.progress.returns()

    def __str__(self) -> str:
        return self.progress.text()

    def serialize(self) -> str:
        """The history, as numbers; `SpeicherstadtGame.deserialize_state` reads it.

        Raises:
            ArgumentError: If the history begins in a position of its own, see `state_at`.
        """
        if self.progress.start is not None:
            raise ArgumentError("the state was set from a position: game_from() makes a game that begins there.")
        return " ".join(map(str, self.history()))

    # Structs

    def _to_struct(self) -> JsonDict:
        progress = self.progress
        struct: JsonDict = {
            "current_player": {CHANCE: "chance", TERMINAL: "terminal"}.get(progress.player, progress.player),
            "history": event_names(progress.events),
            "drawn": list(progress.drawn),
        }
        if progress.game is not None:
            struct["table"] = _described(progress.game, 0)
            struct["points"] = [points["total"] for points in progress.game.points()]
        return struct

    def _to_observation_struct(self, player: int) -> JsonDict:
        progress = self.progress
        struct: JsonDict = {"player": player, "drawn": list(progress.drawn)}
        if progress.game is not None:
            struct |= _described(progress.game, player)
        if progress.player == player:
            struct["legal_actions"] = [ACTION_TEXTS[action] for action in self._legal_actions(player)]
        return struct

    def _action_to_struct(self, player: int, action: int) -> JsonDict:
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: JsonDict) -> list[int]:
        return [self.progress.event_named(struct.get("action"))]


def _deck(deck: str, seed: int, players: int) -> str | Deck:
    """The deck that a game's parameters name."""
    resolved = resolve_deck(deck)
    if resolved is None:
        return Game(players, SAMPLED, seed).deck
    return STANDARD if deck == STANDARD else resolved


def _described(game: Game, viewer: int) -> JsonDict:
    """What a seat sees, in words and whole numbers."""
    row = RowFormat(game.num_players).empty(1)[0]
    row_at(game.states_view, 0, viewer, game.num_players, None, row)
    return describe(row)


def _state_from_dict(game: SpeicherstadtGame, struct: Mapping[str, Any]) -> SpeicherstadtState:
    history = struct.get("history")
    if not isinstance(history, list):
        raise ArgumentError(must_be("history", history, "a list of names, as to_dict() gives it"))
    state = SpeicherstadtState(game)
    for name in history:
        state.apply_action(state.progress.event_named(name))
    return state
