"""The encoder for games that go on: only what the moves since have changed is written again.

Beside each row lies a small record of what the row shows. What the record does not hold follows from the rules: a
seat's amounts, for example, change only when it buys, while it loads, and at income.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env._machine import move_values, stack_like
from speicher_env.observation.encode import (
    _BUILDING_OF,
    _BUILDINGS,
    _CONTRACTS,
    _DECIDES,
    _FIRST_PLAYER,
    _ONE,
    _QUEUE,
    _ZERO,
    offer_place,
    reveal,
    seat_start,
    seat_width,
    turned,
    write_card,
    write_contract,
    write_hand,
    write_holdings,
    write_missing,
    write_observation,
    write_phase,
    write_price,
    write_stock,
)
from speicher_env.observation.pieces import SEAT, blocks
from speicher_env.rules.cards import KIND_OF, N_CONTRACTS, SHIP
from speicher_env.rules.state import DEMAND, EMPTY, LOADING, MAX_COLUMNS, MAX_PLAYERS, PURCHASE, SPACES

__all__ = ["SHOWN", "refresh_observation"]

SHOWN = np.dtype(
    [
        ("round", np.int8),  # 0 while the row shows no game
        ("viewer", np.int8),  # seat that the row is shown to
        # As in the state.
        ("phase", np.int8),
        ("player", np.int8),
        ("first_player", np.int8),
        ("offer", np.int8),
        ("loaded", np.int8),
        ("pile_next", np.int8),
        ("bag_next", np.int8),
        ("card", np.int8, (MAX_COLUMNS,)),
        ("standing", np.int8, (MAX_COLUMNS,)),
        ("bought", np.int8, (MAX_PLAYERS,)),
        ("short_mask", np.bool_),  # whether only the first 8 bytes of the mask beside the row may be other than 0
    ]
)
"""What is kept of the state that a row shows. All zeros: it shows none. Small, as it is read and written every time."""

_SEAT_BLOCK = blocks(MAX_PLAYERS)[SEAT]
_LARGEST_TURN = _SEAT_BLOCK.width * (_SEAT_BLOCK.items - 1)


@jit
def refresh_observation(game: np.void, viewer: int, shown: np.void, seats: int, row: np.ndarray) -> None:
    """`write_observation` into a row that shows this game as `shown` tells: at an earlier decision, to any seat.

    A row that shows no game is written whole, and so is one that shows it too far back.
    """
    rounds = game["round"] - shown["round"]
    # Cards laid out since then must all lie there still: what was bought in between would be missed.
    if shown["round"] == 0 or rounds > 1 or (rounds == 1 and game["phase"] != DEMAND):
        write_observation(game, viewer, seats, row)
    else:
        first = seat_start(seats)
        width = seat_width(seats)
        players = int(game["players"])
        if viewer != shown["viewer"]:
            turn_seats(row, first, first + players * width, turned(viewer, shown["viewer"], players) * width)
        # From here on every seat is where the viewer sees it.
        if shown["player"] != EMPTY:
            row[first + turned(shown["player"], viewer, players) * width + _DECIDES] = _ZERO
        if game["player"] != EMPTY:
            row[first + turned(game["player"], viewer, players) * width + _DECIDES] = _ONE
        if rounds == 0 and game["phase"] == DEMAND:
            add_workers(game, viewer, shown, row, first, width)
        elif rounds == 0 and game["phase"] == PURCHASE:
            refresh_purchase(game, viewer, shown, row, first, width)
        elif rounds == 0 and game["phase"] == LOADING and shown["phase"] == LOADING:
            refresh_loading(game, viewer, shown, row, first, width)
        else:
            refresh_all(game, viewer, shown, row, first, width)
    remember(game, viewer, shown)


@jit
def remember(game: np.void, viewer: int, shown: np.void) -> None:
    """The row now shows the game to this seat."""
    shown["round"] = game["round"]
    shown["viewer"] = viewer
    shown["phase"] = game["phase"]
    shown["player"] = game["player"]
    shown["first_player"] = game["first_player"]
    shown["offer"] = game["offer"]
    shown["loaded"] = game["loaded"]
    shown["pile_next"] = game["pile_next"]
    shown["bag_next"] = game["bag_next"]
    for column in range(MAX_COLUMNS):
        shown["card"][column] = game["card"][column]
        shown["standing"][column] = game["standing"][column]
    for seat in range(MAX_PLAYERS):
        shown["bought"][seat] = game["bought"][seat]


@jit
def turn_seats(row: np.ndarray, start: int, stop: int, by: int) -> None:
    """Turn row[start:stop] so that it begins `by` values later.

    In place, since each further array would cost as much as the row in memory to be reached. Most decisions come with
    another viewer than the last, so this is the greatest part of the work, and it goes in three long copies.
    """
    front = stack_like(row, _LARGEST_TURN)[:by]
    move_values(row[start : start + by], front)
    move_values(row[start + by : stop], row[start : stop - by])
    move_values(front, row[stop - by : stop])


@jit
def add_workers(game: np.void, viewer: int, shown: np.void, row: np.ndarray, first: int, width: int) -> None:
    """Workers that came above the cards. Within one demand nothing else happens."""
    players = game["players"]
    for column in range(players + 1):
        if game["standing"][column] != shown["standing"][column]:
            for space in range(shown["standing"][column], game["standing"][column]):
                seat = game["queue"][column, space]
                start = first + turned(seat, viewer, players) * width
                row[start + _QUEUE + column * SPACES + space] = _ONE
                write_hand(game, seat, row, start)
            write_price(game, column, row)


@jit
def refresh_purchase(game: np.void, viewer: int, shown: np.void, row: np.ndarray, first: int, width: int) -> None:
    """From a decision in demand or purchase to a later one in purchase, of the same round."""
    players = game["players"]
    column = int(shown["offer"])
    if shown["phase"] == DEMAND:
        write_phase(game, row)
        add_workers(game, viewer, shown, row, first, width)
        column = 0
    else:
        row[offer_place(column)] = _ZERO
    row[offer_place(game["offer"])] = _ONE
    while column <= game["offer"]:
        write_queue(game, viewer, column, row, first, width)
        if game["card"][column] != shown["card"][column]:
            write_card(game, column, row)
            take_away(game, viewer, shown["card"][column], row, first, width)
        column += 1
    for seat in range(players):
        start = first + turned(seat, viewer, players) * width
        write_hand(game, seat, row, start)
        if game["bought"][seat] != shown["bought"][seat]:
            write_holdings(game, seat, row, start)


@jit
def refresh_loading(game: np.void, viewer: int, shown: np.void, row: np.ndarray, first: int, width: int) -> None:
    """From a decision in loading to a later one of the same round: the seats whose loading it was or has become."""
    players = game["players"]
    write_stock(game, row)
    for loaded in range(shown["loaded"], game["loaded"] + 1):
        seat = game["first_player"] + loaded
        if seat >= players:
            seat -= players
        write_holdings(game, seat, row, first + turned(seat, viewer, players) * width)
        for contract in range(N_CONTRACTS):
            if game["owner"][contract] == seat:
                write_missing(game, contract, row)


@jit
def refresh_all(game: np.void, viewer: int, shown: np.void, row: np.ndarray, first: int, width: int) -> None:
    """To the first decision seen in loading, from there to the next round, or to the end."""
    players = game["players"]
    write_phase(game, row)
    write_stock(game, row)
    reveal(game, shown["pile_next"], shown["bag_next"], row)
    row[first + turned(shown["first_player"], viewer, players) * width + _FIRST_PLAYER] = _ZERO
    row[first + turned(game["first_player"], viewer, players) * width + _FIRST_PLAYER] = _ONE
    for column in range(players + 1):
        card = game["card"][column]
        if card != shown["card"][column]:
            write_card(game, column, row)
            if card != EMPTY and card < N_CONTRACTS:
                write_contract(game, card, row)
            if shown["card"][column] != EMPTY:
                take_away(game, viewer, shown["card"][column], row, first, width)
        write_queue(game, viewer, column, row, first, width)
        row[offer_place(column)] = _ONE if game["offer"] == column else _ZERO
    for seat in range(players):
        start = first + turned(seat, viewer, players) * width
        write_hand(game, seat, row, start)
        write_holdings(game, seat, row, start)
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] >= 0:
            write_missing(game, contract, row)


@jit
def write_queue(game: np.void, viewer: int, column: int, row: np.ndarray, first: int, width: int) -> None:
    """The workers above a card and its price, whoever stood there before."""
    players = game["players"]
    place = first + _QUEUE + column * SPACES
    for seat in range(players):
        spaces = row[place + seat * width : place + seat * width + SPACES]
        for space in range(SPACES):  # a constant, so that this compiles to one store of eight zeros
            spaces[space] = _ZERO
    for space in range(game["standing"][column]):
        row[place + turned(game["queue"][column, space], viewer, players) * width + space] = _ONE
    write_price(game, column, row)


@jit
def take_away(game: np.void, viewer: int, card: int, row: np.ndarray, first: int, width: int) -> None:
    """A card that left the table, bought or discarded."""
    owner = game["owner"][card]
    if card < N_CONTRACTS:
        write_contract(game, card, row)
    if owner >= 0:
        start = first + turned(owner, viewer, game["players"]) * width
        if card < N_CONTRACTS:
            row[start + _CONTRACTS + int(card)] = _ONE
        elif _BUILDING_OF[card] >= 0:
            row[start + _BUILDINGS + int(_BUILDING_OF[card])] = _ONE
    elif KIND_OF[card] == SHIP:
        write_stock(game, row)
