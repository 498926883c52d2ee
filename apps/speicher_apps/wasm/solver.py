"""The solver of last rounds for WebAssembly; its memory comes from JavaScript, which enlarges tables on request."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import carray, types

from speicher_apps.wasm.signatures import INT, INTS, LONGS, STATES, export
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.cards import N_CONTRACTS, N_CUBES, N_GOODS
from speicher_env.rules.legal import count_legal
from speicher_env.rules.state import MAX_COLUMNS, MAX_PLAYERS
from speicher_env.solve.memory import BLOCKS, DEPTH, LOADING_WORDS, SOLVED, TABLE_WORDS, Search
from speicher_env.solve.payoffs import prefers
from speicher_env.solve.pools import Pools, make_pools
from speicher_env.solve.search import evaluate_actions
from speicher_env.solve.table import LEAST_SLOTS, Table, move_into

__all__ = ["LAYOUT"]

_CELLS = len(make_pools().coins)
_WIDEST = BLOCKS * MAX_PLAYERS
_POOL_LONGS, _POOL_INTS = 3 * N_GOODS + N_CONTRACTS + 1, 2 * _CELLS + N_CUBES + 1
# Where the parts of the memory begin, in numbers of their kind: first those that are tables themselves.
_CUBES = DEPTH * LOADING_WORDS
_TRIED = _CUBES + 5 * N_GOODS
_COUNTS = _TRIED + DEPTH
_USED = _COUNTS + 3
_POOLS = _USED + 3
_CARDS = _POOLS + 2 * _POOL_LONGS
_LONGS = _CARDS + 1
_WORTH = DEPTH * N_ACTIONS * _WIDEST
_PAIR = _WORTH + DEPTH * _WIDEST
_GAIN = _PAIR + 2 * _WIDEST
_GRIDS = _GAIN + 1
_INTS = _GRIDS + 2 * _POOL_INTS
_NO_LIMIT = 1 << 62

LAYOUT = {
    "games": DEPTH + 1,
    "longs": _LONGS,
    "ints": _INTS,
    "cubes": _CUBES,
    "used": _USED,
    "worth": _WORTH,
    "pair": _PAIR,
    "slots": LEAST_SLOTS,
    "blocks": BLOCKS,
    "words": [TABLE_WORDS, LOADING_WORDS, TABLE_WORDS],
}
"""What JavaScript has to know of the memory: room for games, 64-bit and 32-bit numbers; where some parts begin, after
what the actions are worth; and of tables how large they begin and how long their keys are."""


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]  # compiled into the module alone
def _table(keys: Any, values: Any, used: Any, slots: int, words: int, width: int) -> Table:
    return Table(carray(keys, (slots, words)), carray(values, (slots, width)), used)


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _pools(longs: Any, ints: Any) -> Pools:
    return Pools(
        ints[:_CELLS],
        ints[2 * _CELLS :],
        ints[_CELLS : 2 * _CELLS],
        longs[:N_GOODS],
        longs[N_GOODS : 2 * N_GOODS],
        longs[2 * N_GOODS : 3 * N_GOODS],
        longs[3 * N_GOODS :],
    )


@export(INT, STATES, LONGS, LONGS, INTS, INTS, INTS, *(LONGS, INTS, INT) * 3, STATES, INT)
def solve(
    games: Any, longs: Any, cubes: Any, ints: Any, worth: Any, pair: Any, position_keys: Any, position_values: Any,
    positions: int, loading_keys: Any, loading_values: Any, loadings: int, gain_keys: Any, gain_values: Any, gains: int,
    state: Any, follows: int,
) -> Any:  # fmt: skip
    """Write what the actions of a position of the last round are worth.

    Args:
        games: Memory, see `LAYOUT`.
        longs: Memory.
        cubes: Where the cubes begin in it.
        ints: Memory.
        worth: Where the worth of positions begins in it.
        pair: Where the pair begins in it.
        position_keys: The keys of the first of the three tables; its values and its slots follow, then the others.
        position_values: See there.
        positions: See there.
        loading_keys: See there.
        loading_values: See there.
        loadings: See there.
        gain_keys: See there.
        gain_values: See there.
        gains: See there.
        state: The position.
        follows: Whether the tables hold positions of the same demand and purchase; else they must be empty.

    Returns:
        The place of the best action among the legal ones, or -1 less the table that must grow first, see `memory`.
    """
    records, numbers, small = carray(games, (DEPTH + 1,)), carray(longs, (_LONGS,)), carray(ints, (_INTS,))
    states = carray(state, (1,))
    width = BLOCKS * int(states[0]["players"])
    used = numbers[_USED:_POOLS]
    cards = numbers[_CARDS:].view(np.int8)
    if not follows:
        for column in range(MAX_COLUMNS):
            cards[column] = states[0]["card"][column]
    search = Search(
        _table(position_keys, position_values, used[:1], positions, TABLE_WORDS, width),
        _table(loading_keys, loading_values, used[1:2], loadings, LOADING_WORDS, width),
        _table(gain_keys, gain_values, used[2:], gains, TABLE_WORDS, 1),
        _pools(numbers[_POOLS : _POOLS + _POOL_LONGS], small[_GRIDS : _GRIDS + _POOL_INTS]),
        _pools(numbers[_POOLS + _POOL_LONGS : _CARDS], small[_GRIDS + _POOL_INTS :]),
        records[:DEPTH],
        carray(worth, (DEPTH, width)),
        carray(ints, (DEPTH, N_ACTIONS, width)),
        numbers[_TRIED:_COUNTS],
        carray(pair, (2, width)),
        small[_GAIN:_GRIDS],
        carray(longs, (DEPTH, LOADING_WORDS)),
        cards,
        records[DEPTH:],
        carray(cubes, (5, N_GOODS)),
        numbers[_COUNTS:_USED],
    )
    search.counts[0], search.counts[1], search.counts[2] = 0, _NO_LIMIT, 0
    outcome = evaluate_actions(search, states, 0)
    if outcome != SOLVED:
        return np.int32(-1 - outcome)
    best = 0
    game = states[0]
    for action in range(1, count_legal(game)):
        if prefers(search.branches[0, action], search.branches[0, best], game["players"], game["player"]):
            best = action
    return np.int32(best)


@export(types.void, *(LONGS, INTS, INT) * 2, INT, INT, LONGS)
def fill_table(
    keys: Any, values: Any, slots: int, larger_keys: Any, larger_values: Any, larger: int, words: int, width: int,
    used: Any,
) -> None:  # fmt: skip
    """Put all that is in a table into a larger one, which is empty; `used` counts its slots."""
    count = carray(used, (1,))
    count[0] = 0
    move_into(
        _table(keys, values, count, slots, words, width),
        _table(larger_keys, larger_values, count, larger, words, width),
    )
