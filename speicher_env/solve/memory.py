"""The memory of a search, made beforehand.

What a position is worth is a row of whole numbers in three blocks with one for every seat: the result, which is the
ranking key of each seat at the end; the lowest aim and the highest aim (see `payoffs`) that each seat can end with,
however seats that are indifferent choose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.cards import N_CUBES, N_GOODS
from speicher_env.rules.state import MAX_COLUMNS, MAX_PLAYERS, STATE, WORKERS
from speicher_env.solve.pools import Pools, make_pools
from speicher_env.solve.table import Table, grown, make_table

__all__ = [
    "BLOCKS", "DEPTH", "GAINS_FULL", "LOADINGS_FULL", "LOADING_WORDS", "OUT_OF_POSITIONS", "POSITIONS_FULL", "SOLVED",
    "TABLE_WORDS", "UNKNOWN", "Search", "cleared", "make_search", "with_larger_table",
]  # fmt: skip

SOLVED, OUT_OF_POSITIONS, POSITIONS_FULL, LOADINGS_FULL, GAINS_FULL, UNKNOWN = range(6)
"""How evaluating a position ends: with its worth; at the limit; at a table that must grow first; not at all yet."""

BLOCKS = 3
"""Numbers for each seat in what a position is worth."""
TABLE_WORDS, LOADING_WORDS = 4, 8
"""Whole numbers of 64 bits in the keys of `speicher_env.solve.keys`."""

DEPTH = 2 * WORKERS * MAX_PLAYERS + N_CUBES + MAX_PLAYERS + 3
"""Positions on one way: each worker is placed and asked, each loading action takes a cube or ends a seat's loading."""


class Search(NamedTuple):
    """The memory of a search."""

    positions: Table
    """Worth of positions in demand and purchase."""
    loadings: Table
    """Worth of positions in loading in which several seats can get into each other's way."""
    gains: Table
    """What a seat can gain with its cubes."""
    gain_pools: Pools
    outcome_pools: Pools
    games: np.ndarray
    """(depth,) STATE: the positions from the root to the one that is looked at."""
    worth: np.ndarray
    """(depth, 3 * players) int32: what they are worth."""
    branches: np.ndarray
    """(depth, 184, 3 * players) int32: what their actions are worth, the first ones of each row."""
    tried: np.ndarray
    """(depth,) int64: how many actions of each have been tried."""
    pair: np.ndarray
    """(2, 3 * players) int32: scratch, the best outcome yet and the next one."""
    gain: np.ndarray
    """(1,) int32: scratch."""
    keys: np.ndarray
    """(depth, LOADING_WORDS) int64; the first, which no position needs, is that of gains."""
    cards: np.ndarray
    """(6,) int8: the cards of the columns where the search began, EMPTY for one that was gone."""
    end: np.ndarray
    """(1,) STATE: scratch, the end of the game without loading."""
    cubes: np.ndarray
    """(5, 5) int64: scratch, cubes of each good, see `loading`."""
    counts: np.ndarray
    """(3,) int64: positions looked at; the most allowed; 1 once the table of gains is full."""


def make_search(players: int) -> Search:
    """Memory for a search in games of so many players; `counts` says through how many positions."""
    width = BLOCKS * players
    return Search(
        positions=make_table(TABLE_WORDS, width),
        loadings=make_table(LOADING_WORDS, width),
        gains=make_table(TABLE_WORDS, 1),
        gain_pools=make_pools(),
        outcome_pools=make_pools(),
        games=np.zeros(DEPTH, dtype=STATE),
        worth=np.zeros((DEPTH, width), dtype=np.int32),
        branches=np.zeros((DEPTH, N_ACTIONS, width), dtype=np.int32),
        tried=np.zeros(DEPTH, dtype=np.int64),
        pair=np.zeros((2, width), dtype=np.int32),
        gain=np.zeros(1, dtype=np.int32),
        keys=np.zeros((DEPTH, LOADING_WORDS), dtype=np.int64),
        cards=np.zeros(MAX_COLUMNS, dtype=np.int8),
        end=np.zeros(1, dtype=STATE),
        cubes=np.zeros((5, N_GOODS), dtype=np.int64),
        counts=np.zeros(3, dtype=np.int64),
    )


def cleared(search: Search) -> Search:
    """The same memory with empty tables, for positions of another round."""
    for table in (search.positions, search.loadings, search.gains):
        table.keys[:] = 0
        table.used[:] = 0
    search.counts[:] = 0
    return search


def with_larger_table(search: Search, full: int) -> Search:
    """The same search with more room in the table that is full; its other memory is shared."""
    if full == POSITIONS_FULL:
        return search._replace(positions=grown(search.positions))
    if full == LOADINGS_FULL:
        return search._replace(loadings=grown(search.loadings))
    search.counts[2] = 0
    return search._replace(gains=grown(search.gains))
