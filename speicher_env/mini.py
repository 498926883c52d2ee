"""Mini-Speicherstadt: games of two that are small enough to be solved as a whole.

They are played by the rules of the whole game, by the same engine, and begin shortly before its end: most cards are
gone, and those that are left are in `GAMES`. So all that plays, shows or keeps a game takes them as they are.

>>> from speicher_env import mini
>>> game = mini.deal("tiny")
>>> mini.solved("tiny").value()
(1.0, -1.0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from speicher_env.arguments import check_seed, following_seed, fresh_seed
from speicher_env.deal import set_pile, template_for
from speicher_env.envs.aec import OrderedEnv, raw_env
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import must_be, one_of
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    COUNTING_OFFICE,
    FIRE,
    FIREMAN,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    N_CARDS,
    N_CUBES,
    SEASON_ORDER,
)
from speicher_env.rules.setup import set_up
from speicher_env.rules.state import DISCARDED, REMOVED, STATE
from speicher_env.rules.turn import begin_round, play_on
from speicher_env.solve.whole_game import BestResponse, NashConv, Policy, WholeGame, uniform
from speicher_env.views import Player

__all__ = ["GAMES", "MiniGame", "best_response", "deal", "env", "nash_conv", "solved", "uniform", "values"]

PLAYERS = 2
LAST_FIRE = CARD_IDS[-1]


@dataclass(frozen=True)
class MiniGame:
    """Where a mini game begins: at the first decision of its first round."""

    coins: tuple[int, int]
    """Coins of seat 0, which begins, and of seat 1."""
    cards: tuple[tuple[str, ...], tuple[str, ...]]
    """Cards that each seat owns from the beginning."""
    table: tuple[str, ...]
    """The cards of the first round, the leftmost first."""
    pile: tuple[str, ...]
    """The cards of the round after it, which come in any order; empty for a game of one round."""
    bag: tuple[str, ...]
    """Cubes in the bag when the game begins: a ship draws 3 of them. All other cubes are in the stock."""


GAMES: Mapping[str, MiniGame] = {
    "tiny": MiniGame(
        coins=(2, 2),
        cards=(("contract_1",), ("contract_2",)),
        table=("ship_11", "st_michaelis", "counting_office_3"),
        pile=(),
        bag=("coffee", "carpet", "tea"),
    ),
    "mini": MiniGame(
        coins=(1, 0),
        cards=(("contract_2",), ("contract_4", "counting_office_1")),
        table=("counting_office_4", "counting_office_3", "fireman_9"),
        pile=("ship_11", "chamber_of_commerce", "st_michaelis"),
        bag=("coffee", "saffron", "carpet", "carpet"),
    ),
    "midi": MiniGame(
        coins=(2, 0),
        cards=(("contract_1",), ("contract_4", "counting_office_1")),
        table=("counting_office_3", "chamber_of_commerce", "counting_office_4"),
        pile=("ship_11", "st_michaelis", "boatsmen_church"),
        bag=("coffee", "tea", "saffron", "carpet"),
    ),
}
"""The mini games by name: one round without chance; two rounds; two rounds with more coins."""


def deal(name: str = "mini", seed: int = 0) -> Game:
    """A mini game at its first decision.

    Args:
        name: One of `GAMES`.
        seed: Draws what is hidden: the order of the pile and of the bag. All else is the same in every deal.

    Raises:
        ArgumentError: For a game that there is not, or a wrong seed.
    """
    return Game.from_state(_start(_check_name(name))).redealt(check_seed(seed))


def solved(name: str = "mini", reward: str = "outcome") -> WholeGame:
    """All positions of a mini game, for its value, policies and best responses.

    Args:
        name: One of `GAMES`.
        reward: What the seats are paid at the end: "outcome", "rank" or "margin".
    """
    return _solved(_check_name(name), reward)


def values(name: str = "mini", reward: str = "outcome") -> dict[str, tuple[float, ...]]:
    """What each first action is worth to both seats if they play as well as can be after it, exactly.

    Args:
        name: One of `GAMES`.
        reward: What the seats are paid at the end: "outcome", "rank" or "margin".
    """
    return solved(name, reward).action_values()


def best_response(policy: Policy | Player, seat: int, name: str = "mini", reward: str = "outcome") -> BestResponse:
    """The best that a seat can do against a policy in the other one, exactly; see `WholeGame.best_response`.

    Args:
        policy: A function from views to the probabilities of all actions, such as `uniform`, or a player, which is
            taken to play what its `act` says.
        seat: The seat that responds: 0 or 1.
        name: One of `GAMES`.
        reward: What the seats are paid at the end: "outcome", "rank" or "margin".
    """
    return solved(name, reward).best_response(policy, seat)


def nash_conv(policy: Policy | Player, name: str = "mini", reward: str = "outcome") -> NashConv:
    """How much both seats together gain by best responses to a policy: 0 only if it plays perfectly.

    Args:
        policy: As for `best_response`.
        name: One of `GAMES`.
        reward: What the seats are paid at the end: "outcome", "rank" or "margin".
    """
    return solved(name, reward).nash_conv(policy)


def env(name: str = "mini", **options: Any) -> OrderedEnv:
    """The PettingZoo environment of a mini game; it has the spaces of the whole game.

    Args:
        name: One of `GAMES`.
        options: Those of `speicher_env.speicherstadt_v0.env`, but for the players and the deck.
    """
    return OrderedEnv(_MiniEnv(name, **options))


class _MiniEnv(raw_env):
    """The environment of the whole game, with another deal."""

    def __init__(self, name: str, **options: Any) -> None:
        self._name = _check_name(name)
        self._seed: int | None = None
        super().__init__(PLAYERS, **options)

    def _new_game(self, seed: int | None, options: Mapping[str, Any] | None) -> Game:
        if options:
            raise ArgumentError(must_be("options", options, "empty: a mini game has one deal"))
        if seed is None:
            seed = fresh_seed() if self._seed is None else following_seed(self._seed)
        self._seed = check_seed(seed)
        return deal(self._name, self._seed)


@cache
def _solved(name: str, reward: str) -> WholeGame:
    return WholeGame(deal(name), reward)


def _check_name(name: object) -> str:
    if not isinstance(name, str) or name not in GAMES:
        raise ArgumentError(must_be("mini game", name, one_of(name, GAMES)))
    return name


@cache
def _start(name: str) -> np.ndarray:
    """The first decision of a mini game, as an array of one state without a seed; not to be written to."""
    mini = GAMES[name]
    templates, _ = template_for(PLAYERS, "standard")
    states = np.zeros(1, dtype=STATE)
    states[0] = templates[0]
    game = states[0]
    set_up(game, np.uint64(0), 0)
    removed = {card for card in range(N_CARDS) if game["owner"][card] == REMOVED}
    hidden = [CARD_NUMBER[card_id] for card_id in (*mini.table, *mini.pile, LAST_FIRE)]
    gone = [card for card in SEASON_ORDER.tolist() if card not in removed and card not in hidden]
    set_pile(states, gone + hidden)
    game["pile_next"] = len(gone)
    game["owner"][gone] = DISCARDED
    game["round"] = sum(KIND_OF[card] != FIRE for card in gone) // (PLAYERS + 1)
    game["coins"][:PLAYERS] = mini.coins
    for seat, cards in enumerate(mini.cards):
        _give(game, seat, cards)
    bag = [GOODS.index(good) for good in mini.bag]
    stock = np.bincount(game["bag"], minlength=len(GOODS)) - np.bincount(bag, minlength=len(GOODS))
    game["stock"] = stock
    game["bag"] = [*np.repeat(np.arange(len(GOODS)), stock), *bag]
    game["bag_next"] = N_CUBES - len(bag)
    begin_round(game)
    play_on(game)
    return states


def _give(game: np.void, seat: int, cards: Sequence[str]) -> None:
    """Let a seat own cards from the beginning."""
    for card in (CARD_NUMBER[card_id] for card_id in cards):
        game["owner"][card] = seat
        if KIND_OF[card] == FIREMAN:
            game["firemen"][seat] += game["fireman_value"][card - FIREMAN_1]
        game["offices"][seat] += KIND_OF[card] == COUNTING_OFFICE
