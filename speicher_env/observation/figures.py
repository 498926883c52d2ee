"""Figures: what a player works out from the table before a decision, as numbers that may follow an observation.

A bid depends on products and comparisons of what an observation shows: how many cubes of a ship's cargo one's contracts
lack, what a fireman does to the lead. Dense layers learn such things slowly. The figures are written from the state of
the game, but everything in them follows from the observation. No strategy is in them: no prices, no values, no advice.

Seats are counted from the one that looks, as in the observation. With room for more seats than there are players, a
seat that is not there has no cards, no cubes and no workers.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np

from speicher_env._jit import jit
from speicher_env._machine import stack_like
from speicher_env.observation.encode import clear, put, put_shifted, turned
from speicher_env.observation.pieces import (
    CARGO_SCALE,
    FIRE_SCALE,
    FIREMAN_SCALE,
    FIREMEN_SCALE,
    NEED_SCALE,
    OFFICES_SCALE,
    POINTS_SCALE,
    POINTS_SHIFT,
    TRADE_KINDS,
)
from speicher_env.rules.cards import (
    CONTRACT,
    COUNTING_OFFICE,
    CUBES_PER_SHIP,
    FIRE_1,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    MAX_CONTRACT_SIZE,
    MERCHANT_1,
    N_CONTRACTS,
    N_FIRES,
    N_GOODS,
    SHIP,
)
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import EMPTY, IN_PILE, MAX_PLAYERS, SPACES

__all__ = ["FIGURES", "FIGURES_VERSION", "Figure", "figure_places", "figure_ranges", "figures_size", "write_figures"]

FIGURES_VERSION = 1
"""Changes whenever the meaning or the place of any figure changes. Cards of networks carry it and refuse another."""

PURSE_SCALE = 8
"""Coins to spare or short that are written as 1 or -1; more make no difference."""
LEAD_SCALE = 8
"""Lead in firemen that is written as 1."""


class Figure(NamedTuple):
    """One group of figures."""

    name: str
    axes: tuple[str, ...]
    meaning: str
    scale: int = 1
    """The whole number that is written as 1."""
    lowest: int = 0
    """The least whole number; a row of uint8 holds the number minus this."""
    highest: int = 1
    """The greatest whole number."""


_MOST_NEEDED = N_CONTRACTS * MAX_CONTRACT_SIZE
FIGURES = (
    Figure("need", ("seats", "goods"), "cubes that all contracts of the seat still need", NEED_SCALE, 0, _MOST_NEEDED),
    Figure(
        "lack", ("seats", "goods"), "cubes that they need beyond those the seat has or has on its ships",
        NEED_SCALE, 0, _MOST_NEEDED,
    ),
    Figure(
        "lead", ("seats",), "firemen's values more than the best other seat",
        LEAD_SCALE, -FIREMEN_SCALE, FIREMEN_SCALE,
    ),
    Figure(
        "lead_low", ("seats",), "firemen's values more than the worst other seat",
        LEAD_SCALE, -FIREMEN_SCALE, FIREMEN_SCALE,
    ),
    Figure(
        "points_lead", ("seats",), "points, were the game to end now, more than the best other seat",
        POINTS_SCALE, -POINTS_SCALE, POINTS_SCALE,
    ),
    Figure("next_fire", (), "value of the next fire", FIRE_SCALE, 0, FIRE_SCALE),
    Figure(
        "ship_useful", ("columns", "seats"), "cubes of the cargo that the seat's contracts lack",
        CARGO_SCALE, 0, CUBES_PER_SHIP,
    ),
    Figure(
        "ship_sold", ("columns", "seats"), "cubes of the cargo that the seat's merchants buy",
        CARGO_SCALE, 0, CUBES_PER_SHIP,
    ),
    Figure(
        "contract_held", ("columns", "seats"), "cubes the contract asks for that the seat has to spare",
        NEED_SCALE, 0, MAX_CONTRACT_SIZE,
    ),
    Figure(
        "office_step", ("columns", "seats"), "counting offices of the seat with this one, if the card is one",
        OFFICES_SCALE, 0, OFFICES_SCALE,
    ),
    Figure(
        "fireman_lead", ("columns", "seats"), "the seat's lead in firemen with this one, if the card is one",
        LEAD_SCALE, -FIREMEN_SCALE, FIREMEN_SCALE + FIREMAN_SCALE,
    ),
    Figure(
        "asked", ("columns", "seats"), "the price at which the seat's lowest worker is asked, if all before it pass",
        SPACES, 0, SPACES,
    ),
    Figure(
        "purse", ("columns", "seats"), "coins that the seat has beyond that price, or too few",
        PURSE_SCALE, -PURSE_SCALE, PURSE_SCALE,
    ),
    Figure(
        "ship_for", ("columns", "contracts"), "cubes of the cargo that this contract of one's own needs",
        CARGO_SCALE, 0, CUBES_PER_SHIP,
    ),
    Figure(
        "deliverable", ("contracts", "goods"), "cubes at hand that this contract of one's own needs",
        NEED_SCALE, 0, MAX_CONTRACT_SIZE,
    ),
    Figure("completable", ("contracts",), "1 if the cubes at hand complete this contract of one's own"),
    Figure("offered", ("card",), "the card on offer: kind, value, price, goods, cargo"),
    Figure("offered_to", ("column_figures", "seats"), "the figures by column and seat for the card on offer"),
)  # fmt: skip
"""All groups in their order. The scales of `offered` are those of its pieces, of `offered_to` those of its figures."""

_PER_COLUMN_AND_SEAT = tuple(figure for figure in FIGURES if figure.axes == ("columns", "seats"))
_OFFERED_SCALES = (
    *[1] * len(TRADE_KINDS), FIREMAN_SCALE, SPACES, *[NEED_SCALE] * N_GOODS, *[CARGO_SCALE] * N_GOODS,
)  # fmt: skip
"""Kind, value, price, goods asked for, cargo."""
_OFFERED = len(_OFFERED_SCALES)


def _axis(axis: str, seats: int) -> int:
    sizes = {
        "seats": seats, "columns": seats + 1, "goods": N_GOODS, "contracts": N_CONTRACTS, "card": _OFFERED,
        "column_figures": len(_PER_COLUMN_AND_SEAT),
    }  # fmt: skip
    return sizes[axis]


def figure_places(seats: int) -> dict[str, np.ndarray]:
    """The indices of each group after the observation, in the group's shape."""
    places: dict[str, np.ndarray] = {}
    start = 0
    for figure in FIGURES:
        shape = tuple(_axis(axis, seats) for axis in figure.axes)
        places[figure.name] = start + np.arange(prod(shape)).reshape(shape)
        start += prod(shape)
    return places


@cache
def figures_size(seats: int) -> int:
    """How many figures there are with `seats` seats in view."""
    return sum(array.size for array in figure_places(seats).values())


class Ranges(NamedTuple):
    """What each place holds: whole numbers, and which of them is written as 1."""

    scale: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


def figure_ranges(seats: int) -> Ranges:
    """The scale, the least and the greatest whole number of every figure."""
    scale, lowest, highest = (np.zeros(figures_size(seats), dtype=np.int64) for _ in range(3))
    for figure, places in zip(FIGURES, figure_places(seats).values(), strict=True):
        scale[places], lowest[places], highest[places] = figure.scale, figure.lowest, figure.highest
        if figure.name == "offered":
            scale[places] = highest[places] = _OFFERED_SCALES
        elif figure.name == "offered_to":
            for of_figure, repeated in zip(places, _PER_COLUMN_AND_SEAT, strict=True):
                scale[of_figure] = repeated.scale
                lowest[of_figure], highest[of_figure] = repeated.lowest, repeated.highest
    return Ranges(scale, lowest, highest)


# The compiled writer

_LOWEST = {figure.name: figure.lowest for figure in FIGURES}
_LEAD_SHIFT, _POINTS_LEAD_SHIFT, _PURSE_SHIFT = -_LOWEST["lead"], -_LOWEST["points_lead"], -_LOWEST["purse"]
_N_COLUMN_FIGURES = len(_PER_COLUMN_AND_SEAT)
(
    _SHIP_USEFUL, _SHIP_SOLD, _CONTRACT_HELD, _OFFICE_STEP, _FIREMAN_LEAD, _ASKED, _PURSE,
) = range(_N_COLUMN_FIGURES)  # fmt: skip
_N_TRADE_KINDS = len(TRADE_KINDS)
_ONE = np.float32(1)
_PER_NEED, _PER_CARGO, _PER_LEAD = np.float32(1 / NEED_SCALE), np.float32(1 / CARGO_SCALE), np.float32(1 / LEAD_SCALE)
_PER_POINT, _PER_FIRE, _PER_FIREMAN = (np.float32(1 / scale) for scale in (POINTS_SCALE, FIRE_SCALE, FIREMAN_SCALE))
_PER_OFFICE, _PER_SPACE, _PER_COIN = (np.float32(1 / scale) for scale in (OFFICES_SCALE, SPACES, PURSE_SCALE))
_ROOM = MAX_PLAYERS * N_GOODS


@jit
def write_figures(game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write all figures of a seat; `seats` is the number of players, or 5 when padded."""
    players = int(game["players"])
    column_figures = 2 * seats * N_GOODS + 3 * seats + 1
    group = (seats + 1) * seats
    ship_for = column_figures + _N_COLUMN_FIGURES * group
    own_contracts = ship_for + (seats + 1) * N_CONTRACTS
    offered = own_contracts + N_CONTRACTS * (N_GOODS + 1)
    clear(row, 0, row.size)
    for place in range(group):
        put_shifted(row, column_figures + _FIREMAN_LEAD * group + place, 0, _LEAD_SHIFT, _PER_LEAD)
        put_shifted(row, column_figures + _PURSE * group + place, 0, _PURSE_SHIFT, _PER_COIN)
    lack = stack_like(game["standing"], _ROOM)
    spare = stack_like(game["standing"], _ROOM)
    lead = stack_like(game["coins"], MAX_PLAYERS)
    compare_cubes(game, viewer, seats, row, lack, spare)
    compare_seats(game, viewer, seats, row, lead)
    look_at_own_contracts(game, viewer, row, own_contracts)
    for column in range(players + 1):
        card = int(game["card"][column])
        if card == EMPTY:
            continue
        start = column_figures + column * seats
        kind = int(KIND_OF[card])
        if kind == SHIP:
            look_at_ship(game, viewer, seats, column, row, start, ship_for + column * N_CONTRACTS, lack)
        elif kind == FIREMAN:
            value = int(game["fireman_value"][card - FIREMAN_1])
            for place in range(seats):
                put_shifted(row, start + _FIREMAN_LEAD * group + place, lead[place] + value, _LEAD_SHIFT, _PER_LEAD)
        elif kind == COUNTING_OFFICE:
            for place in range(seats):
                offices = int(game["offices"][seat_at(place, viewer, players)]) if place < players else 0
                put(row, start + _OFFICE_STEP * group + place, offices + 1, _PER_OFFICE)
        elif kind == CONTRACT:
            for place in range(seats):
                held = 0
                for good in range(N_GOODS):
                    held += min(int(game["missing"][card, good]), int(spare[place * N_GOODS + good]))
                put(row, start + _CONTRACT_HELD * group + place, held, _PER_NEED)
        look_at_queue(game, viewer, column, row, start + _ASKED * group, start + _PURSE * group)
    repeat_offer(game, seats, row, column_figures, offered)


@jit
def seat_at(place: int, viewer: int, players: int) -> int:
    """The seat at a place counted from the viewer, clockwise."""
    seat = viewer + place
    return int(seat - players if seat >= players else seat)


@jit
def compare_cubes(game: np.void, viewer: int, seats: int, row: np.ndarray, lack: np.ndarray, spare: np.ndarray) -> None:
    """Cubes that the contracts of each seat need, lack and leave to spare; all start as what they need."""
    players = int(game["players"])
    for index in range(seats * N_GOODS):
        lack[index] = 0
    for contract in range(N_CONTRACTS):
        owner = game["owner"][contract]
        if owner >= 0:
            start = turned(owner, viewer, players) * N_GOODS
            for good in range(N_GOODS):
                lack[start + good] += game["missing"][contract, good]
    for place in range(seats):
        for good in range(N_GOODS):
            index = place * N_GOODS + good
            needed = int(lack[index])
            has = 0
            if place < players:
                seat = seat_at(place, viewer, players)
                has = int(game["cubes"][seat, good]) + int(game["aboard"][seat, good])
            lack[index] = max(needed - has, 0)
            spare[index] = max(has - needed, 0)
            put(row, index, needed, _PER_NEED)
            put(row, seats * N_GOODS + index, lack[index], _PER_NEED)


@jit
def compare_seats(game: np.void, viewer: int, seats: int, row: np.ndarray, lead: np.ndarray) -> None:
    """Leads in firemen and points, and the next fire."""
    players = int(game["players"])
    firemen = stack_like(game["coins"], MAX_PLAYERS)
    points = stack_like(game["coins"], MAX_PLAYERS)
    for place in range(seats):
        firemen[place] = points[place] = 0
        if place < players:
            seat = seat_at(place, viewer, players)
            firemen[place] = min(int(game["firemen"][seat]), FIREMEN_SCALE)
            points[place] = min(max(points_of(game, seat) + POINTS_SHIFT, 0), POINTS_SCALE)
    start = 2 * seats * N_GOODS
    for place in range(seats):
        best, worst, most_points = 0, FIREMEN_SCALE, 0
        for other in range(seats):
            if other != place:
                best = max(best, int(firemen[other]))
                worst = min(worst, int(firemen[other]))
                most_points = max(most_points, int(points[other]))
        lead[place] = firemen[place] - best
        put_shifted(row, start + place, lead[place], _LEAD_SHIFT, _PER_LEAD)
        put_shifted(row, start + seats + place, firemen[place] - worst, _LEAD_SHIFT, _PER_LEAD)
        put_shifted(row, start + 2 * seats + place, points[place] - most_points, _POINTS_LEAD_SHIFT, _PER_POINT)
    for fire in range(N_FIRES):
        if game["owner"][FIRE_1 + fire] == IN_PILE:
            put(row, start + 3 * seats, game["fire_value"][fire], _PER_FIRE)
            break


@jit
def look_at_own_contracts(game: np.void, viewer: int, row: np.ndarray, start: int) -> None:
    """What the cubes at hand do for the viewer's contracts."""
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] != viewer:
            continue
        missing, given = 0, 0
        for good in range(N_GOODS):
            missing_here = int(game["missing"][contract, good])
            given_here = min(missing_here, int(game["cubes"][viewer, good]))
            put(row, start + contract * N_GOODS + good, given_here, _PER_NEED)
            missing += missing_here
            given += given_here
        if missing > 0 and given == missing:
            row[start + N_CONTRACTS * N_GOODS + contract] = _ONE


@jit
def look_at_ship(
    game: np.void, viewer: int, seats: int, column: int, row: np.ndarray, start: int, ship_for: int, lack: np.ndarray
) -> None:
    """What the cargo of a ship is to each seat, and to each of the viewer's contracts."""
    players = int(game["players"])
    group = (seats + 1) * seats
    cargo = stack_like(game["standing"], N_GOODS)
    for good in range(N_GOODS):
        cargo[good] = 0
    for cube in range(CUBES_PER_SHIP):
        cargo[int(game["cargo"][column, cube])] += 1
    for place in range(seats):
        useful, sold = 0, 0
        seat = seat_at(place, viewer, players) if place < players else EMPTY
        for good in range(N_GOODS):
            useful += min(int(cargo[good]), int(lack[place * N_GOODS + good]))
            if seat != EMPTY and game["owner"][MERCHANT_1 + good] == seat:
                sold += int(cargo[good])
        put(row, start + _SHIP_USEFUL * group + place, useful, _PER_CARGO)
        put(row, start + _SHIP_SOLD * group + place, sold, _PER_CARGO)
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == viewer:
            fits = 0
            for good in range(N_GOODS):
                fits += min(int(cargo[good]), int(game["missing"][contract, good]))
            put(row, ship_for + contract, fits, _PER_CARGO)


@jit
def look_at_queue(game: np.void, viewer: int, column: int, row: np.ndarray, asked: int, purse: int) -> None:
    """At which price each seat is asked, and the coins it has beyond that."""
    players = int(game["players"])
    standing = int(game["standing"][column])
    seen = 0
    for space in range(standing):
        seat = int(game["queue"][column, space])
        if not seen & (1 << seat):
            seen |= 1 << seat
            place = turned(seat, viewer, players)
            price = standing - space
            left = min(max(int(game["coins"][seat]) - price, -PURSE_SCALE), PURSE_SCALE)
            put(row, asked + place, price, _PER_SPACE)
            put_shifted(row, purse + place, left, _PURSE_SHIFT, _PER_COIN)


@jit
def repeat_offer(game: np.void, seats: int, row: np.ndarray, column_figures: int, offered: int) -> None:
    """The card on offer always in the same place, whichever column it lies in."""
    group = (seats + 1) * seats
    offered_to = offered + _OFFERED
    column = int(game["offer"])
    if column == EMPTY:
        for seat in range(seats):
            put_shifted(row, offered_to + _FIREMAN_LEAD * seats + seat, 0, _LEAD_SHIFT, _PER_LEAD)
            put_shifted(row, offered_to + _PURSE * seats + seat, 0, _PURSE_SHIFT, _PER_COIN)
        return
    card = int(game["card"][column])
    kind = int(KIND_OF[card])
    row[offered + kind] = _ONE
    value = offered + _N_TRADE_KINDS
    goods = value + 2
    put(row, value + 1, game["standing"][column], _PER_SPACE)
    if kind == FIREMAN:
        put(row, value, game["fireman_value"][card - FIREMAN_1], _PER_FIREMAN)
    elif kind == CONTRACT:
        for good in range(N_GOODS):
            put(row, goods + good, game["missing"][card, good], _PER_NEED)
    elif kind == SHIP:
        cargo = goods + N_GOODS
        for cube in range(CUBES_PER_SHIP):
            row[cargo + int(game["cargo"][column, cube])] += _ONE
        for good in range(N_GOODS):
            put(row, cargo + good, row[cargo + good], _PER_CARGO)
    for number in range(_N_COLUMN_FIGURES):
        for seat in range(seats):
            row[offered_to + number * seats + seat] = row[column_figures + number * group + column * seats + seat]
