"""What a player works out from the table before a decision, added to the observation for networks that ask for it.

A bid hangs on products and comparisons of what an observation shows: a ship is worth what of its cargo one's contracts
lack, a fireman what he does to the lead. Dense layers learn such things slowly, so these figures are computed from the
observation, with nothing in them that is not in it. No strategy is in them either: no prices, no worth, no advice.
"""

from __future__ import annotations

from functools import cache
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speicher_env._jit import COMPILED, Compiler
from speicher_env.errors import ArgumentError
from speicher_env.observation.pieces import (
    CARGO_SCALE,
    COINS_SCALE,
    CUBE_SCALE,
    FIREMAN_SCALE,
    FIREMEN_SCALE,
    NEED_SCALE,
    TRADE_KINDS,
    blocks,
    observation_size,
    places,
)
from speicher_env.rules.cards import (
    COUNTING_OFFICE,
    FIREMAN,
    N_CONTRACTS,
    N_FIRES,
    N_GOODS,
)
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, SPACES

VERSION = 1
"""Changes whenever the meaning or the place of any figure changes. Cards carry it and refuse another."""

jit = Compiler(*COMPILED, Path(__file__), what="what networks read", seconds=5)

PURSE_SCALE = 8
"""Coins to spare or short that are written as 1 or -1; more make no difference."""
LEAD_SCALE = 8
"""Lead in firemen written as 1."""
OFFICE_STEP = 0.25
"""Of one counting office: the first one shows too."""
OFFERED = len(TRADE_KINDS) + 2 + 2 * N_GOODS
"""Numbers that describe a card: kind, value, price, goods asked for, cargo."""


class Figure(NamedTuple):
    """One group of figures."""

    name: str
    axes: tuple[str, ...]
    meaning: str


FIGURES = (
    Figure("need", ("seats", "goods"), "cubes that all contracts of the seat still need"),
    Figure("lack", ("seats", "goods"), "cubes that they need beyond those the seat has or has on its ships"),
    Figure("lead", ("seats",), "firemen's values more than the best other seat"),
    Figure("lead_low", ("seats",), "firemen's values more than the worst other seat"),
    Figure("points_lead", ("seats",), "points, were the game to end now, more than the best other seat"),
    Figure("next_fire", (), "value of the next fire"),
    Figure("ship_useful", ("columns", "seats"), "cubes of the cargo that the seat's contracts lack"),
    Figure("ship_sold", ("columns", "seats"), "cubes of the cargo that the seat's merchants buy"),
    Figure("contract_held", ("columns", "seats"), "cubes the contract asks for that the seat has to spare"),
    Figure("office_step", ("columns", "seats"), "counting offices of the seat with this one, if the card is one"),
    Figure("fireman_lead", ("columns", "seats"), "the seat's lead in firemen with this one, if the card is one"),
    Figure(
        "asked", ("columns", "seats"), "the price at which the seat's lowest worker is asked, if all before it pass"
    ),
    Figure("purse", ("columns", "seats"), "coins that the seat has beyond that price, or too few"),
    Figure("ship_for", ("columns", "contracts"), "cubes of the cargo that this contract of one's own needs"),
    Figure("deliverable", ("contracts", "goods"), "cubes at hand that this contract of one's own needs"),
    Figure("completable", ("contracts",), "1 if the cubes at hand complete this contract of one's own"),
    Figure("offered", ("card",), "the card on offer: kind, value, price, goods, cargo"),
    Figure("offered_to", ("column_figures", "seats"), "the figures by column and seat for the card on offer"),
)
_PER_COLUMN_AND_SEAT = tuple(figure.name for figure in FIGURES if figure.axes == ("columns", "seats"))


def _axis(axis: str, seats: int) -> int:
    sizes = {
        "seats": seats, "columns": seats + 1, "goods": N_GOODS, "contracts": N_CONTRACTS, "card": OFFERED,
        "column_figures": len(_PER_COLUMN_AND_SEAT),
    }  # fmt: skip
    return sizes[axis]


def figure_places(seats: int) -> dict[str, np.ndarray]:
    """The indices of each group behind the observation, in the group's shape."""
    found: dict[str, np.ndarray] = {}
    start = 0
    for figure in FIGURES:
        shape = tuple(_axis(axis, seats) for axis in figure.axes)
        found[figure.name] = start + np.arange(prod(shape)).reshape(shape)
        start += prod(shape)
    return found


@cache
def figures_size(seats: int) -> int:
    """How many figures there are with `seats` seats in view."""
    return sum(array.size for array in figure_places(seats).values())


@cache
def seats_of(size: int) -> int:
    """The seats in view of an observation of that length."""
    sizes = {observation_size(seats): seats for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1)}
    if size not in sizes:
        raise ArgumentError(f"observations: found rows of {size} numbers, must be of {', '.join(map(str, sizes))}")
    return sizes[size]


def with_figures(observations: np.ndarray) -> np.ndarray:
    """(rows, size + figures) float32: observations with their figures behind them."""
    size = observations.shape[1]
    seats = seats_of(size)
    found = np.zeros((len(observations), size + figures_size(seats)), dtype=np.float32)
    found[:, :size] = observations
    _work_out(found, size, seats, *_offsets(seats))
    return found


_READ = (
    "contract_missing", "column_kind", "column_value", "column_goods", "column_cargo", "column_price", "column_offer",
    "coins", "points", "firemen", "offices", "cubes", "aboard", "buildings", "contracts", "queue", "fires",
)  # fmt: skip
(
    _MISSING, _KIND, _VALUE, _GOODS, _CARGO, _PRICE, _OFFER,
    _COINS, _POINTS, _FIREMEN, _OFFICES, _CUBES, _ABOARD, _BUILDINGS, _CONTRACTS, _QUEUE, _FIRES,
) = range(len(_READ))  # fmt: skip
_WRITTEN = tuple(figure.name for figure in FIGURES)
(
    _NEED, _LACK, _LEAD, _LEAD_LOW, _POINTS_LEAD, _NEXT_FIRE, _SHIP_USEFUL, _SHIP_SOLD, _CONTRACT_HELD,
    _OFFICE_STEP, _FIREMAN_LEAD, _ASKED, _PURSE, _SHIP_FOR, _DELIVERABLE, _COMPLETABLE, _OFFERED, _OFFERED_TO,
) = range(len(_WRITTEN))  # fmt: skip
_FIRST_COLUMN_FIGURE = _WRITTEN.index(_PER_COLUMN_AND_SEAT[0])


@cache
def _offsets(seats: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each piece read begins, how far apart contracts, columns and seats lie, and where each group begins."""
    read = np.array([places(name, seats).min() for name in _READ], dtype=np.int64)
    widths = np.array([blocks(seats)[name].width for name in ("contract", "column", "seat")], dtype=np.int64)
    begins = {name: places.min() for name, places in figure_places(seats).items()}
    return read, widths, observation_size(seats) + np.array([begins[name] for name in _WRITTEN], dtype=np.int64)


@jit
def _work_out(
    found: np.ndarray, size: int, seats: int, read: np.ndarray, widths: np.ndarray, written: np.ndarray
) -> None:
    """Fill in the figures of all rows."""
    need = np.zeros((seats, N_GOODS), dtype=np.float32)
    short = np.zeros((seats, N_GOODS), dtype=np.float32)
    spare = np.zeros((seats, N_GOODS), dtype=np.float32)
    for row in range(len(found)):
        numbers = found[row]
        _compare_seats(numbers, seats, read, widths, written, need, short, spare)
        _look_at_own_contracts(numbers, read, widths, written)
        for column in range(seats + 1):
            _look_at_column(numbers, seats, column, read, widths, written, short, spare)


@jit
def _compare_seats(
    numbers: np.ndarray, seats: int, read: np.ndarray, widths: np.ndarray, written: np.ndarray,
    need: np.ndarray, short: np.ndarray, spare: np.ndarray,
) -> None:  # fmt: skip
    """Cubes needed, short and to spare; leads; and the next fire."""
    need[:] = 0.0
    for seat in range(seats):
        start = seat * widths[2]
        for contract in range(N_CONTRACTS):
            if numbers[read[_CONTRACTS] + start + contract] > 0.0:
                for good in range(N_GOODS):
                    need[seat, good] += numbers[read[_MISSING] + contract * widths[0] + good] * NEED_SCALE
        for good in range(N_GOODS):
            has = numbers[read[_CUBES] + start + good] + numbers[read[_ABOARD] + start + good]
            over = has * CUBE_SCALE - need[seat, good]
            short[seat, good] = max(-over, 0.0)
            spare[seat, good] = max(over, 0.0)
            numbers[written[_NEED] + seat * N_GOODS + good] = need[seat, good] / NEED_SCALE
            numbers[written[_LACK] + seat * N_GOODS + good] = short[seat, good] / NEED_SCALE
        best = np.float32(-np.inf)
        worst = np.float32(np.inf)
        most_points = np.float32(-np.inf)
        for other in range(seats):
            if other != seat:
                firemen = numbers[read[_FIREMEN] + other * widths[2]]
                best = max(best, firemen)
                worst = min(worst, firemen)
                most_points = max(most_points, numbers[read[_POINTS] + other * widths[2]])
        numbers[written[_LEAD] + seat] = (numbers[read[_FIREMEN] + start] - best) * (FIREMEN_SCALE / LEAD_SCALE)
        numbers[written[_LEAD_LOW] + seat] = (numbers[read[_FIREMEN] + start] - worst) * (FIREMEN_SCALE / LEAD_SCALE)
        numbers[written[_POINTS_LEAD] + seat] = numbers[read[_POINTS] + start] - most_points
    for fire in range(N_FIRES):
        if numbers[read[_FIRES] + fire] > 0.0:
            numbers[written[_NEXT_FIRE]] = numbers[read[_FIRES] + fire]
            break


@jit
def _look_at_own_contracts(numbers: np.ndarray, read: np.ndarray, widths: np.ndarray, written: np.ndarray) -> None:
    """What the cubes at hand do for them."""
    for contract in range(N_CONTRACTS):
        if numbers[read[_CONTRACTS] + contract] == 0.0:
            continue
        wanted = np.float32(0.0)
        given = np.float32(0.0)
        for good in range(N_GOODS):
            missing = numbers[read[_MISSING] + contract * widths[0] + good] * NEED_SCALE
            fits = min(missing, numbers[read[_CUBES] + good] * CUBE_SCALE)
            numbers[written[_DELIVERABLE] + contract * N_GOODS + good] = fits / NEED_SCALE
            wanted += missing
            given += fits
        if wanted > 0.5 and given > wanted - 0.5:
            numbers[written[_COMPLETABLE] + contract] = 1.0


@jit
def _look_at_column(
    numbers: np.ndarray, seats: int, column: int, read: np.ndarray, widths: np.ndarray, written: np.ndarray,
    short: np.ndarray, spare: np.ndarray,
) -> None:  # fmt: skip
    """What its card means to each seat, and at which price the seat is asked."""
    start = column * widths[1]
    kind = -1
    for number in range(len(TRADE_KINDS)):
        if numbers[read[_KIND] + start + number] > 0.0:
            kind = number
    if kind == -1:
        return
    price = numbers[read[_PRICE] + start] * SPACES
    cargo = read[_CARGO] + start
    goods = read[_GOODS] + start
    carries = False
    for good in range(N_GOODS):
        carries = carries or numbers[cargo + good] > 0.0
    for seat in range(seats):
        place = column * seats + seat
        seat_start = seat * widths[2]
        if carries:
            useful = np.float32(0.0)
            sold = np.float32(0.0)
            for good in range(N_GOODS):
                cubes = numbers[cargo + good] * CARGO_SCALE
                useful += min(cubes, short[seat, good])
                sold += cubes * numbers[read[_BUILDINGS] + seat_start + good]
            numbers[written[_SHIP_USEFUL] + place] = useful / CARGO_SCALE
            numbers[written[_SHIP_SOLD] + place] = sold / CARGO_SCALE
        elif kind == FIREMAN:
            more = numbers[read[_VALUE] + start] * (FIREMAN_SCALE / LEAD_SCALE)
            numbers[written[_FIREMAN_LEAD] + place] = numbers[written[_LEAD] + seat] + more
        elif kind == COUNTING_OFFICE:
            numbers[written[_OFFICE_STEP] + place] = numbers[read[_OFFICES] + seat_start] + OFFICE_STEP
        else:
            held = np.float32(0.0)
            for good in range(N_GOODS):
                held += min(numbers[goods + good] * NEED_SCALE, spare[seat, good])
            numbers[written[_CONTRACT_HELD] + place] = held / NEED_SCALE
        queue = read[_QUEUE] + seat_start + column * SPACES
        for space in range(SPACES):
            if numbers[queue + space] > 0.0:
                asked = price - space
                purse = numbers[read[_COINS] + seat_start] * COINS_SCALE - asked
                numbers[written[_ASKED] + place] = asked / SPACES
                numbers[written[_PURSE] + place] = min(max(purse / PURSE_SCALE, -1.0), 1.0)
                break
    if carries:
        for contract in range(N_CONTRACTS):
            if numbers[read[_CONTRACTS] + contract] > 0.0:
                fits = np.float32(0.0)
                for good in range(N_GOODS):
                    missing = numbers[read[_MISSING] + contract * widths[0] + good] * NEED_SCALE
                    fits += min(numbers[cargo + good] * CARGO_SCALE, missing)
                numbers[written[_SHIP_FOR] + column * N_CONTRACTS + contract] = fits / CARGO_SCALE
    if numbers[read[_OFFER] + start] > 0.0:
        _repeat_offer(numbers, seats, column, read, widths, written)


@jit
def _repeat_offer(
    numbers: np.ndarray, seats: int, column: int, read: np.ndarray, widths: np.ndarray, written: np.ndarray
) -> None:
    """The card on offer always in the same place, whichever column it lies in."""
    start = column * widths[1]
    to = written[_OFFERED]
    for number in range(len(TRADE_KINDS)):
        numbers[to + number] = numbers[read[_KIND] + start + number]
    to += len(TRADE_KINDS)
    numbers[to] = numbers[read[_VALUE] + start]
    numbers[to + 1] = numbers[read[_PRICE] + start]
    for good in range(N_GOODS):
        numbers[to + 2 + good] = numbers[read[_GOODS] + start + good]
        numbers[to + 2 + N_GOODS + good] = numbers[read[_CARGO] + start + good]
    for number in range(len(_PER_COLUMN_AND_SEAT)):
        group = written[_FIRST_COLUMN_FIGURE + number] + column * seats
        for seat in range(seats):
            numbers[written[_OFFERED_TO] + number * seats + seat] = numbers[group + seat]
