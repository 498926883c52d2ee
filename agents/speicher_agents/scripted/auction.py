"""How the workers above the cards turn into purchases, if every seat buys and passes by what things are worth to it.

One card is a small game with full information: its workers are asked one after the other at falling prices, and each
owner compares buying now with what happens otherwise, worked out from the last worker backwards. From card to card
nobody looks further than into the purse.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.valuation import COIN_WORTH
from speicher_env.rules.income import CONSOLATION
from speicher_env.rules.state import EMPTY, MAX_COLUMNS, SPACES

# A desk, an array (DESK_ROWS, SPACES) of integers: a row for each column with the seats of its workers, lowest first;
# then a row of each of these.
STANDING = MAX_COLUMNS
"""For each column, the workers above its card."""
BUYER = STANDING + 1
"""For each column, the seat that will buy its card, EMPTY if none."""
PRICE = BUYER + 1
"""For each column, the price then."""
PURSE = PRICE + 1
"""For each seat, its coins, less the prices above."""
BOUGHT = PURSE + 1
"""For each seat, cards it has bought or will buy."""
WORKERS = BOUGHT + 1
"""For each seat, workers in hand."""
DESK_ROWS = WORKERS + 1


@jit
def lay_out(game: np.void, desk: np.ndarray) -> None:
    """Copy the table to a desk, with nothing sold yet."""
    for column in range(int(game["players"]) + 1):
        desk[STANDING, column] = game["standing"][column]
        for space in range(int(game["standing"][column])):
            desk[column, space] = game["queue"][column, space]
        desk[BUYER, column] = EMPTY
        desk[PRICE, column] = 0
    for seat in range(int(game["players"])):
        desk[PURSE, seat] = game["coins"][seat]
        desk[BOUGHT, seat] = game["bought"][seat]
        desk[WORKERS, seat] = game["workers"][seat]


@jit
def copy_desk(desk: np.ndarray, copy: np.ndarray) -> None:
    """Copy a desk onto another."""
    for row in range(DESK_ROWS):
        for place in range(SPACES):
            copy[row, place] = desk[row, place]


@jit
def gain_of(sheet: np.ndarray, desk: np.ndarray, seat: int, column: int, price: int) -> float:
    """What a seat gains if it buys a card; with the first card of a round it forgoes the coin for buying none."""
    if desk[BOUGHT, seat] == 0:
        price += CONSOLATION
    return sheet[seat, column] - sheet[seat, COIN_WORTH] * price


@jit
def regard(sheet: np.ndarray, desk: np.ndarray, seat: int, column: int, buyer: int, price: int, spite: float) -> float:
    """What a seat thinks of somebody buying a card: its own gain, or a share of the other's as a loss."""
    if buyer == EMPTY:
        return 0.0
    gain = gain_of(sheet, desk, buyer, column, price)
    return gain if buyer == seat else -spite * gain


@jit
def sell(sheet: np.ndarray, desk: np.ndarray, column: int, spite: float) -> tuple[int, int]:
    """Who buys a card, EMPTY if nobody, and at what price."""
    standing = desk[STANDING, column]
    buyer = EMPTY
    price = 0
    for space in range(standing - 1, -1, -1):
        seat = desk[column, space]
        asked = standing - space
        if asked <= desk[PURSE, seat]:
            now = gain_of(sheet, desk, seat, column, asked)
            if now > regard(sheet, desk, seat, column, buyer, price, spite):
                buyer, price = seat, asked
    return buyer, price


@jit
def note_sale(desk: np.ndarray, column: int, buyer: int, price: int) -> None:
    """Write down a sale, and take the price from the purse."""
    desk[BUYER, column] = buyer
    desk[PRICE, column] = price
    if buyer != EMPTY:
        desk[PURSE, buyer] -= price
        desk[BOUGHT, buyer] += 1


@jit
def take_back_sale(desk: np.ndarray, column: int) -> None:
    """Undo `note_sale`."""
    buyer = desk[BUYER, column]
    if buyer != EMPTY:
        desk[PURSE, buyer] += desk[PRICE, column]
        desk[BOUGHT, buyer] -= 1


@jit
def sell_from(game: np.void, sheet: np.ndarray, desk: np.ndarray, first: int, spite: float) -> None:
    """Sell the cards from a column on, left to right."""
    for column in range(first, int(game["players"]) + 1):
        if game["card"][column] != EMPTY:
            buyer, price = sell(sheet, desk, column, spite)
            note_sale(desk, column, buyer, price)


@jit
def balance(game: np.void, sheet: np.ndarray, desk: np.ndarray, seat: int, first: int, spite: float) -> float:
    """What a seat thinks of all sales from a column on."""
    total = 0.0
    for column in range(first, int(game["players"]) + 1):
        buyer = desk[BUYER, column]
        if buyer != EMPTY:
            gain = sheet[buyer, column] - sheet[buyer, COIN_WORTH] * desk[PRICE, column]
            total += gain if buyer == seat else -spite * gain
    for other in range(int(game["players"])):
        if desk[BOUGHT, other] == 0:
            gain = sheet[other, COIN_WORTH] * CONSOLATION
            total += gain if other == seat else -spite * gain
    return total


@jit
def add_worker(desk: np.ndarray, seat: int, column: int) -> None:
    """A worker on the lowest free space above a card."""
    desk[column, desk[STANDING, column]] = seat
    desk[STANDING, column] += 1
    desk[WORKERS, seat] -= 1


@jit
def remove_top_worker(desk: np.ndarray, seat: int, column: int) -> None:
    """Undo `add_worker`."""
    desk[STANDING, column] -= 1
    desk[WORKERS, seat] += 1


@jit
def best_place(game: np.void, sheet: np.ndarray, desk: np.ndarray, seat: int, spite: float) -> int:
    """The column where one more worker changes the sale of the card there most to a seat's liking."""
    best = EMPTY
    most = 0.0
    for column in range(int(game["players"]) + 1):
        if desk[STANDING, column] == SPACES:
            continue
        take_back_sale(desk, column)
        before = regard(sheet, desk, seat, column, desk[BUYER, column], desk[PRICE, column], spite)
        add_worker(desk, seat, column)
        buyer, price = sell(sheet, desk, column, spite)
        change = regard(sheet, desk, seat, column, buyer, price, spite) - before
        remove_top_worker(desk, seat, column)
        note_sale(desk, column, desk[BUYER, column], desk[PRICE, column])
        if best == EMPTY or change > most:
            best, most = column, change
    return best


@jit
def sell_again(sheet: np.ndarray, desk: np.ndarray, column: int, spite: float) -> None:
    """Work out the sale of a card anew after its workers have changed."""
    take_back_sale(desk, column)
    buyer, price = sell(sheet, desk, column, spite)
    note_sale(desk, column, buyer, price)


@jit
def let_others_reply(game: np.void, sheet: np.ndarray, desk: np.ndarray, seat: int, spite: float) -> None:
    """One worker of each other seat, clockwise from the next one, each where it seems best at that moment."""
    players = int(game["players"])
    for further in range(1, players):
        other = (seat + further) % players
        if desk[WORKERS, other] > 0:
            column = best_place(game, sheet, desk, other, spite)
            add_worker(desk, other, column)
            sell_again(sheet, desk, column, spite)
