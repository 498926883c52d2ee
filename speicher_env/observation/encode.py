"""The encoder: a state, as one seat sees it, into a row of float32 values.

It reads only what the players see: never the order of the pile or the bag, never the seed.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.observation.pieces import (
    BUILDINGS,
    CARGO_SCALE,
    COINS_SCALE,
    CONTRACT_SCALE,
    CUBE_SCALE,
    FIRE_POINTS_SCALE,
    FIRE_POINTS_SHIFT,
    FIRE_SCALE,
    FIREMAN_SCALE,
    FIREMEN_SCALE,
    N_PIECES,
    NEED_SCALE,
    OFFICES_SCALE,
    OFFSETS,
    POINTS_SCALE,
    POINTS_SHIFT,
    ROUND_SCALE,
    SAVINGS_SCALE,
    SEASON_SCALE,
    SHIPS_SCALE,
    TRADE_KINDS,
    UNSEEN_GROUP_OF,
    UNSEEN_GROUPS,
    piece_number,
)
from speicher_env.rules.cards import (
    CARD_NUMBER,
    CONTRACT,
    CUBES_PER_GOOD,
    FIRE_1,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    N_CONTRACTS,
    N_FIREMEN,
    N_FIRES,
    N_GOODS,
    SEASON_OF,
    SHIP,
)
from speicher_env.rules.legal import write_mask
from speicher_env.rules.loading import contract_value
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import (
    DISCARDED,
    EMPTY,
    IN_PILE,
    MAX_COLUMNS,
    MIN_PLAYERS,
    OVER,
    SPACES,
    WORKERS,
)

_PHASE, _PLAYERS, _ROUND, _FIRES, _PILE, _UNSEEN, _UNSEEN_FIREMEN, _UNSEEN_CONTRACTS, _BAG = (
    piece_number(name)
    for name in (
        "phase",
        "players",
        "round",
        "fires",
        "pile",
        "unseen",
        "unseen_firemen",
        "unseen_contracts",
        "bag",
    )
)
_CONTRACT_POINTS, _CONTRACT_MISSING, _CONTRACT_OWNER = (
    piece_number(name) for name in ("contract_points", "contract_missing", "contract_owner")
)
_COLUMN_KIND, _COLUMN_VALUE, _COLUMN_GOODS, _COLUMN_CARGO, _COLUMN_PRICE, _COLUMN_QUEUE = (
    piece_number(f"column_{name}") for name in ("kind", "value", "goods", "cargo", "price", "queue")
)
_OFFER, _STOCK, _DECIDER, _FIRST_PLAYER = (piece_number(name) for name in ("offer", "stock", "decider", "first_player"))
_WORKERS, _COINS, _SAVINGS, _BOUGHT, _POINTS, _FIRE_POINTS, _FIREMEN, _OFFICES, _SHIPS = (
    piece_number(name)
    for name in (
        "workers",
        "coins",
        "savings",
        "bought",
        "points",
        "fire_points",
        "firemen",
        "offices",
        "ships",
    )
)
_BUILDING_OWNER, _CUBES, _ABOARD = (piece_number(name) for name in ("building_owner", "cubes", "aboard"))
_SIZE = N_PIECES


def _unit(scale: int) -> np.float32:
    return np.float32(1 / scale)


_ONE, _ZERO = np.float32(1), np.float32(0)
_CUBE, _CARGO, _NEED, _PER_SEASON = (
    _unit(CUBE_SCALE),
    _unit(CARGO_SCALE),
    _unit(NEED_SCALE),
    _unit(SEASON_SCALE),
)
_PER_ROUND, _PER_FIRE, _PER_FIREMAN = _unit(ROUND_SCALE), _unit(FIRE_SCALE), _unit(FIREMAN_SCALE)
_PER_CONTRACT_POINT, _PER_SPACE, _PER_WORKER = _unit(CONTRACT_SCALE), _unit(SPACES), _unit(WORKERS)
_PER_COIN, _PER_SAVING, _PER_POINT = _unit(COINS_SCALE), _unit(SAVINGS_SCALE), _unit(POINTS_SCALE)
_PER_FIRE_POINT, _PER_STRENGTH, _PER_OFFICE = (
    _unit(FIRE_POINTS_SCALE),
    _unit(FIREMEN_SCALE),
    _unit(OFFICES_SCALE),
)
_PER_SHIP = _unit(SHIPS_SCALE)
_GROUP_SHARE = np.array([1 / group.number for group in UNSEEN_GROUPS], dtype=np.float32)
_BUILDING_CARDS = np.array([CARD_NUMBER[name] for name in BUILDINGS], dtype=np.int64)
_N_BUILDINGS = len(BUILDINGS)
_N_KINDS = len(TRADE_KINDS)


@jit
def write_supply(game: np.void, row: np.ndarray, at: np.ndarray) -> None:
    """What changes only with a supply: the round, and what is still in the pile and the bag."""
    owner = game["owner"]
    row[at[_PLAYERS] + game["players"] - MIN_PLAYERS] = _ONE
    row[at[_ROUND]] = game["round"] * _PER_ROUND
    for fire in range(N_FIRES):
        if owner[FIRE_1 + fire] == IN_PILE:
            row[at[_FIRES] + fire] = game["fire_value"][fire] * _PER_FIRE
    for fireman in range(N_FIREMEN):
        if owner[FIREMAN_1 + fireman] == IN_PILE:
            row[at[_UNSEEN_FIREMEN] + fireman] = game["fireman_value"][fireman] * _PER_FIREMAN
    for contract in range(N_CONTRACTS):
        if owner[contract] == IN_PILE:
            row[at[_UNSEEN_CONTRACTS] + contract] = _ONE
    for place in range(game["pile_next"], game["pile_size"]):
        card = game["pile"][place]
        row[at[_PILE] + SEASON_OF[card]] += _PER_SEASON
        group = UNSEEN_GROUP_OF[card]
        if group >= 0:
            row[at[_UNSEEN] + group] += _GROUP_SHARE[group]
    for cube in range(game["bag_next"], CUBES_PER_GOOD * N_GOODS):
        row[at[_BAG] + game["bag"][cube]] += _CUBE


@jit
def write_contracts(game: np.void, row: np.ndarray, at: np.ndarray) -> None:
    """Points and missing goods of the contracts that are not discarded."""
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] != DISCARDED:
            row[at[_CONTRACT_POINTS] + contract] = contract_value(game, contract) * _PER_CONTRACT_POINT
            for good in range(N_GOODS):
                row[at[_CONTRACT_MISSING] + contract * N_GOODS + good] = game["missing"][contract, good] * _NEED


@jit
def write_columns(game: np.void, row: np.ndarray, at: np.ndarray) -> None:
    """The cards in the columns by what they are."""
    for column in range(game["players"] + 1):
        card = game["card"][column]
        if card == EMPTY:
            continue
        kind = KIND_OF[card]
        row[at[_COLUMN_KIND] + column * _N_KINDS + kind] = _ONE
        if kind == FIREMAN:
            row[at[_COLUMN_VALUE] + column] = game["fireman_value"][card - FIREMAN_1] * _PER_FIREMAN
        elif kind == CONTRACT:
            for good in range(N_GOODS):
                row[at[_COLUMN_GOODS] + column * N_GOODS + good] = game["missing"][card, good] * _NEED
        elif kind == SHIP:
            for place in range(game["cargo"].shape[1]):
                row[at[_COLUMN_CARGO] + column * N_GOODS + game["cargo"][column, place]] += _CARGO


@jit
def write_moment(game: np.void, row: np.ndarray, at: np.ndarray) -> None:
    """The phase, the prices, the offer and the stock."""
    if game["phase"] != OVER:
        row[at[_PHASE] + game["phase"]] = _ONE
    for column in range(game["players"] + 1):
        row[at[_COLUMN_PRICE] + column] = game["standing"][column] * _PER_SPACE
    if game["offer"] != EMPTY:
        row[at[_OFFER] + game["offer"]] = _ONE
    for good in range(N_GOODS):
        row[at[_STOCK] + good] = game["stock"][good] * _CUBE


@jit
def place_of(owner: int, viewer: int, players: int, first: int, nowhere: int) -> int:
    """Where to mark an owner: `first` plus the seat counted from the viewer, clockwise; `nowhere` without an owner.

    A selection and not a branch: who owns what is as good as random to the processor.
    """
    place = owner - viewer
    place += players if place < 0 else 0
    return first + place if owner >= 0 else nowhere


@jit
def mark_seats(game: np.void, viewer: int, seats: int, row: np.ndarray, at: np.ndarray) -> None:
    """Every one-hot place that belongs to a seat. Writes to the first of `workers` too, which `write_seats` mends."""
    players = game["players"]
    nowhere = at[_WORKERS]
    clear(row, at[_DECIDER], at[_WORKERS])
    row[place_of(game["player"], viewer, players, at[_DECIDER], nowhere)] = _ONE
    row[place_of(game["first_player"], viewer, players, at[_FIRST_PLAYER], nowhere)] = _ONE
    for contract in range(N_CONTRACTS):
        first = at[_CONTRACT_OWNER] + contract * seats
        row[place_of(game["owner"][contract], viewer, players, first, nowhere)] = _ONE
    for column in range(players + 1):
        first = at[_COLUMN_QUEUE] + column * SPACES * seats
        for space in range(SPACES):
            row[place_of(game["queue"][column, space], viewer, players, first, nowhere)] = _ONE
            first += seats
    for building in range(_N_BUILDINGS):
        first = at[_BUILDING_OWNER] + building * seats
        row[place_of(game["owner"][_BUILDING_CARDS[building]], viewer, players, first, nowhere)] = _ONE


@jit
def write_seats(game: np.void, viewer: int, row: np.ndarray, at: np.ndarray) -> None:
    """Amounts of every seat, one's own first."""
    players = game["players"]
    for place in range(players):
        seat = viewer + place
        if seat >= players:
            seat -= players
        coins = game["coins"][seat]
        row[at[_WORKERS] + place] = game["workers"][seat] * _PER_WORKER
        row[at[_COINS] + place] = min(coins, COINS_SCALE) * _PER_COIN
        row[at[_SAVINGS] + place] = max(coins - COINS_SCALE, 0) * _PER_SAVING
        row[at[_BOUGHT] + place] = _ONE if game["bought"][seat] > 0 else _ZERO
        points = min(max(points_of(game, seat) + POINTS_SHIFT, 0), POINTS_SCALE)
        row[at[_POINTS] + place] = points * _PER_POINT
        row[at[_FIRE_POINTS] + place] = (game["fire_points"][seat] + FIRE_POINTS_SHIFT) * _PER_FIRE_POINT
        row[at[_FIREMEN] + place] = min(game["firemen"][seat], FIREMEN_SCALE) * _PER_STRENGTH
        row[at[_OFFICES] + place] = game["offices"][seat] * _PER_OFFICE
        row[at[_SHIPS] + place] = game["ships"][seat] * _PER_SHIP
        for good in range(N_GOODS):
            row[at[_CUBES] + place * N_GOODS + good] = game["cubes"][seat, good] * _CUBE
            row[at[_ABOARD] + place * N_GOODS + good] = game["aboard"][seat, good] * _CUBE


@jit
def clear(row: np.ndarray, start: int, stop: int) -> None:
    """Zeros from start to stop."""
    part = row[start:stop]  # counting from 0 lets the compiler see that no index is negative, and write whole blocks
    for index in range(part.size):
        part[index] = _ZERO


@jit
def write_observation(game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write the whole observation of a seat; `seats` is the number of players, or 5 when padded."""
    at = OFFSETS[seats]
    clear(row, 0, at[_SIZE])
    write_supply(game, row, at)
    write_contracts(game, row, at)
    write_columns(game, row, at)
    write_moment(game, row, at)
    mark_seats(game, viewer, seats, row, at)
    write_seats(game, viewer, row, at)


@jit
def refresh_observation(
    game: np.void, viewer: int, shown: np.void, shown_viewer: int, seats: int, row: np.ndarray
) -> None:
    """`write_observation` into a row that still shows the state `shown` of the same game to `shown_viewer`.

    Only what differs is written: the one-hot places of the seats are taken back and set anew, the blocks that a
    supply, a purchase or a delivery changes are compared first. A row that shows nothing has shown_viewer EMPTY.
    """
    if shown_viewer == EMPTY:
        write_observation(game, viewer, seats, row)
        return
    at = OFFSETS[seats]
    new_supply = game["pile_next"] != shown["pile_next"]
    if new_supply:
        clear(row, at[_PLAYERS], at[_CONTRACT_POINTS])
        write_supply(game, row, at)
    if contracts_differ(game, shown):
        clear(row, at[_CONTRACT_POINTS], at[_COLUMN_KIND])
        write_contracts(game, row, at)
    if new_supply or columns_differ(game, shown):
        clear(row, at[_COLUMN_KIND], at[_COLUMN_PRICE])
        write_columns(game, row, at)
    clear(row, at[_PHASE], at[_PLAYERS])
    clear(row, at[_OFFER], at[_STOCK])
    write_moment(game, row, at)
    mark_seats(game, viewer, seats, row, at)
    write_seats(game, viewer, row, at)


@jit
def contracts_differ(game: np.void, shown: np.void) -> bool:
    """Whether a contract was discarded or delivered to between two states of a game."""
    differ = 0
    for contract in range(N_CONTRACTS):
        differ |= game["owner"][contract] ^ shown["owner"][contract]
        for good in range(N_GOODS):
            differ |= game["missing"][contract, good] ^ shown["missing"][contract, good]
    return differ != 0


@jit
def columns_differ(game: np.void, shown: np.void) -> bool:
    """Whether the cards in the columns differ between two states of a game."""
    differ = 0
    for column in range(MAX_COLUMNS):
        differ |= game["card"][column] ^ shown["card"][column]
    return differ != 0


@jit
def observe_at(states: np.ndarray, index: int, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write the observation of a seat of states[index]."""
    write_observation(states[index], viewer, seats, row)


@jit
def mask_at(states: np.ndarray, index: int, mask: np.ndarray) -> None:
    """Write the mask of whoever decides in states[index], 184 bytes; zeros when the game is over."""
    write_mask(states[index], mask.view(np.uint64))
