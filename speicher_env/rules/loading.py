"""Loading: ships are unloaded, and cubes go to contracts, merchants, the market hall or into keeping.

A seat's cubes are one pool. Whether a cube is kept in the warehouse or in the market hall makes no difference to any
later move, so only their number is limited, and only at the end of the seat's loading.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.actions import (
    CONVERT,
    DELIVER,
    DISCARD,
    END,
    GIVES,
    PAYABLE_BY_POOL,
    POOL_CAP,
    SELL,
    SERVED_BY_STOCK,
    TAKES,
    TRADE,
)
from speicher_env.rules.cards import (
    CONTRACT_POINTS,
    MAX_CONTRACT_SIZE,
    MERCHANT_1,
    N_CONTRACTS,
    N_GOODS,
    WAREHOUSE_CARD,
)
from speicher_env.rules.legal import ZERO
from speicher_env.rules.state import EMPTY, LOADING, MARKET_HALL_SPACE, WAREHOUSE_SPACE

__all__ = ["begin_loading", "capacity", "contract_value", "load", "loading_decision"]


def _bits(first: int, word: int) -> np.ndarray:
    """The bit of each good's action in a row that starts at action `first` and lies within one word."""
    return np.array([1 << (first + good - 64 * word) for good in range(N_GOODS)], dtype=np.uint64)


_DELIVER_BITS = np.stack([_bits(DELIVER + N_GOODS * contract, 0) for contract in range(N_CONTRACTS)])
_POOL_STEP = np.array([(POOL_CAP + 1) ** good for good in range(N_GOODS)], dtype=np.int64)
_SELL_BITS = _bits(SELL, 0)
_DISCARD_BITS = _bits(DISCARD, 2)
_END_BIT = np.uint64(1 << (END - 128))


@jit
def begin_loading(game: np.void) -> None:
    """Nobody has loaded yet; the first player begins."""
    game["phase"] = LOADING
    game["loaded"] = 0
    unload_ships(game, game["first_player"])


@jit
def unload_ships(game: np.void, seat: int) -> None:
    """A seat's loading begins: the cubes of the ships it bought this round join its pool."""
    game["player"] = seat
    for good in range(N_GOODS):
        game["cubes"][seat, good] += game["aboard"][seat, good]
        game["aboard"][seat, good] = 0


@jit
def end_loading(game: np.void) -> None:
    """The deciding seat is done; the next one clockwise begins, if one is left."""
    game["loaded"] += 1
    if game["loaded"] < game["players"]:
        seat = game["first_player"] + game["loaded"]
        unload_ships(game, seat if seat < game["players"] else seat - game["players"])


@jit
def capacity(game: np.void, seat: int) -> int:
    """Cubes that a seat can keep: 1 in the market hall, 4 more with the warehouse."""
    if game["owner"][WAREHOUSE_CARD] == seat:
        return MARKET_HALL_SPACE + WAREHOUSE_SPACE
    return MARKET_HALL_SPACE


@jit
def loading_decision(game: np.void) -> bool:
    """Find the next seat with a choice and set its legal actions; False once all seats are done."""
    while game["loaded"] < game["players"]:
        if loading_choice(game, game["player"]):
            return True
        end_loading(game)
    game["loaded"] = 0
    return False


@jit
def loading_choice(game: np.void, seat: int) -> bool:
    """Set the legal actions of a seat's loading; False, with nothing set, if `end` is the only one."""
    pool = game["cubes"][seat]
    owner = game["owner"]
    total = 0
    pool_row = 0
    stock_row = 0
    for good in range(N_GOODS):
        total += pool[good]
        pool_row += min(pool[good], POOL_CAP) * _POOL_STEP[good]
        if game["stock"][good] > 0:
            stock_row |= 1 << good
    if total == 0:
        return False
    word_0 = PAYABLE_BY_POOL[pool_row, 0] & SERVED_BY_STOCK[stock_row, 0]
    word_1 = PAYABLE_BY_POOL[pool_row, 1] & SERVED_BY_STOCK[stock_row, 1]
    word_2 = PAYABLE_BY_POOL[pool_row, 2] & SERVED_BY_STOCK[stock_row, 2]
    for contract in range(N_CONTRACTS):
        if owner[contract] == seat:
            for good in range(N_GOODS):
                if pool[good] > 0 and game["missing"][contract, good] > 0:
                    word_0 |= _DELIVER_BITS[contract, good]
    for good in range(N_GOODS):
        if pool[good] > 0 and owner[MERCHANT_1 + good] == seat:
            word_0 |= _SELL_BITS[good]
    if total > capacity(game, seat):
        for good in range(N_GOODS):
            if pool[good] > 0:
                word_2 |= _DISCARD_BITS[good]
    elif word_0 == ZERO and word_1 == ZERO and word_2 == ZERO:
        return False
    else:
        word_2 |= _END_BIT
    game["legal"][0] = word_0
    game["legal"][1] = word_1
    game["legal"][2] = word_2
    return True


@jit
def deliver(game: np.void, contract: int, good: int) -> None:
    """One cube to an owned contract; the last one completes it."""
    seat = game["player"]
    game["cubes"][seat, good] -= 1
    game["missing"][contract, good] -= 1
    for other in range(N_GOODS):
        if game["missing"][contract, other] > 0:
            return
    game["contract_points"][seat] += contract_value(game, contract)


@jit
def contract_value(game: np.void, contract: int) -> int:
    """Points of a contract once it is complete, by its size."""
    size = 0
    for place in range(MAX_CONTRACT_SIZE):
        size += game["contract_goods"][contract, place] != EMPTY
    return CONTRACT_POINTS[size]


@jit
def give_to_stock(game: np.void, action: int) -> None:
    """The cubes that an action gives go from the seat's pool to the stock."""
    seat = game["player"]
    for good in range(N_GOODS):
        game["cubes"][seat, good] -= GIVES[action, good]
        game["stock"][good] += GIVES[action, good]


@jit
def load(game: np.void, action: int) -> None:
    """Carry out one loading action of the deciding seat."""
    if action < SELL:
        deliver(game, (action - DELIVER) // N_GOODS, (action - DELIVER) % N_GOODS)
    elif action == END:
        end_loading(game)
    else:
        give_to_stock(game, action)
        if action < CONVERT or TRADE <= action < DISCARD:  # a merchant, or the market hall, pays a coin
            game["coins"][game["player"]] += 1
        elif action < TRADE:
            game["stock"][TAKES[action]] -= 1
            game["cubes"][game["player"], TAKES[action]] += 1
