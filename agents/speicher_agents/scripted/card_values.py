"""What cards are worth at a glance: to a seat, in points, from what lies open and without a forecast.

The simple players share this measure, each with its own exceptions.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.remaining import fire_points_to_come, rounds_to_come
from speicher_env.rules.cards import (
    BANK,
    BOATSMEN_CHURCH,
    CHAMBER_OF_COMMERCE,
    CONTRACT,
    COUNTING_OFFICE,
    CUBES_PER_SHIP,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    MERCHANT_1,
    N_CONTRACTS,
    N_GOODS,
    PORT,
    SHIP,
    ST_MICHAELIS,
    WAREHOUSE,
)
from speicher_env.rules.loading import contract_value
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.state import EMPTY

__all__ = ["cargo_worth", "needed_by", "open_contracts", "worth_of"]

OPEN_CONTRACT = 0.4
"""Share of a contract's points that it is worth to who still has to fill it."""
FIREMAN_SHARE = 0.1
"""Share of the points of all fires to come that each value of a fireman is worth."""
CUBE = 0.6
"""A cube that only the market hall takes."""
CUBE_SOLD = 1.0
"""A cube that an owned merchant buys."""
CUBE_NEEDED = 1.8
"""A cube that an owned contract needs."""
TRADER = 2.0
"""A coffee roaster, tea taster, spice trader, vulcanizer or carpet trader."""
SHELVES = 3.0
"""The warehouse."""


@jit
def needed_by(game: np.void, seat: int, good: int) -> int:
    """Cubes of a good that the seat's contracts need beyond those it has already."""
    need = 0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == seat:
            need += game["missing"][contract, good]
    return max(0, need - int(game["cubes"][seat, good]) - int(game["aboard"][seat, good]))


@jit
def cargo_worth(game: np.void, seat: int, column: int) -> float:
    """The three cubes of the ship above a column, to a seat."""
    worth = 0.0
    for place in range(CUBES_PER_SHIP):
        good = game["cargo"][column, place]
        alike = 0
        for before in range(place):
            alike += game["cargo"][column, before] == good
        if needed_by(game, seat, good) > alike:
            worth += CUBE_NEEDED
        elif game["owner"][MERCHANT_1 + good] == seat:
            worth += CUBE_SOLD
        else:
            worth += CUBE
    return worth


@jit
def open_contracts(game: np.void, seat: int) -> int:
    """Contracts of a seat that are not filled."""
    contracts = 0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == seat:
            for good in range(N_GOODS):
                if game["missing"][contract, good] > 0:
                    contracts += 1
                    break
    return contracts


@jit
def worth_of(game: np.void, seat: int, column: int) -> float:
    """The card above a column, to a seat; 0 where no card lies."""
    card = game["card"][column]
    if card == EMPTY:
        return 0.0
    kind = KIND_OF[card]
    if kind == CONTRACT:
        return OPEN_CONTRACT * contract_value(game, card)
    if kind == SHIP:
        return cargo_worth(game, seat, column)
    if kind == FIREMAN:
        return FIREMAN_SHARE * game["fireman_value"][card - FIREMAN_1] * fire_points_to_come(game)
    if kind == COUNTING_OFFICE:
        owned = int(game["offices"][seat])
        return float(int(OFFICE_POINTS[owned + 1]) - int(OFFICE_POINTS[owned]))
    if kind == WAREHOUSE:
        return SHELVES
    if kind == BANK:
        return 0.5 * rounds_to_come(game)
    if kind == BOATSMEN_CHURCH:
        return float(CHURCH_POINTS)
    if kind == ST_MICHAELIS:
        return float(MICHAELIS_POINTS)
    if kind == CHAMBER_OF_COMMERCE:
        return 0.5 * game["coins"][seat]
    if kind == PORT:
        return float(game["ships"][seat])
    return TRADER
