"""The encoder for games that go on: only what a move changed is written again.

Beside each row lies a picture of the seats in absolute order, seat 0 first, kept up to date move by move. Showing the
game to another seat is then a copy of it in two parts.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.observation.encode import (
    _BUILDING_OF,
    _BUILDINGS,
    _CONTRACTS,
    _ONE,
    _QUEUE,
    _ZERO,
    seat_start,
    seat_width,
    write_card,
    write_contract,
    write_holdings,
    write_moment,
    write_observation,
    write_price,
    write_seats,
    write_supply,
    write_turn,
)
from speicher_env.rules.cards import N_CONTRACTS, N_GOODS
from speicher_env.rules.state import DEMAND, EMPTY, LOADING, SPACES


@jit
def refresh_observation(
    game: np.void, viewer: int, shown: np.void, showing: bool, seats: int, row: np.ndarray, picture: np.ndarray
) -> None:
    """`write_observation` into a row that still shows the state `shown`, an earlier one of the same game, to any seat.

    `picture` has room for the seat block and belongs to the row. A row that is not `showing` this game is written
    whole, and so is one from before the last supply if cards of that supply may have been sold already.
    """
    rounds = game["round"] - shown["round"]
    if not showing or rounds > 1 or (rounds == 1 and game["phase"] != DEMAND):
        write_observation(game, viewer, seats, row)
        write_seats(game, 0, seats, picture, 0)
        return
    width = seat_width(seats)
    if game["phase"] == DEMAND and shown["phase"] == DEMAND and game["pile_next"] == shown["pile_next"]:
        refresh_demand(game, shown, width, row, picture)
    else:
        refresh_all(game, shown, width, row, picture)
    for seat in range(game["players"]):
        write_turn(game, seat, picture, seat * width)
    turn_picture(picture, viewer * width, game["players"] * width, row, seat_start(seats))


@jit
def refresh_demand(game: np.void, shown: np.void, width: int, row: np.ndarray, picture: np.ndarray) -> None:
    """Within one demand workers come and nothing else happens."""
    for column in range(game["players"] + 1):
        place = _QUEUE + column * SPACES
        for space in range(shown["standing"][column], game["standing"][column]):
            picture[game["queue"][column, space] * width + place + space] = _ONE
        write_price(game, column, row)


@jit
def refresh_all(game: np.void, shown: np.void, width: int, row: np.ndarray, picture: np.ndarray) -> None:
    """Whatever can have happened between two decisions of one seat: never more than one supply."""
    players = game["players"]
    write_moment(game, row)
    if game["pile_next"] != shown["pile_next"]:
        write_supply(game, row)
    for column in range(players + 1):
        move_workers(game, shown, column, width, picture)
        if game["card"][column] != shown["card"][column]:
            write_card(game, column, row)
            move_card(game, shown["card"][column], width, row, picture)
            move_card(game, game["card"][column], width, row, picture)
    if shown["phase"] == LOADING or game["phase"] >= LOADING or game["round"] != shown["round"]:
        for contract in range(N_CONTRACTS):
            if game["owner"][contract] >= 0:
                write_contract(game, contract, row)
    for seat in range(players):
        if holdings_differ(game, shown, seat):
            write_holdings(game, seat, picture, seat * width)


@jit
def move_workers(game: np.void, shown: np.void, column: int, width: int, picture: np.ndarray) -> None:
    """Workers above a card that came or went."""
    place = _QUEUE + column * SPACES
    for space in range(max(game["standing"][column], shown["standing"][column])):
        now = game["queue"][column, space]
        before = shown["queue"][column, space]
        if before >= 0:
            picture[before * width + place + space] = _ZERO
        if now >= 0:
            picture[now * width + place + space] = _ONE


@jit
def move_card(game: np.void, card: int, width: int, row: np.ndarray, picture: np.ndarray) -> None:
    """A card that came to the table, was discarded or was bought."""
    if card == EMPTY:
        return
    owner = game["owner"][card]
    if card < N_CONTRACTS:
        write_contract(game, card, row)
        if owner >= 0:
            picture[owner * width + _CONTRACTS + card] = _ONE
    elif _BUILDING_OF[card] >= 0 and owner >= 0:
        picture[owner * width + _BUILDINGS + _BUILDING_OF[card]] = _ONE
        write_holdings(game, owner, picture, owner * width)  # it may be worth points by itself


@jit
def holdings_differ(game: np.void, shown: np.void, seat: int) -> bool:
    """Whether anything that `write_holdings` shows has changed; points follow from the rest or from a bought card."""
    differ = game["coins"][seat] ^ shown["coins"][seat]
    differ |= game["bought"][seat] ^ shown["bought"][seat]
    differ |= game["firemen"][seat] ^ shown["firemen"][seat]
    differ |= game["offices"][seat] ^ shown["offices"][seat]
    differ |= game["ships"][seat] ^ shown["ships"][seat]
    differ |= game["fire_points"][seat] ^ shown["fire_points"][seat]
    differ |= game["contract_points"][seat] ^ shown["contract_points"][seat]
    for good in range(N_GOODS):
        differ |= game["cubes"][seat, good] ^ shown["cubes"][seat, good]
        differ |= game["aboard"][seat, good] ^ shown["aboard"][seat, good]
    return bool(differ != 0)


@jit
def turn_picture(picture: np.ndarray, own: int, stop: int, row: np.ndarray, first: int) -> None:
    """Copy the picture into the row's seat block, beginning with the viewer's own stretch."""
    source = picture[own:stop]
    target = row[first : first + source.size]
    for index in range(target.size):
        target[index] = source[index]
    first += source.size
    source = picture[:own]
    target = row[first : first + source.size]
    for index in range(target.size):
        target[index] = source[index]
