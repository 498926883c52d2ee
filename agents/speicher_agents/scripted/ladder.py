"""The scripted ladder: players with one nameable idea each, compiled to run inside the step of a batch.

To add a player, write its file with its wish, and add its line in `LADDER` and its branch in `wish` here. The players
are told apart by their codes and not passed as functions: code that is handed compiled functions cannot be kept on
disk.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.registry import PlayerKind
from speicher_agents.scripted.card_values import needed_by
from speicher_agents.scripted.contractor import contractor_wish
from speicher_agents.scripted.firechief import firechief_wish
from speicher_agents.scripted.frugal import frugal_wish
from speicher_agents.scripted.loading import TASTE, WORK, next_loading
from speicher_agents.scripted.merchant import TUNED, buy_as_merchant, merchant_taste, place_as_merchant
from speicher_agents.scripted.shipper import shipper_wish
from speicher_agents.scripted.spoiler import place_to_spoil, spoiler_wish
from speicher_env.batch.step import random_action
from speicher_env.rules.actions import BUY, PASS, PLACE
from speicher_env.rules.cards import N_GOODS
from speicher_env.rules.legal import is_legal
from speicher_env.rules.state import DEMAND, PURCHASE
from speicher_env.views import CompiledPlayer

__all__ = ["CODES", "KINDS", "LADDER", "Scripted", "choose", "choose_weighted"]


class Scripted(NamedTuple):
    """A player of the ladder. Three numbers say how it loads, unless it works them out itself."""

    name: str
    idea: str
    """One line for `speicher players`."""
    chance: float = 0.0
    """That a cube which a contract lacks still comes, 0..1: the higher, the more a contract begun is worth."""
    coin: float = 0.0
    """Worth of a coin in points."""
    keep: float = 0.0
    """Worth of a kept cube in points; in the warehouse, one more."""


LADDER = (
    Scripted("random", "every legal action equally likely"),
    Scripted("contractor", "takes contracts first, then the ships that fill them", 0.7, 0.8, 0.8),
    Scripted("frugal", "never pays more than one coin before the last rounds", 0.5, 1.0, 0.5),
    Scripted("spoiler", "drives up the prices of what others want", 0.5, 1.0, 0.5),
    Scripted("shipper", "turns ships into coins with merchants and the market hall", 0.4, 1.2, 0.3),
    Scripted("firechief", "wins fires: pays for firemen until its lead is safe", 0.5, 1.0, 0.5),
    Scripted("merchant", "values every card for every seat, and buys where worth exceeds price"),
)
"""The players, the simplest first."""

CODES = {player.name: code for code, player in enumerate(LADDER, start=1)}
"""The numbers by which compiled code tells them apart."""
RANDOM, CONTRACTOR, FRUGAL, SPOILER, SHIPPER, FIRECHIEF, MERCHANT = CODES.values()
_HABITS = np.array([(0.0, 0.0, 0.0), *((player.chance, player.coin, player.keep) for player in LADDER)])
_HABITS.flags.writeable = False


@jit
def wish(game: np.void, code: int, seat: int, column: int) -> float:
    """The most coins that the player with this code would pay, in a seat, for the card above a column."""
    if code == FRUGAL:
        return frugal_wish(game, seat, column)
    if code == FIRECHIEF:
        return firechief_wish(game, seat, column)
    if code == CONTRACTOR:
        return contractor_wish(game, seat, column)
    if code == SHIPPER:
        return shipper_wish(game, seat, column)
    return spoiler_wish(game, seat, column)


@jit
def workers_of(game: np.void, seat: int, column: int) -> int:
    """Workers of a seat above a column."""
    workers = 0
    for space in range(int(game["standing"][column])):
        workers += game["queue"][column, space] == seat
    return workers


@jit
def place_where_wished(game: np.void, code: int) -> int:
    """Place where the wish exceeds the price by most, were the card offered to this worker now.

    Where the seat already stands, a further worker mostly raises its own price: worth one coin less for each.
    """
    seat = int(game["player"])
    best = -1
    most = 0.0
    for column in range(int(game["players"]) + 1):
        if is_legal(game, PLACE + column):
            price = int(game["standing"][column]) + 1
            gain = wish(game, code, seat, column) - price - workers_of(game, seat, column)
            if price > game["coins"][seat]:
                gain -= price
            if best < 0 or gain > most:
                best, most = column, gain
    return PLACE + best


@jit
def buy_where_wished(game: np.void, code: int) -> int:
    """Buy at a price up to the wish; pass if the same player is asked next, at a coin less."""
    seat = int(game["player"])
    column = int(game["offer"])
    if wish(game, code, seat, column) < game["standing"][column] or game["queue"][column, 1] == seat:
        return PASS
    return BUY


@jit
def write_taste(game: np.void, code: int, weights: np.ndarray, taste: np.void) -> None:
    """Write what the deciding seat's player thinks that things are worth in loading."""
    if code == MERCHANT:
        merchant_taste(game, weights, taste)
        return
    seat = int(game["player"])
    for good in range(N_GOODS):
        taste["chance"][good] = _HABITS[code, 0]
        taste["wanted"][good] = needed_by(game, seat, good)
    taste["coin"] = _HABITS[code, 1]
    taste["keep"] = _HABITS[code, 2]
    taste["shelf"] = 1.0


@jit
def load(game: np.void, code: int, weights: np.ndarray, tastes: np.ndarray) -> int:
    """The player's next action in loading; `tastes` is room for one TASTE."""
    taste = tastes[0]
    write_taste(game, code, weights, taste)
    return next_loading(game, taste, np.empty(1, dtype=WORK))


@jit
def choose(game: np.void, code: int, stream: np.ndarray) -> int:
    """The action of the scripted player with this code for the deciding seat, which must have a choice."""
    return choose_weighted(game, code, stream, TUNED[int(game["players"])])


@jit
def choose_weighted(game: np.void, code: int, stream: np.ndarray, weights: np.ndarray) -> int:
    """`choose`, with the weights of `merchant`."""
    if code == RANDOM:
        return random_action(game, stream)
    if game["phase"] == DEMAND:
        if code == MERCHANT:
            return place_as_merchant(game, weights)
        return place_to_spoil(game) if code == SPOILER else place_where_wished(game, code)
    if game["phase"] == PURCHASE:
        return buy_as_merchant(game, weights) if code == MERCHANT else buy_where_wished(game, code)
    return load(game, code, weights, np.empty(1, dtype=TASTE))


def _make(name: str) -> CompiledPlayer:
    return CompiledPlayer(name, choose, CODES[name])


KINDS = tuple(PlayerKind(player.name, player.idea, partial(_make, player.name)) for player in LADDER)
"""The ladder as specs name it."""
