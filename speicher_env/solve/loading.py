"""What positions in the last loading are worth.

Seats load one after the other, and what one does changes nothing for the next but the stock, which matters only to a
seat that converts. So most positions fall apart: every seat takes what is best for itself (`pools`). Where the stock
does make a difference, a seat chooses among all stocks that it can leave behind; and where it makes one to several of
those who follow, each in turn, every action is tried.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import N_CUBES, N_GOODS
from speicher_env.rules.income import income
from speicher_env.rules.scoring import ranking_key
from speicher_env.rules.state import OVER
from speicher_env.rules.turn import begin_round
from speicher_env.solve._jit import jit, jit_inlined
from speicher_env.solve.keys import write_gain_key
from speicher_env.solve.memory import Search
from speicher_env.solve.payoffs import choose, write_aims
from speicher_env.solve.pools import (
    CANNOT_FINISH,
    best_gain,
    coin_worth,
    conversions,
    finish,
    read_pool,
    spread_pools,
)
from speicher_env.solve.table import find, has_room, put

__all__ = ["copy_numbers", "loading_is_known"]

_POOL, _LEAST, _MOST, _LEFT, _START = range(5)
"""Rows of `Search.cubes`: a pool; the least and the most that can be in the stock; the stock a seat leaves behind; the
pool with which that seat began."""


@jit_inlined
def loading_is_known(search: Search, game: np.void, worth: np.ndarray) -> bool:
    """Write what a position in loading, or at the end of a game, is worth; False if its actions must be tried."""
    players = game["players"]
    if game["phase"] == OVER:
        for seat in range(players):
            worth[seat] = ranking_key(game, seat)
        write_aims(worth, players)
        return True
    if stock_matters(search, game, game["loaded"], game["stock"]):
        return choose_stock(search, game, worth)
    write_end(search, game, worth)
    add_gains(search, game, game["loaded"], game["stock"], worth)
    write_aims(worth, players)
    return True


@jit
def choose_stock(search: Search, game: np.void, worth: np.ndarray) -> bool:
    """Write what a position in loading is worth, by every stock that the seat that loads can leave behind.

    False, and nothing known, if the stock matters to several of those who follow, one after the other.
    """
    players = game["players"]
    seat = game["player"]
    pools = search.outcome_pools
    start = search.cubes[_START]
    left = search.cubes[_LEFT]
    pool_of(game, seat, start)
    search.counts[0] += spread_pools(pools, game, seat, start, game["stock"])
    chosen = 0
    for total in range(N_CUBES + 1):
        cell = pools.head[total]
        while cell >= 0:
            read_pool(pools, cell)
            for good in range(N_GOODS):
                left[good] = start[good] + game["stock"][good] - pools.pool[good]
            kept = finish(pools, game, seat)
            if kept != CANNOT_FINISH:
                turn = game["loaded"] + 1
                if stock_matters(search, game, turn, left):
                    return False
                option = search.pair[min(chosen, 1)]
                write_end(search, game, option)
                option[seat] += kept + coin_worth(game, seat) * pools.coins[cell]
                add_gains(search, game, turn, left, option)
                write_aims(option, players)
                if chosen > 0:
                    choose(search.pair, 2, players, seat, worth)
                    copy_numbers(search.pair[0], worth)
                chosen += 1
            cell = pools.after[cell]
    copy_numbers(worth, search.pair[0])
    return True


@jit_inlined
def stock_matters(search: Search, game: np.void, turn: int, stock: np.ndarray) -> bool:
    """Whether what some seats gain can depend on what those before them do to the stock.

    Args:
        search: Its memory.
        game: A state in loading.
        turn: How many seats are done.
        stock: Cubes of each good in the stock when the next seat begins.
    """
    pool = search.cubes[_POOL]
    least = search.cubes[_LEAST]
    most = search.cubes[_MOST]
    copy_numbers(least, stock)
    copy_numbers(most, stock)
    for following in range(turn, game["players"]):
        seat = seat_at(game, following)
        size = pool_of(game, seat, pool)
        if (
            following > turn
            and conversions(size) > 0
            and gain_of(search, game, seat, least) != gain_of(search, game, seat, most)
        ):
            return True
        pool_of(game, seat, pool)
        for good in range(N_GOODS):
            least[good] = max(0, least[good] - conversions(size))
            most[good] += pool[good]
    return False


@jit_inlined
def add_gains(search: Search, game: np.void, turn: int, stock: np.ndarray, worth: np.ndarray) -> None:
    """Add what the seats from a turn on gain with a stock that makes no difference to them."""
    for following in range(turn, game["players"]):
        seat = seat_at(game, following)
        worth[seat] += gain_of(search, game, seat, stock)


@jit
def gain_of(search: Search, game: np.void, seat: int, stock: np.ndarray) -> int:
    """The most that a seat can add to its ranking key in loading, with a stock."""
    pool = search.cubes[_POOL]
    size = pool_of(game, seat, pool)
    if size == 0:
        return 0
    key = search.keys[0]
    write_gain_key(key, game, seat, pool, stock, conversions(size))
    slot = find(search.gains, key)
    if search.gains.keys[slot, 0] != 0:
        return search.gains.values[slot, 0]
    search.counts[0] += spread_pools(search.gain_pools, game, seat, pool, stock)
    gain = best_gain(search.gain_pools, game, seat)
    if has_room(search.gains):
        search.gain[0] = gain
        put(search.gains, slot, key, search.gain)
    else:
        search.counts[2] = 1
    return gain


@jit_inlined
def write_end(search: Search, game: np.void, worth: np.ndarray) -> None:
    """Write the ranking keys with which the game ends if no seat that is still to load gets anything for its cubes."""
    search.end[0] = game
    end = search.end[0]
    for following in range(game["loaded"], game["players"]):
        seat = seat_at(game, following)
        for good in range(N_GOODS):
            end["cubes"][seat, good] = 0
            end["aboard"][seat, good] = 0
    income(end)
    begin_round(end)
    for seat in range(game["players"]):
        worth[seat] = ranking_key(end, seat)


@jit
def seat_at(game: np.void, turn: int) -> int:
    """The seat that loads after so many others."""
    seat: int = (game["first_player"] + turn) % game["players"]
    return seat


@jit
def pool_of(game: np.void, seat: int, pool: np.ndarray) -> int:
    """Write the cubes that a seat has or is about to unload; returns how many there are."""
    size = 0
    for good in range(N_GOODS):
        pool[good] = game["cubes"][seat, good] + game["aboard"][seat, good]
        size += pool[good]
    return size


@jit
def copy_numbers(target: np.ndarray, source: np.ndarray) -> None:
    """Copy a row of numbers."""
    for number in range(target.shape[0]):
        target[number] = source[number]
