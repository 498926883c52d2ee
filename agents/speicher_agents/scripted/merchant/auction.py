"""How the workers above the cards turn into purchases, if every seat buys and passes by what things are worth to it.

One card is a small game with full information: its workers are asked one after the other at falling prices, and each
owner compares buying now with what happens otherwise, worked out from the last worker backwards. From card to card
nobody looks further than into the purse.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_env.rules.income import CONSOLATION
from speicher_env.rules.state import EMPTY, MAX_COLUMNS, MAX_PLAYERS, SPACES

__all__ = ["DESK", "add_worker", "balance", "lay_out", "let_others_reply", "note_sale", "sell_again", "sell_from"]

DESK = np.dtype(
    [
        ("queue", np.int64, (MAX_COLUMNS, SPACES)),  # the seats of the workers above each card, lowest first
        ("standing", np.int64, (MAX_COLUMNS,)),  # how many workers those are
        ("buyer", np.int64, (MAX_COLUMNS,)),  # the seat that will buy the card, EMPTY if none
        ("price", np.int64, (MAX_COLUMNS,)),  # the price that it will pay
        ("purse", np.int64, (MAX_PLAYERS,)),  # coins of each seat, less the prices above
        ("bought", np.int64, (MAX_PLAYERS,)),  # cards that it has bought or will buy
        ("workers", np.int64, (MAX_PLAYERS,)),  # its workers in hand
    ],
    align=True,
)
"""A copy of the table on which `merchant` tries placements and sales."""


@jit
def lay_out(game: np.void, desk: np.void) -> None:
    """Copy the table to a desk, with nothing sold yet."""
    for column in range(int(game["players"]) + 1):
        desk["standing"][column] = game["standing"][column]
        for space in range(int(game["standing"][column])):
            desk["queue"][column, space] = game["queue"][column, space]
        desk["buyer"][column] = EMPTY
        desk["price"][column] = 0
    for seat in range(int(game["players"])):
        desk["purse"][seat] = game["coins"][seat]
        desk["bought"][seat] = game["bought"][seat]
        desk["workers"][seat] = game["workers"][seat]


@jit
def gain_of(sheet: np.void, desk: np.void, seat: int, column: int, price: int) -> float:
    """What a seat gains if it buys a card; with the first card of a round it forgoes the coin for buying none."""
    if desk["bought"][seat] == 0:
        price += CONSOLATION
    return sheet["worth"][seat, column] - sheet["coin"][seat] * price


@jit
def regard(sheet: np.void, desk: np.void, seat: int, column: int, buyer: int, price: int, spite: float) -> float:
    """What a seat thinks of somebody buying a card: its own gain, or a share of the other's as a loss."""
    if buyer == EMPTY:
        return 0.0
    gain = gain_of(sheet, desk, buyer, column, price)
    return gain if buyer == seat else -spite * gain


@jit
def sell(sheet: np.void, desk: np.void, column: int, spite: float) -> tuple[int, int]:
    """Who buys a card, EMPTY if nobody, and at what price."""
    standing = desk["standing"][column]
    buyer = EMPTY
    price = 0
    for space in range(standing - 1, -1, -1):
        seat = desk["queue"][column, space]
        asked = standing - space
        if asked <= desk["purse"][seat]:
            now = gain_of(sheet, desk, seat, column, asked)
            if now > regard(sheet, desk, seat, column, buyer, price, spite):
                buyer, price = seat, asked
    return buyer, price


@jit
def note_sale(desk: np.void, column: int, buyer: int, price: int) -> None:
    """Write down a sale, and take the price from the purse."""
    desk["buyer"][column] = buyer
    desk["price"][column] = price
    if buyer != EMPTY:
        desk["purse"][buyer] -= price
        desk["bought"][buyer] += 1


@jit
def take_back_sale(desk: np.void, column: int) -> None:
    """Undo `note_sale`."""
    buyer = desk["buyer"][column]
    if buyer != EMPTY:
        desk["purse"][buyer] += desk["price"][column]
        desk["bought"][buyer] -= 1


@jit
def sell_from(game: np.void, sheet: np.void, desk: np.void, first: int, spite: float) -> None:
    """Sell the cards from a column on, left to right."""
    for column in range(first, int(game["players"]) + 1):
        if game["card"][column] != EMPTY:
            buyer, price = sell(sheet, desk, column, spite)
            note_sale(desk, column, buyer, price)


@jit
def balance(game: np.void, sheet: np.void, desk: np.void, seat: int, first: int, spite: float) -> float:
    """What a seat thinks of all sales from a column on."""
    total = 0.0
    for column in range(first, int(game["players"]) + 1):
        buyer = desk["buyer"][column]
        if buyer != EMPTY:
            gain = sheet["worth"][buyer, column] - sheet["coin"][buyer] * desk["price"][column]
            total += gain if buyer == seat else -spite * gain
    for other in range(int(game["players"])):
        if desk["bought"][other] == 0:
            gain = sheet["coin"][other] * CONSOLATION
            total += gain if other == seat else -spite * gain
    return total


@jit
def add_worker(desk: np.void, seat: int, column: int) -> None:
    """A worker on the lowest free space above a card."""
    desk["queue"][column, desk["standing"][column]] = seat
    desk["standing"][column] += 1
    desk["workers"][seat] -= 1


@jit
def remove_top_worker(desk: np.void, seat: int, column: int) -> None:
    """Undo `add_worker`."""
    desk["standing"][column] -= 1
    desk["workers"][seat] += 1


@jit
def best_place(game: np.void, sheet: np.void, desk: np.void, seat: int, spite: float) -> int:
    """The column where one more worker changes the sale of the card there most to a seat's liking."""
    best = EMPTY
    most = 0.0
    for column in range(int(game["players"]) + 1):
        if desk["standing"][column] == SPACES:
            continue
        take_back_sale(desk, column)
        before = regard(sheet, desk, seat, column, desk["buyer"][column], desk["price"][column], spite)
        add_worker(desk, seat, column)
        buyer, price = sell(sheet, desk, column, spite)
        change = regard(sheet, desk, seat, column, buyer, price, spite) - before
        remove_top_worker(desk, seat, column)
        note_sale(desk, column, desk["buyer"][column], desk["price"][column])
        if best == EMPTY or change > most:
            best, most = column, change
    return best


@jit
def sell_again(sheet: np.void, desk: np.void, column: int, spite: float) -> None:
    """Work out the sale of a card again after its workers have changed."""
    take_back_sale(desk, column)
    buyer, price = sell(sheet, desk, column, spite)
    note_sale(desk, column, buyer, price)


@jit
def let_others_reply(game: np.void, sheet: np.void, desk: np.void, seat: int, spite: float) -> None:
    """One worker of each other seat, clockwise from the next one, each where it seems best at that moment."""
    players = int(game["players"])
    for further in range(1, players):
        other = (seat + further) % players
        if desk["workers"][other] > 0:
            column = best_place(game, sheet, desk, other, spite)
            add_worker(desk, other, column)
            sell_again(sheet, desk, column, spite)
