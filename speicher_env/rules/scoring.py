"""Scoring: points by source, and the order of the seats."""

from __future__ import annotations

from typing import Any

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

__all__ = [
    "CHURCH_POINTS", "MICHAELIS_POINTS", "N_SOURCES", "OFFICE_POINTS", "SOURCES", "points_by_source", "points_of",
    "ranking_key",
]  # fmt: skip

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
def _sources(game: np.void, seat: int) -> tuple[Any, ...]:
    """A seat's points from each of `SOURCES`, as if the game ended now."""
    owner = game["owner"]
    merchants = 0
    for good in range(N_GOODS):
        merchants += owner[MERCHANT_1 + good] == seat
    stored = 0
    if owner[WAREHOUSE_CARD] == seat:
        for good in range(N_GOODS):
            stored += game["cubes"][seat, good]
        stored = min(stored, WAREHOUSE_SPACE)
    return (
        np.int64(game["fire_points"][seat]),
        np.int64(game["contract_points"][seat]),
        np.int64(OFFICE_POINTS[game["offices"][seat]]),
        merchants,
        stored,
        np.int64(game["coins"][seat]) if owner[CHAMBER_CARD] == seat else 0,
        np.int64(game["ships"][seat]) if owner[PORT_CARD] == seat else 0,
        CHURCH_POINTS if owner[CHURCH_CARD] == seat else 0,
        MICHAELIS_POINTS if owner[MICHAELIS_CARD] == seat else 0,
    )


@jit
def points_by_source(game: np.void, seat: int, out: np.ndarray) -> int:
    """Write a seat's points by source as if the game ended now, and return their sum."""
    points = _sources(game, seat)
    total = 0
    for source in range(N_SOURCES):
        out[source] = points[source]
        total += points[source]
    return total


@jit
def points_of(game: np.void, seat: int) -> int:
    """A seat's points as if the game ended now."""
    total = 0
    for points in _sources(game, seat):
        total += points
    return total


@jit
def ranking_key(game: np.void, seat: int) -> int:
    """Orders seats: most points, then most coins. Equal keys share the win."""
    return points_of(game, seat) * 1024 + game["coins"][seat]
