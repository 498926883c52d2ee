"""How the simple players place and buy: each wishes for cards so many coins strong, and stands where the wish is cheap.

The wishes are told apart by the player's code and not passed as functions: code that is handed compiled functions
cannot be kept on disk.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.codes import CONTRACTOR, FIRECHIEF, FRUGAL, SHIPPER
from speicher_agents.scripted.contractor import contractor_wish
from speicher_agents.scripted.firechief import firechief_wish
from speicher_agents.scripted.frugal import frugal_wish
from speicher_agents.scripted.shipper import shipper_wish
from speicher_agents.scripted.spoiler import spoiler_wish
from speicher_env.rules.actions import BUY, PASS, PLACE
from speicher_env.rules.legal import is_legal


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
    seat = np.int64(game["player"])
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
    seat = np.int64(game["player"])
    column = np.int64(game["offer"])
    if wish(game, code, seat, column) < game["standing"][column] or game["queue"][column, 1] == seat:
        return PASS
    return BUY
