"""The observation as a list of named pieces: the one source of its size, its places, its decoder and its page.

An observation is what the table looks like from one seat. Seats are counted from that seat, clockwise, so seat 0 is
always oneself. The vector has four blocks, one after the other: the table as a whole, then one equal stretch for each
contract, for each column and for each seat, so that a network may read it flat or as so many tokens. Its size depends
on the number of seats in view, which is the number of players, or 5 when padded. Every value lies in [0, 1].
Cards appear by what they are and do, not by their number, so that a policy works on any deck.
"""

from __future__ import annotations

from functools import cache
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

__all__ = [
    "AXIS_LABELS", "BLOCKS", "BUILDINGS", "CARGO_SCALE", "COINS_SCALE", "COLUMN", "CONTRACT", "CONTRACT_SCALE",
    "CUBE_SCALE", "FIREMAN_SCALE", "FIREMEN_SCALE", "FIRE_POINTS_SCALE", "FIRE_POINTS_SHIFT", "FIRE_SCALE",
    "NEED_SCALE", "OFFICES_SCALE", "PIECES", "POINTS_SCALE", "POINTS_SHIFT", "ROUND_SCALE", "SAVINGS_SCALE",
    "SCHEMA_VERSION", "SEASON_SCALE", "SEAT", "SHIPS_SCALE", "TABLE", "TRADE_KINDS", "UNSEEN_GROUPS",
    "UNSEEN_GROUP_OF", "Block", "Piece", "axis_size", "blocks", "observation_size", "offset_within", "places",
    "scales", "shape_within", "whole_scales",
]  # fmt: skip

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
    size: int


UNSEEN_GROUPS = tuple(
    UnseenGroup(kind, SEASONS[season], size)
    for kind, per_season in KIND_SEASONS.items()
    if kind not in ("contract", "fireman", "fire")
    for season, size in enumerate(per_season)
    if size
)


def _groups_of_cards() -> np.ndarray:
    """For each card the number of its unseen group, -1 for contracts, firemen and fires."""
    numbers = {(group.kind, group.season): number for number, group in enumerate(UNSEEN_GROUPS)}
    return np.array(
        [numbers.get((KINDS[KIND_OF[card]], SEASONS[SEASON_OF[card]]), -1) for card in range(N_CARDS)], dtype=np.int8
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

TABLE, CONTRACT, COLUMN, SEAT = "table", "contract", "column", "seat"
BLOCKS = (TABLE, CONTRACT, COLUMN, SEAT)
"""The blocks in their order. `table` is there once, the others once for each contract, column and seat."""


class Piece(NamedTuple):
    """One named piece: where it belongs, how it is shaped, what it means, and how it becomes numbers from 0 to 1."""

    name: str
    block: str
    axes: tuple[str, ...]
    """Within one contract, column or seat."""
    meaning: str
    scale: int = 1
    """The natural number written as 1."""
    shift: int = 0
    """Added to the natural number before it is divided by `scale`."""
    clipped: bool = False
    """Whether values beyond the scale are possible (they are rare, and cut off)."""


PIECES = (
    Piece("phase", TABLE, ("phases",), "the phase, one-hot; zeros when the game is over"),
    Piece("stock", TABLE, ("goods",), "cubes in the stock", CUBE_SCALE),
    Piece("players", TABLE, ("player_counts",), "the number of players, one-hot"),
    Piece("round", TABLE, (), "rounds begun, 1..16", ROUND_SCALE),
    Piece("fires", TABLE, ("fires",), "value of each fire still to come, 0 once carried out", FIRE_SCALE),
    Piece("pile", TABLE, ("seasons",), "cards left in the pile, by season", SEASON_SCALE),
    Piece("unseen", TABLE, ("unseen_groups",), "share of the cards of a kind and season that are still in the pile"),
    Piece("unseen_firemen", TABLE, ("firemen",), "value of each fireman still in the pile, else 0", FIREMAN_SCALE),
    Piece("bag", TABLE, ("goods",), "cubes left in the bag", CUBE_SCALE),
    Piece("contract_unseen", CONTRACT, (), "1 if the contract is still in the pile"),
    Piece("contract_points", CONTRACT, (), "its points: 5, 8 or 11; 0 once discarded", CONTRACT_SCALE),
    Piece("contract_missing", CONTRACT, ("goods",), "cubes it still needs; zeros once discarded", NEED_SCALE),
    Piece("column_kind", COLUMN, ("kinds",), "kind of the card in the column, one-hot; zeros when it is gone"),
    Piece("column_value", COLUMN, (), "value of the fireman in the column", FIREMAN_SCALE),
    Piece("column_goods", COLUMN, ("goods",), "goods that the contract in the column asks for", NEED_SCALE),
    Piece("column_cargo", COLUMN, ("goods",), "cubes on the ship in the column", CARGO_SCALE),
    Piece("column_price", COLUMN, (), "workers above the card: what its lowest would pay now", SPACES),
    Piece("column_offer", COLUMN, (), "1 if the card is on offer (purchase)"),
    Piece("decides", SEAT, (), "1 if the seat decides"),
    Piece("first_player", SEAT, (), "1 if the seat has the first player marker"),
    Piece("workers", SEAT, (), "workers in hand", WORKERS),
    Piece("coins", SEAT, (), "coins, up to 16", COINS_SCALE),
    Piece("savings", SEAT, (), "coins beyond 16", SAVINGS_SCALE),
    Piece("bought", SEAT, (), "1 if the seat has bought a card this round (no extra coin at income)"),
    Piece("points", SEAT, (), "points, were the game to end now", POINTS_SCALE, POINTS_SHIFT, clipped=True),
    Piece("fire_points", SEAT, (), "points from fires so far", FIRE_POINTS_SCALE, FIRE_POINTS_SHIFT),
    Piece("firemen", SEAT, (), "sum of firemen's values", FIREMEN_SCALE, clipped=True),
    Piece("offices", SEAT, (), "counting offices owned", OFFICES_SCALE),
    Piece("ships", SEAT, (), "ships owned", SHIPS_SCALE),
    Piece("cubes", SEAT, ("goods",), "cubes kept, or being loaded", CUBE_SCALE),
    Piece("aboard", SEAT, ("goods",), "cubes on ships bought this round and not yet unloaded", CUBE_SCALE),
    Piece("buildings", SEAT, ("buildings",), "1 for each merchant and building owned"),
    Piece("contracts", SEAT, ("contracts",), "1 for each contract owned"),
    Piece("queue", SEAT, ("columns", "spaces"), "1 for each space above a card, lowest first, with the seat's worker"),
)

AXIS_LABELS: dict[str, tuple[str, ...]] = {
    "phases": PHASES[:3],
    "player_counts": tuple(str(players) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    "seasons": SEASONS,
    "fires": tuple(f"fire_{k + 1}" for k in range(N_FIRES)),
    "firemen": tuple(f"fireman_{k + 1}" for k in range(N_FIREMEN)),
    "contracts": tuple(f"contract_{k + 1}" for k in range(N_CONTRACTS)),
    "unseen_groups": tuple(f"{group.kind} {group.season}" for group in UNSEEN_GROUPS),
    "goods": GOODS,
    "kinds": TRADE_KINDS,
    "buildings": BUILDINGS,
}
"""What the positions along an axis stand for, where they have names."""


def axis_size(axis: str, seats: int) -> int:
    """Length of an axis with `seats` seats in view."""
    if axis == "columns":
        return seats + 1
    if axis == "spaces":
        return SPACES
    return len(AXIS_LABELS[axis])


def shape_within(piece: Piece, seats: int) -> tuple[int, ...]:
    """Shape of a piece within one contract, column or seat."""
    return tuple(axis_size(axis, seats) for axis in piece.axes)


class Block(NamedTuple):
    """Where a block lies in the vector: `items` stretches of `width` values, from `start`."""

    start: int
    items: int
    width: int

    @property
    def stop(self) -> int:
        """The first place behind the block."""
        return self.start + self.items * self.width


def blocks(seats: int) -> dict[str, Block]:
    """The four blocks with `seats` seats in view; ``vector[start:stop].reshape(items, width)`` gives the tokens."""
    found: dict[str, Block] = {}
    start = 0
    for name, items in zip(BLOCKS, (1, N_CONTRACTS, seats + 1, seats), strict=True):
        width = sum(prod(shape_within(piece, seats)) for piece in PIECES if piece.block == name)
        found[name] = Block(start, items, width)
        start = found[name].stop
    return found


def offset_within(name: str, seats: int) -> int:
    """Where a piece starts within its contract, column or seat, or within the table."""
    offset = 0
    wanted = piece_named(name)
    for piece in PIECES:
        if piece is wanted:
            break
        if piece.block == wanted.block:
            offset += prod(shape_within(piece, seats))
    return offset


def piece_named(name: str) -> Piece:
    """The piece of that name."""
    return next(piece for piece in PIECES if piece.name == name)


def places(name: str, seats: int) -> np.ndarray:
    """The indices of a piece in the vector, in the piece's shape; the first axis counts contracts, columns or seats."""
    piece = piece_named(name)
    block = blocks(seats)[piece.block]
    shape = shape_within(piece, seats)
    within = offset_within(name, seats) + np.arange(prod(shape)).reshape(shape)
    if piece.block == TABLE:
        return within
    starts = block.start + block.width * np.arange(block.items)
    return starts.reshape(-1, *(1,) * len(shape)) + within


def whole_scales(seats: int) -> np.ndarray:
    """(size,) int64: for each place of the observation the whole number that is written as 1."""
    scales = np.ones(observation_size(seats), dtype=np.int64)
    for piece in PIECES:
        scales[places(piece.name, seats)] = piece.scale
    scales[places("unseen", seats)] = [group.size for group in UNSEEN_GROUPS]
    return scales


def scales(seats: int) -> np.ndarray:
    """(size,) float32: what 1 in an observation of uint8 is in one of float32."""
    return (1 / whole_scales(seats)).astype(np.float32)


@cache
def observation_size(seats: int) -> int:
    """Length of the observation vector with `seats` seats in view."""
    return blocks(seats)[SEAT].stop
