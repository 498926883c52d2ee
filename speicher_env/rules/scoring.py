"""Points: fires during the game, everything else at its end."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import (
    CHAMBER_CARD,
    CHURCH_CARD,
    MERCHANT_1,
    MICHAELIS_CARD,
    N_GOODS,
    PORT_CARD,
    WAREHOUSE_CARD,
)
from speicher_env.rules.state import WAREHOUSE_SPACE

OFFICE_POINTS = np.array([0, 2, 5, 9, 14], dtype=np.int8)
"""Points for 0..4 counting offices."""
CHURCH_POINTS = 3
MICHAELIS_POINTS = 4

SOURCES = (
    "fire",
    "contracts",
    "counting_offices",
    "merchants",
    "warehouse",
    "chamber_of_commerce",
    "port",
    "boatsmen_church",
    "st_michaelis",
)
"""Where points come from, in the order of the rules' scoring line and of `points_by_source`."""
N_SOURCES = len(SOURCES)


@jit
def points_by_source(game: np.void, seat: int, out: np.ndarray) -> int:
    """Write a seat's points by source as if the game ended now; returns their sum."""
    owner = game["owner"]
    merchants = 0
    cubes = 0
    for good in range(N_GOODS):
        merchants += owner[MERCHANT_1 + good] == seat
        cubes += game["cubes"][seat, good]
    out[0] = game["fire_points"][seat]
    out[1] = game["contract_points"][seat]
    out[2] = OFFICE_POINTS[game["offices"][seat]]
    out[3] = merchants
    out[4] = min(cubes, WAREHOUSE_SPACE) if owner[WAREHOUSE_CARD] == seat else 0
    out[5] = game["coins"][seat] if owner[CHAMBER_CARD] == seat else 0
    out[6] = game["ships"][seat] if owner[PORT_CARD] == seat else 0
    out[7] = CHURCH_POINTS if owner[CHURCH_CARD] == seat else 0
    out[8] = MICHAELIS_POINTS if owner[MICHAELIS_CARD] == seat else 0
    total = 0
    for source in range(N_SOURCES):
        total += out[source]
    return total


@jit
def points_of(game: np.void, seat: int) -> int:
    """A seat's points as if the game ended now."""
    owner = game["owner"]
    total = np.int64(game["fire_points"][seat]) + game["contract_points"][seat] + OFFICE_POINTS[game["offices"][seat]]
    for good in range(N_GOODS):
        total += owner[MERCHANT_1 + good] == seat
    if owner[WAREHOUSE_CARD] == seat:
        cubes = 0
        for good in range(N_GOODS):
            cubes += game["cubes"][seat, good]
        total += min(cubes, WAREHOUSE_SPACE)
    if owner[CHAMBER_CARD] == seat:
        total += game["coins"][seat]
    if owner[PORT_CARD] == seat:
        total += game["ships"][seat]
    if owner[CHURCH_CARD] == seat:
        total += CHURCH_POINTS
    if owner[MICHAELIS_CARD] == seat:
        total += MICHAELIS_POINTS
    return total


@jit
def ranking_key(game: np.void, seat: int) -> int:
    """Orders seats: most points, then most coins. Equal keys share the win."""
    return points_of(game, seat) * 1024 + game["coins"][seat]


@jit
def carry_out_fire(game: np.void, value: int) -> None:
    """Fire: the highest sum of firemen gains, the lowest loses, ties all do; nothing if all are equal."""
    firemen = game["firemen"]
    highest = firemen[0]
    lowest = firemen[0]
    for seat in range(1, game["players"]):
        highest = max(highest, firemen[seat])
        lowest = min(lowest, firemen[seat])
    if highest == lowest:
        return
    for seat in range(game["players"]):
        if firemen[seat] == highest:
            game["fire_points"][seat] += value
        elif firemen[seat] == lowest:
            game["fire_points"][seat] -= value
