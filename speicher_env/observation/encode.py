"""The encoder: a state, as one seat sees it, into a row of float32 or uint8 values.

It reads only what the players see: never the order of the pile or the bag, never the seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload

from speicher_env._jit import jit
from speicher_env.observation.pieces import (
    BUILDINGS,
    CARGO_SCALE,
    COINS_SCALE,
    COLUMN,
    CONTRACT_SCALE,
    CUBE_SCALE,
    FIRE_POINTS_SCALE,
    FIRE_POINTS_SHIFT,
    FIRE_SCALE,
    FIREMAN_SCALE,
    FIREMEN_SCALE,
    NEED_SCALE,
    OFFICES_SCALE,
    POINTS_SCALE,
    POINTS_SHIFT,
    ROUND_SCALE,
    SAVINGS_SCALE,
    SEASON_SCALE,
    SHIPS_SCALE,
    UNSEEN_GROUP_OF,
    UNSEEN_GROUPS,
    blocks,
    offset_within,
)
from speicher_env.observation.pieces import CONTRACT as CONTRACT_BLOCK
from speicher_env.rules.cards import (
    CARD_NUMBER,
    CONTRACT,
    CUBES_PER_SHIP,
    FIRE,
    FIRE_1,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    N_CARDS,
    N_CONTRACTS,
    N_CUBES,
    N_FIREMEN,
    N_FIRES,
    N_GOODS,
    SEASON_OF,
    SEASONS,
    SHIP,
)
from speicher_env.rules.legal import write_mask
from speicher_env.rules.loading import contract_value
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import (
    DISCARDED,
    EMPTY,
    IN_PILE,
    MIN_PLAYERS,
    OVER,
    SPACES,
    WORKERS,
)

__all__ = [
    "LARGEST_BYTE", "clear", "mask_at", "observe_at", "offer_place", "put", "put_shifted", "reveal", "seat_start",
    "seat_width", "turned", "write_card", "write_contract", "write_hand", "write_holdings", "write_missing",
    "write_observation", "write_phase", "write_price", "write_stock",
]  # fmt: skip

# Where a card or good of a state makes a place, it is first made a plain integer: these fields are of 8 bits, and in
# interpreted code so would be what is counted on from them.

# Places that are the same for every number of seats. The seats' queues come last in their stretch, so only the start
# of the seat block and the width of a seat depend on it.
_BLOCKS = blocks(MIN_PLAYERS)
_CONTRACT_START, _CONTRACT_WIDTH = _BLOCKS[CONTRACT_BLOCK].start, _BLOCKS[CONTRACT_BLOCK].width
_COLUMN_START, _COLUMN_WIDTH = _BLOCKS[COLUMN].start, _BLOCKS[COLUMN].width


def _at(name: str) -> int:
    return offset_within(name, MIN_PLAYERS)


_PHASE, _STOCK, _PLAYERS, _ROUND, _FIRES, _PILE = map(_at, ("phase", "stock", "players", "round", "fires", "pile"))
_UNSEEN, _UNSEEN_FIREMEN, _BAG = map(_at, ("unseen", "unseen_firemen", "bag"))
_CONTRACT_UNSEEN, _CONTRACT_POINTS, _CONTRACT_MISSING = (
    _at(f"contract_{name}") for name in ("unseen", "points", "missing")
)
_COLUMN_KIND, _COLUMN_VALUE, _COLUMN_GOODS, _COLUMN_CARGO, _COLUMN_PRICE, _COLUMN_OFFER = (
    _at(f"column_{name}") for name in ("kind", "value", "goods", "cargo", "price", "offer")
)
_DECIDES, _FIRST_PLAYER, _WORKERS, _COINS, _SAVINGS, _BOUGHT = map(
    _at, ("decides", "first_player", "workers", "coins", "savings", "bought")
)
_POINTS, _FIRE_POINTS, _FIREMEN, _OFFICES, _SHIPS = map(_at, ("points", "fire_points", "firemen", "offices", "ships"))
_CUBES, _ABOARD, _BUILDINGS, _CONTRACTS, _QUEUE = map(_at, ("cubes", "aboard", "buildings", "contracts", "queue"))


def _unit(scale: int) -> np.float32:
    return np.float32(1 / scale)


_ONE, _ZERO = np.float32(1), np.float32(0)
_CUBE, _CARGO, _NEED, _PER_SEASON = _unit(CUBE_SCALE), _unit(CARGO_SCALE), _unit(NEED_SCALE), _unit(SEASON_SCALE)
_PER_ROUND, _PER_FIRE, _PER_FIREMAN = _unit(ROUND_SCALE), _unit(FIRE_SCALE), _unit(FIREMAN_SCALE)
_PER_CONTRACT_POINT, _PER_SPACE, _PER_WORKER = _unit(CONTRACT_SCALE), _unit(SPACES), _unit(WORKERS)
_PER_COIN, _PER_SAVING, _PER_POINT = _unit(COINS_SCALE), _unit(SAVINGS_SCALE), _unit(POINTS_SCALE)
_PER_FIRE_POINT, _PER_STRENGTH, _PER_OFFICE = _unit(FIRE_POINTS_SCALE), _unit(FIREMEN_SCALE), _unit(OFFICES_SCALE)
_PER_SHIP = _unit(SHIPS_SCALE)
_N_GROUPS = len(UNSEEN_GROUPS)
_GROUP_SIZE = np.array([group.size for group in UNSEEN_GROUPS], dtype=np.int8)
_GROUP_SHARE = np.array([1 / group.size for group in UNSEEN_GROUPS], dtype=np.float32)
_N_SEASONS = len(SEASONS)
_BUILDING_CARDS = np.array([CARD_NUMBER[name] for name in BUILDINGS], dtype=np.int64)
_N_BUILDINGS = len(BUILDINGS)
_BUILDING_OF = np.full(N_CARDS, -1, dtype=np.int8)
"""Place of a card among the buildings, -1 for every other card."""
_BUILDING_OF[_BUILDING_CARDS] = np.arange(_N_BUILDINGS)


LARGEST_BYTE = 255
"""Of the shifted numbers only `points_lead` could be greater, by 1, in a game that nobody has ever seen."""


def put(row: np.ndarray, place: int, number: int, unit: np.float32) -> None:
    """Write a whole number: times `unit` into a row of float32, as it is into one of uint8."""
    row[place] = number if row.dtype == np.uint8 else number * unit


@overload(put, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _put(row: np.ndarray, place: int, number: int, unit: np.float32) -> Callable[..., None]:
    def put_whole(row: np.ndarray, place: int, number: int, unit: np.float32) -> None:
        row[place] = number

    def put_scaled(row: np.ndarray, place: int, number: int, unit: np.float32) -> None:
        row[place] = number * unit

    return put_whole if row.dtype == types.uint8 else put_scaled


def put_shifted(row: np.ndarray, place: int, number: int, shift: int, unit: np.float32) -> None:
    """Write a whole number that may be negative: times `unit` into a row of float32, plus `shift` into one of uint8."""
    row[place] = min(number + shift, LARGEST_BYTE) if row.dtype == np.uint8 else number * unit


@overload(put_shifted, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _put_shifted(row: np.ndarray, place: int, number: int, shift: int, unit: np.float32) -> Callable[..., None]:
    def put_whole(row: np.ndarray, place: int, number: int, shift: int, unit: np.float32) -> None:
        row[place] = min(number + shift, LARGEST_BYTE)

    def put_scaled(row: np.ndarray, place: int, number: int, shift: int, unit: np.float32) -> None:
        row[place] = number * unit

    return put_whole if row.dtype == types.uint8 else put_scaled


def whole_at(row: np.ndarray, place: int, full: int) -> int:
    """The whole number that a row shows in units of 1 / `full`."""
    return int(row[place]) if row.dtype == np.uint8 else round(row[place] * full)


@overload(whole_at, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _whole_at(row: np.ndarray, place: int, full: int) -> Callable[..., int]:
    def read_whole(row: np.ndarray, place: int, full: int) -> int:
        return int(row[place])

    def read_scaled(row: np.ndarray, place: int, full: int) -> int:
        number: int = round(row[place] * full)
        return number

    return read_whole if row.dtype == types.uint8 else read_scaled


@jit
def clear(row: np.ndarray, start: int, stop: int) -> None:
    """Zeros from start to stop."""
    part = row[start:stop]  # counting from 0 lets the compiler see that no index is negative, and write whole blocks
    for index in range(part.size):
        part[index] = _ZERO


@jit
def seat_start(seats: int) -> int:
    """Where the seat block begins with `seats` seats in view."""
    return _COLUMN_START + _COLUMN_WIDTH * (seats + 1)


@jit
def seat_width(seats: int) -> int:
    """Values of one seat with `seats` seats in view."""
    return _QUEUE + SPACES * (seats + 1)


@jit
def offer_place(column: int) -> int:
    """Where it is flagged that the card in a column is on offer."""
    return _COLUMN_START + _COLUMN_OFFER + _COLUMN_WIDTH * int(column)


@jit
def write_supply(game: np.void, row: np.ndarray) -> None:
    """What changes only with a supply: the round, and what is in the pile and the bag. The places must be zeros."""
    owner = game["owner"]
    row[_PLAYERS + game["players"] - MIN_PLAYERS] = _ONE
    put(row, _ROUND, game["round"], _PER_ROUND)
    for fire in range(N_FIRES):
        if owner[FIRE_1 + fire] == IN_PILE:
            put(row, _FIRES + fire, game["fire_value"][fire], _PER_FIRE)
    for fireman in range(N_FIREMEN):
        if owner[FIREMAN_1 + fireman] == IN_PILE:
            put(row, _UNSEEN_FIREMEN + fireman, game["fireman_value"][fireman], _PER_FIREMAN)
    for place in range(game["pile_next"], game["pile_size"]):
        card = game["pile"][place]
        row[_PILE + SEASON_OF[card]] += _ONE
        if UNSEEN_GROUP_OF[card] >= 0:
            row[_UNSEEN + UNSEEN_GROUP_OF[card]] += _ONE
    for cube in range(game["bag_next"], N_CUBES):
        row[_BAG + game["bag"][cube]] += _ONE
    # Counted in whole numbers and scaled at the end: a sum of fractions would depend on how it was added up.
    for season in range(_N_SEASONS):
        put(row, _PILE + season, row[_PILE + season], _PER_SEASON)
    for group in range(_N_GROUPS):
        put(row, _UNSEEN + group, row[_UNSEEN + group], _GROUP_SHARE[group])
    for good in range(N_GOODS):
        put(row, _BAG + good, row[_BAG + good], _CUBE)


@jit
def reveal(game: np.void, pile_next: int, bag_next: int, row: np.ndarray) -> None:
    """Take out of a row what a supply drew from the pile and the bag, from these places on."""
    put(row, _ROUND, game["round"], _PER_ROUND)
    for place in range(pile_next, game["pile_next"]):
        card = game["pile"][place]
        lessen(row, _PILE + SEASON_OF[card], SEASON_SCALE, _PER_SEASON)
        group = UNSEEN_GROUP_OF[card]
        if group >= 0:
            lessen(row, _UNSEEN + group, _GROUP_SIZE[group], _GROUP_SHARE[group])
        elif KIND_OF[card] == FIREMAN:
            row[_UNSEEN_FIREMEN + card - FIREMAN_1] = _ZERO
        elif KIND_OF[card] == FIRE:
            row[_FIRES + card - FIRE_1] = _ZERO
    for cube in range(bag_next, game["bag_next"]):
        lessen(row, _BAG + game["bag"][cube], CUBE_SCALE, _CUBE)


@jit
def lessen(row: np.ndarray, place: int, full: int, unit: np.float32) -> None:
    """One less of what is shown in units of 1 / `full`, to the last bit as if the lesser number had been written."""
    put(row, place, whole_at(row, place, full) - 1, unit)


@jit
def write_contract(game: np.void, contract: int, row: np.ndarray) -> None:
    """One contract: whether it is in the pile, its points, what it misses."""
    start = _CONTRACT_START + int(contract) * _CONTRACT_WIDTH
    owner = game["owner"][contract]
    there = 0 if owner == DISCARDED else 1
    row[start + _CONTRACT_UNSEEN] = _ONE if owner == IN_PILE else _ZERO
    put(row, start + _CONTRACT_POINTS, contract_value(game, contract) * there, _PER_CONTRACT_POINT)
    for good in range(N_GOODS):
        put(row, start + _CONTRACT_MISSING + good, game["missing"][contract, good] * there, _NEED)


@jit
def write_missing(game: np.void, contract: int, row: np.ndarray) -> None:
    """What an owned contract misses."""
    start = _CONTRACT_START + contract * _CONTRACT_WIDTH + _CONTRACT_MISSING
    for good in range(N_GOODS):
        put(row, start + good, game["missing"][contract, good], _NEED)


@jit
def write_card(game: np.void, column: int, row: np.ndarray) -> None:
    """The card in a column by what it is."""
    start = _COLUMN_START + column * _COLUMN_WIDTH
    clear(row, start, start + _COLUMN_PRICE)
    card = game["card"][column]
    if card == EMPTY:
        return
    kind = int(KIND_OF[card])
    row[start + _COLUMN_KIND + kind] = _ONE
    if kind == FIREMAN:
        put(row, start + _COLUMN_VALUE, game["fireman_value"][card - FIREMAN_1], _PER_FIREMAN)
    elif kind == CONTRACT:
        for good in range(N_GOODS):
            put(row, start + _COLUMN_GOODS + good, game["missing"][card, good], _NEED)
    elif kind == SHIP:
        for place in range(CUBES_PER_SHIP):
            row[start + _COLUMN_CARGO + int(game["cargo"][column, place])] += _ONE
        for good in range(N_GOODS):
            put(row, start + _COLUMN_CARGO + good, row[start + _COLUMN_CARGO + good], _CARGO)


@jit
def write_phase(game: np.void, row: np.ndarray) -> None:
    """The phase."""
    phase = game["phase"]
    for index in range(OVER):
        row[_PHASE + index] = _ONE if index == phase else _ZERO


@jit
def write_stock(game: np.void, row: np.ndarray) -> None:
    """The cubes in the stock."""
    for good in range(N_GOODS):
        put(row, _STOCK + good, game["stock"][good], _CUBE)


@jit
def write_price(game: np.void, column: int, row: np.ndarray) -> None:
    """How many workers stand above the card in a column."""
    put(row, _COLUMN_START + column * _COLUMN_WIDTH + _COLUMN_PRICE, game["standing"][column], _PER_SPACE)


@jit
def write_hand(game: np.void, seat: int, row: np.ndarray, start: int) -> None:
    """The workers in hand. `start` is the seat's place."""
    put(row, start + _WORKERS, game["workers"][seat], _PER_WORKER)


@jit
def write_holdings(game: np.void, seat: int, row: np.ndarray, start: int) -> None:
    """What a seat has in amounts."""
    coins = game["coins"][seat]
    put(row, start + _COINS, min(coins, COINS_SCALE), _PER_COIN)
    put(row, start + _SAVINGS, max(coins - COINS_SCALE, 0), _PER_SAVING)
    row[start + _BOUGHT] = _ONE if game["bought"][seat] > 0 else _ZERO
    points = min(max(points_of(game, seat) + POINTS_SHIFT, 0), POINTS_SCALE)
    put(row, start + _POINTS, points, _PER_POINT)
    put(row, start + _FIRE_POINTS, game["fire_points"][seat] + FIRE_POINTS_SHIFT, _PER_FIRE_POINT)
    put(row, start + _FIREMEN, min(game["firemen"][seat], FIREMEN_SCALE), _PER_STRENGTH)
    put(row, start + _OFFICES, game["offices"][seat], _PER_OFFICE)
    put(row, start + _SHIPS, game["ships"][seat], _PER_SHIP)
    for good in range(N_GOODS):
        put(row, start + _CUBES + good, game["cubes"][seat, good], _CUBE)
        put(row, start + _ABOARD + good, game["aboard"][seat, good], _CUBE)


@jit
def turned(seat: int, viewer: int, players: int) -> int:
    """A seat counted from the viewer, clockwise."""
    return int(seat - viewer if seat >= viewer else seat - viewer + players)


@jit
def write_seats(game: np.void, viewer: int, seats: int, row: np.ndarray, first: int) -> None:
    """The whole seat block, from place `first`, with the viewer's seat in front."""
    players = game["players"]
    width = seat_width(seats)
    clear(row, first, first + seats * width)
    for seat in range(players):
        start = first + turned(seat, viewer, players) * width
        write_hand(game, seat, row, start)
        write_holdings(game, seat, row, start)
    row[first + turned(game["first_player"], viewer, players) * width + _FIRST_PLAYER] = _ONE
    if game["player"] != EMPTY:
        row[first + turned(game["player"], viewer, players) * width + _DECIDES] = _ONE
    for contract in range(N_CONTRACTS):
        owner = game["owner"][contract]
        if owner >= 0:
            row[first + turned(owner, viewer, players) * width + _CONTRACTS + contract] = _ONE
    for building in range(_N_BUILDINGS):
        owner = game["owner"][_BUILDING_CARDS[building]]
        if owner >= 0:
            row[first + turned(owner, viewer, players) * width + _BUILDINGS + building] = _ONE
    for column in range(players + 1):
        for space in range(game["standing"][column]):
            seat = turned(game["queue"][column, space], viewer, players)
            row[first + seat * width + _QUEUE + column * SPACES + space] = _ONE


@jit
def write_observation(game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write the whole observation of a seat; `seats` is the number of players, or 5 when padded."""
    clear(row, 0, seat_start(seats))
    write_supply(game, row)
    for contract in range(N_CONTRACTS):
        write_contract(game, contract, row)
    for column in range(game["players"] + 1):
        write_card(game, column, row)
        write_price(game, column, row)
    if game["offer"] != EMPTY:
        row[offer_place(game["offer"])] = _ONE
    write_phase(game, row)
    write_stock(game, row)
    write_seats(game, viewer, seats, row, seat_start(seats))


@jit
def observe_at(states: np.ndarray, index: int, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write the observation of a seat of states[index]."""
    write_observation(states[index], viewer, seats, row)


@jit
def mask_at(states: np.ndarray, index: int, mask: np.ndarray) -> None:
    """Write the mask of whoever decides in states[index], 184 bytes; zeros when the game is over."""
    write_mask(states[index], mask.view(np.uint64))
