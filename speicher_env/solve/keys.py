"""Keys of positions: what is left to differ between two positions of one last round, in a few whole numbers.

Two positions with the same key are worth the same. In demand and purchase a key holds the coins and what happened to
each card of the table. A worker whose owner can never pay, should the offer reach it, only raises prices; whose it is
makes no difference, so keys do not say it. In loading they hold the cubes, and what the contracts miss.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import CHAMBER_CARD, MERCHANT_1, N_CONTRACTS, N_GOODS, WAREHOUSE_CARD
from speicher_env.rules.state import EMPTY, MAX_PLAYERS
from speicher_env.solve._jit import jit
from speicher_env.solve.memory import LOADING_WORDS, TABLE_WORDS
from speicher_env.solve.table import FILLED

__all__ = ["write_gain_key", "write_loading_key", "write_table_key"]

_COIN_BITS = 10
_OFFER_BITS = 3
_WORKER_BITS = 3
_COLUMN_BITS = 27
_ON_TABLE, _DISCARDED, _BLOCKER = MAX_PLAYERS + 1, MAX_PLAYERS, MAX_PLAYERS + 1
_CUBE_BITS = 4
_MISSING_BITS = 3
_OWNER_BITS = 21
"""The number of seats that have loaded, and the owners of six cards."""


@jit
def write_table_key(key: np.ndarray, game: np.void, cards: np.ndarray) -> None:
    """Write the key of a position in demand or purchase.

    Args:
        key: Written, int64.
        game: A state.
        cards: The cards that the columns had where the search began, EMPTY for one that was gone.
    """
    bits = game["offer"] + 1
    for seat in range(game["players"]):
        bits |= np.int64(game["coins"][seat]) << (_OFFER_BITS + _COIN_BITS * seat)
    key[0] = FILLED | bits
    for word in range(1, TABLE_WORDS):
        key[word] = 0
    for column in range(game["players"] + 1):
        key[1 + column // 2] |= _column_bits(game, column, cards[column]) << (_COLUMN_BITS * (column % 2))


@jit
def _column_bits(game: np.void, column: int, card: int) -> int:
    if card == EMPTY:
        return 0
    if game["card"][column] == EMPTY:
        owner = game["owner"][card]
        return int(owner if owner >= 0 else _DISCARDED)
    bits = _ON_TABLE
    standing = game["standing"][column]
    for space in range(standing):
        seat = game["queue"][column, space]
        worker = _BLOCKER if game["coins"][seat] < standing - space else seat + 1
        bits |= int(worker) << (_WORKER_BITS * (space + 1))
    return bits


@jit
def write_gain_key(key: np.ndarray, game: np.void, seat: int, start: np.ndarray, stock: np.ndarray, most: int) -> None:
    """Write the key of what a seat can gain in loading.

    Args:
        key: Written, int64.
        game: A state.
        seat: The seat.
        start: Cubes of each good in its pool.
        stock: Cubes of each good in the stock.
        most: Conversions that the pool allows; more cubes of a good in the stock than that make no difference.
    """
    owner = game["owner"]
    bits = np.int64(0)
    for good in range(N_GOODS):
        bits = (bits << _CUBE_BITS) | start[good]
        bits = (bits << _CUBE_BITS) | min(stock[good], most)
        bits = (bits << 1) | (owner[MERCHANT_1 + good] == seat)
    bits = (bits << 1) | (owner[WAREHOUSE_CARD] == seat)
    bits = (bits << 1) | (owner[CHAMBER_CARD] == seat)
    key[0] = FILLED | bits
    for word in range(1, TABLE_WORDS):
        key[word] = 0
    for contract in range(N_CONTRACTS):
        if owner[contract] == seat:
            add_missing(key, 1, game, contract)


@jit
def add_missing(key: np.ndarray, first: int, game: np.void, contract: int) -> None:
    """Add what a contract misses to the three words of a key that begin with `first`."""
    for good in range(N_GOODS):
        missing = np.int64(game["missing"][contract, good])
        key[first + contract // 4] |= missing << (_MISSING_BITS * (N_GOODS * (contract % 4) + good))


@jit
def write_loading_key(key: np.ndarray, game: np.void, cards: np.ndarray) -> None:
    """Write the key of a position in loading.

    Args:
        key: Written, int64.
        game: A state.
        cards: As for `write_table_key`.
    """
    owners = np.int64(game["loaded"])
    for column in range(game["players"] + 1):
        card = cards[column]
        owner = game["owner"][card] if card != EMPTY else EMPTY
        owners = (owners << 3) | (owner if owner >= 0 else _DISCARDED)
    coins = np.int64(0)
    for seat in range(game["players"]):
        coins = (coins << _COIN_BITS) | game["coins"][seat]
    key[0] = FILLED | owners
    for good in range(N_GOODS):
        key[0] |= np.int64(game["stock"][good]) << (_OWNER_BITS + _CUBE_BITS * good)
    key[1] = coins
    for word in range(2, LOADING_WORDS):
        key[word] = 0
    for seat in range(game["players"]):
        for good in range(N_GOODS):
            cubes = np.int64(game["cubes"][seat, good] + game["aboard"][seat, good])
            key[2 + seat // 3] |= cubes << (_CUBE_BITS * (N_GOODS * (seat % 3) + good))
    for contract in range(N_CONTRACTS):
        add_missing(key, 4, game, contract)
