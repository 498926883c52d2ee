"""The best that a seat can make of its cubes in the last loading.

Nothing that a seat does in the last loading matters to it but the points and coins that it brings. Three facts make
that small:

- A delivery touches nothing but the pool, so all deliveries may come last.
- Without deliveries, each cube is in the pool or in the stock. So the pool alone says what is in the stock, and a
  position is a pool; how it was reached counts only by the coins gained on the way, of which the most is best.
- Every other action takes one or two cubes from the pool. So pools are visited by their size, the largest first.

What is left to choose at a pool is which contracts to complete, see `finish`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_env.rules.actions import CONVERT, DISCARD, GIVES, TAKES, TRADE
from speicher_env.rules.cards import (
    CHAMBER_CARD,
    CUBES_PER_GOOD,
    MERCHANT_1,
    N_CONTRACTS,
    N_CUBES,
    N_GOODS,
    WAREHOUSE_CARD,
)
from speicher_env.rules.loading import capacity, contract_value
from speicher_env.rules.state import WAREHOUSE_SPACE
from speicher_env.solve._jit import jit

__all__ = [
    "CANNOT_FINISH", "POINT", "Pools", "best_gain", "coin_worth", "conversions", "finish", "make_pools", "read_pool",
    "spread_pools",
]  # fmt: skip

POINT = 1024
"""What a point counts in a ranking key, where a coin counts 1."""
NOT_REACHED = -1
CANNOT_FINISH = -1
_CELLS = (CUBES_PER_GOOD + 1) ** N_GOODS


class Pools(NamedTuple):
    """The pools that a seat can reach, as cells of a grid with an axis for each good."""

    coins: np.ndarray
    """(cells,) int32: most coins gained on the way to a pool; NOT_REACHED."""
    head: np.ndarray
    """(46,) int32: the first cell of the pools of a size, -1 for none."""
    after: np.ndarray
    """(cells,) int32: the next cell of the same size, -1 for none."""
    step: np.ndarray
    """(5,) int64: the distance of cells that differ by one cube of a good."""
    pool: np.ndarray
    """(5,) int64: the cubes of the pool that is looked at."""
    rest: np.ndarray
    """(5,) int64: scratch for `finish`."""
    contracts: np.ndarray
    """(11,) int64: how many contracts the seat owns that need a cube, then these."""


def make_pools() -> Pools:
    """Memory for the pools of any seat."""
    return Pools(
        np.empty(_CELLS, dtype=np.int32),
        np.empty(N_CUBES + 1, dtype=np.int32),
        np.empty(_CELLS, dtype=np.int32),
        np.empty(N_GOODS, dtype=np.int64),
        np.empty(N_GOODS, dtype=np.int64),
        np.empty(N_GOODS, dtype=np.int64),
        np.empty(N_CONTRACTS + 1, dtype=np.int64),
    )


@jit
def conversions(cubes: int) -> int:
    """How often that many cubes can be converted: each time three become one."""
    return max(0, (cubes - 1) // 2)


@jit
def spread_pools(pools: Pools, game: np.void, seat: int, start: np.ndarray, stock: np.ndarray) -> int:
    """Reach every pool that a seat can have before its deliveries; returns how many there are.

    Args:
        pools: Written.
        game: A state; who owns what is read.
        seat: The seat.
        start: Cubes of each good in its pool.
        stock: Cubes of each good in the stock.
    """
    size = 0
    for good in range(N_GOODS):
        size += start[good]
    most = conversions(size)
    cells = 1
    cell = 0
    for good in range(N_GOODS):
        pools.step[good] = cells
        cell += start[good] * cells
        cells *= start[good] + min(stock[good], most) + 1
    for index in range(cells):
        pools.coins[index] = NOT_REACHED
    for index in range(N_CUBES + 1):
        pools.head[index] = -1
    pools.contracts[0] = 0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == seat and is_open(game, contract):
            pools.contracts[0] += 1
            pools.contracts[pools.contracts[0]] = contract
    reach(pools, cell, size, 0)
    space = capacity(game, seat)
    owner = game["owner"]
    reached = 0
    for total in range(size, 0, -1):
        cell = pools.head[total]
        while cell >= 0:
            reached += 1
            read_pool(pools, cell)
            coins = pools.coins[cell]
            for good in range(N_GOODS):
                if pools.pool[good] > 0:
                    below = cell - pools.step[good]
                    if owner[MERCHANT_1 + good] == seat:
                        reach(pools, below, total - 1, coins + 1)
                    elif total > space:
                        reach(pools, below, total - 1, coins)
            if total >= 2:
                for action in range(TRADE, DISCARD):
                    if can_give(pools, action):
                        reach(pools, cell - given_step(pools, action), total - 2, coins + 1)
            if total >= 3:
                for action in range(CONVERT, TRADE):
                    taken = TAKES[action]
                    in_stock = start[taken] + stock[taken] - pools.pool[taken]
                    if in_stock > 0 and can_give(pools, action):
                        reach(pools, cell - given_step(pools, action) + pools.step[taken], total - 2, coins)
            cell = pools.after[cell]
    return reached


@jit
def read_pool(pools: Pools, cell: int) -> None:
    """Write the cubes of a cell's pool into `pools.pool`."""
    for place in range(N_GOODS):
        good = N_GOODS - 1 - place
        pools.pool[good] = cell // pools.step[good]
        cell -= pools.pool[good] * pools.step[good]


@jit
def reach(pools: Pools, cell: int, total: int, coins: int) -> None:
    """Note that a pool of a size can be reached with some coins gained."""
    if pools.coins[cell] == NOT_REACHED:
        pools.after[cell] = pools.head[total]
        pools.head[total] = cell
    pools.coins[cell] = max(pools.coins[cell], coins)


@jit
def can_give(pools: Pools, action: int) -> bool:
    """Whether the pool that is looked at has the cubes that an action gives."""
    for good in range(N_GOODS):
        if pools.pool[good] < GIVES[action, good]:
            return False
    return True


@jit
def given_step(pools: Pools, action: int) -> int:
    """The distance of the cells before and after an action's cubes are given."""
    step = 0
    for good in range(N_GOODS):
        step += GIVES[action, good] * pools.step[good]
    return step


@jit
def finish(pools: Pools, game: np.void, seat: int) -> int:
    """The most that deliveries and kept cubes bring at the pool that is looked at, CANNOT_FINISH if it is too large.

    The seat chooses which contracts to complete. Cubes of no use may go on other contracts as far as these take them;
    what is left must fit the capacity, and counts as far as it is in a warehouse.
    """
    size = 0
    for good in range(N_GOODS):
        size += pools.pool[good]
    n_open = pools.contracts[0]
    space = capacity(game, seat)
    in_warehouse = game["owner"][WAREHOUSE_CARD] == seat
    best = CANNOT_FINISH
    for chosen in range(1 << n_open):
        for good in range(N_GOODS):
            pools.rest[good] = pools.pool[good]
        points = 0
        left = size
        fits = True
        for number in range(n_open):
            if (chosen >> number) & 1:
                contract = pools.contracts[1 + number]
                points += int(contract_value(game, contract))
                for good in range(N_GOODS):
                    pools.rest[good] -= game["missing"][contract, good]
                    left -= game["missing"][contract, good]
                    fits = fits and pools.rest[good] >= 0
        if not fits:
            continue
        if left > space:
            for number in range(n_open):
                if not (chosen >> number) & 1:
                    contract = pools.contracts[1 + number]
                    for good in range(N_GOODS):
                        taken = min(pools.rest[good], game["missing"][contract, good])
                        pools.rest[good] -= taken
                        left -= taken
            if left > space:
                continue
            left = space
        if in_warehouse:
            points += min(left, WAREHOUSE_SPACE)
        best = max(best, points * POINT)
    return best


@jit
def is_open(game: np.void, contract: int) -> bool:
    """Whether a contract still needs a cube."""
    for good in range(N_GOODS):
        if game["missing"][contract, good] > 0:
            return True
    return False


@jit
def coin_worth(game: np.void, seat: int) -> int:
    """What a coin counts in a seat's ranking key at the end."""
    return 1 + POINT if game["owner"][CHAMBER_CARD] == seat else 1


@jit
def best_gain(pools: Pools, game: np.void, seat: int) -> int:
    """The most that a seat can add to its ranking key, over all pools that were reached."""
    worth = coin_worth(game, seat)
    best = 0
    for total in range(N_CUBES + 1):
        cell = pools.head[total]
        while cell >= 0:
            read_pool(pools, cell)
            kept = finish(pools, game, seat)
            if kept != CANNOT_FINISH:
                best = max(best, kept + worth * pools.coins[cell])
            cell = pools.after[cell]
    return best
