"""The observation as a list of named pieces: the one source of its size, its offsets, its decoder and its page.

An observation is shown to a seat: seats are counted from that seat, clockwise, so seat 0 is always oneself. Its size
depends on the number of seats shown, which is the number of players, or 5 when padded. Every value lies in [0, 1].
Cards appear by what they are and do, not by their number, so that a policy works on any deck.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from speicher_env.rules.cards import (
    FIREMAN,
    GOODS,
    KIND_OF,
    KIND_SEASONS,
    KINDS,
    N_CARDS,
    N_CONTRACTS,
    N_FIREMEN,
    N_FIRES,
    SEASON_OF,
    SEASONS,
)
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, PHASES, SPACES, WORKERS

SCHEMA_VERSION = 1
"""Changes whenever the meaning or the place of any value changes. Baselines carry it and refuse another."""

TRADE_KINDS = tuple(kind for kind in KINDS if kind != "fire")
"""Kinds that can lie in a column; a fire never does."""
BUILDINGS = TRADE_KINDS[FIREMAN + 1 : TRADE_KINDS.index("ship")] + TRADE_KINDS[TRADE_KINDS.index("ship") + 1 :]
"""The cards there are one of, each doing something for its owner: merchants, warehouse and the rest."""


class UnseenGroup(NamedTuple):
    """Cards of one kind and season that are alike, so that only their number in the pile matters."""

    kind: str
    season: str
    number: int


UNSEEN_GROUPS = tuple(
    UnseenGroup(kind, SEASONS[season], count)
    for kind, per_season in KIND_SEASONS.items()
    if kind not in ("contract", "fireman", "fire")
    for season, count in enumerate(per_season)
    if count
)


def _groups_of_cards() -> np.ndarray:
    """For each card the number of its unseen group, -1 for contracts, firemen and fires."""
    numbers = {(group.kind, group.season): number for number, group in enumerate(UNSEEN_GROUPS)}
    return np.array(
        [numbers.get((KINDS[KIND_OF[card]], SEASONS[SEASON_OF[card]]), -1) for card in range(N_CARDS)],
        dtype=np.int8,
    )


UNSEEN_GROUP_OF = _groups_of_cards()

# Full scale of pieces: the natural number that is written as 1.
ROUND_SCALE = 16
CUBE_SCALE = 9
CARGO_SCALE = 3
NEED_SCALE = 4
SEASON_SCALE = 15
FIRE_SCALE = 6
FIREMAN_SCALE = 5
CONTRACT_SCALE = 11
COINS_SCALE = 16
SAVINGS_SCALE = 112
POINTS_SHIFT, POINTS_SCALE = 32, 128
FIRE_POINTS_SHIFT, FIRE_POINTS_SCALE = 24, 48
FIREMEN_SCALE = 32
OFFICES_SCALE = 4
SHIPS_SCALE = 15


class Piece(NamedTuple):
    """One named piece: how it is shaped, what it means, and how a value becomes a number between 0 and 1."""

    name: str
    axes: tuple[str, ...]
    meaning: str
    scale: int = 1
    """The natural number written as 1."""
    shift: int = 0
    """Added to the natural number before it is divided by `scale`."""
    clipped: bool = False
    """Whether values beyond the scale are possible (they are rare, and cut off)."""


# First what every seat sees alike, then what is turned towards the seat.
PIECES = (
    Piece("phase", ("phases",), "the phase, one-hot; zeros when the game is over"),
    Piece("players", ("player_counts",), "the number of players, one-hot"),
    Piece("round", (), "rounds begun, 1..16", ROUND_SCALE),
    Piece("fires", ("fires",), "value of each fire still to come, 0 once carried out", FIRE_SCALE),
    Piece("pile", ("seasons",), "cards left in the pile, by season", SEASON_SCALE),
    Piece("unseen", ("unseen_groups",), "share of the cards of a kind and season that are still in the pile"),
    Piece("unseen_firemen", ("firemen",), "value of each fireman still in the pile, else 0", FIREMAN_SCALE),
    Piece("unseen_contracts", ("contracts",), "1 for a contract still in the pile"),
    Piece("bag", ("goods",), "cubes left in the bag", CUBE_SCALE),
    Piece("contract_points", ("contracts",), "points of a contract not discarded: 5, 8 or 11", CONTRACT_SCALE),
    Piece(
        "contract_missing",
        ("contracts", "goods"),
        "cubes that a contract not discarded still needs",
        NEED_SCALE,
    ),
    Piece("column_kind", ("columns", "kinds"), "kind of the card in the column, one-hot; zeros when it is gone"),
    Piece("column_value", ("columns",), "value of the fireman in the column", FIREMAN_SCALE),
    Piece("column_goods", ("columns", "goods"), "goods that the contract in the column asks for", NEED_SCALE),
    Piece("column_cargo", ("columns", "goods"), "cubes on the ship in the column", CARGO_SCALE),
    Piece("column_price", ("columns",), "workers above the card: what its lowest would pay now", SPACES),
    Piece("offer", ("columns",), "purchase: the column on offer, one-hot"),
    Piece("stock", ("goods",), "cubes in the stock", CUBE_SCALE),
    Piece("decider", ("seats",), "the seat that decides, one-hot; zeros when the game is over"),
    Piece("first_player", ("seats",), "the seat with the first player marker, one-hot"),
    Piece("contract_owner", ("contracts", "seats"), "the owner of a contract, one-hot"),
    Piece(
        "column_queue",
        ("columns", "spaces", "seats"),
        "owner of each worker above the card, lowest first, one-hot",
    ),
    Piece("building_owner", ("buildings", "seats"), "the owner of a merchant or building, one-hot"),
    Piece("workers", ("seats",), "workers in hand", WORKERS),
    Piece("coins", ("seats",), "coins, up to 16", COINS_SCALE),
    Piece("savings", ("seats",), "coins beyond 16", SAVINGS_SCALE),
    Piece("bought", ("seats",), "1 if the seat has bought a card this round (no extra coin at income)"),
    Piece("points", ("seats",), "points, were the game to end now", POINTS_SCALE, POINTS_SHIFT, clipped=True),
    Piece("fire_points", ("seats",), "points from fires so far", FIRE_POINTS_SCALE, FIRE_POINTS_SHIFT),
    Piece("firemen", ("seats",), "sum of firemen's values", FIREMEN_SCALE, clipped=True),
    Piece("offices", ("seats",), "counting offices owned", OFFICES_SCALE),
    Piece("ships", ("seats",), "ships owned", SHIPS_SCALE),
    Piece("cubes", ("seats", "goods"), "cubes kept, or being loaded", CUBE_SCALE),
    Piece("aboard", ("seats", "goods"), "cubes on ships bought this round and not yet unloaded", CUBE_SCALE),
)
FIRST_TURNED_PIECE = "decider"
"""From this piece on, values depend on the seat that looks."""


AXIS_LABELS: dict[str, tuple[str, ...]] = {
    "phases": PHASES[:3],
    "player_counts": tuple(str(count) for count in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    "seasons": SEASONS,
    "fires": tuple(f"fire_{k + 1}" for k in range(N_FIRES)),
    "firemen": tuple(f"fireman_{k + 1}" for k in range(N_FIREMEN)),
    "contracts": tuple(f"contract_{k + 1}" for k in range(N_CONTRACTS)),
    "unseen_groups": tuple(f"{group.kind} {group.season}" for group in UNSEEN_GROUPS),
    "goods": GOODS,
    "kinds": TRADE_KINDS,
    "buildings": BUILDINGS,
}
"""What the positions along an axis stand for, where that does not depend on the number of seats."""


def axis_size(axis: str, seats: int) -> int:
    """Length of an axis when `seats` seats are shown."""
    if axis == "seats":
        return seats
    if axis == "columns":
        return seats + 1
    if axis == "spaces":
        return SPACES
    return len(AXIS_LABELS[axis])


def shape_of(piece: Piece, seats: int) -> tuple[int, ...]:
    """Shape of a piece when `seats` seats are shown."""
    return tuple(axis_size(axis, seats) for axis in piece.axes)


def layout(seats: int) -> dict[str, tuple[int, int]]:
    """Where each piece lies in the vector: name -> (start, stop)."""
    places: dict[str, tuple[int, int]] = {}
    start = 0
    for piece in PIECES:
        stop = start + prod(shape_of(piece, seats))
        places[piece.name] = (start, stop)
        start = stop
    return places


def observation_size(seats: int) -> int:
    """Length of the observation vector when `seats` seats are shown."""
    return layout(seats)[PIECES[-1].name][1]


N_PIECES = len(PIECES)


def _offsets() -> np.ndarray:
    table = np.zeros((MAX_PLAYERS + 1, N_PIECES + 1), dtype=np.int64)
    for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        places = layout(seats)
        table[seats, :N_PIECES] = [places[piece.name][0] for piece in PIECES]
        table[seats, N_PIECES] = observation_size(seats)
    return table


OFFSETS = _offsets()
"""OFFSETS[seats, piece] is where a piece starts; OFFSETS[seats, N_PIECES] is the size of the vector."""


def piece_number(name: str) -> int:
    """Place of a piece in PIECES."""
    return next(number for number, piece in enumerate(PIECES) if piece.name == name)
