"""The layout of the state: one NumPy record is one game.

The record holds everything, chance included (the pile and the bag are shuffled once, at the deal), so that NumPy does
the copying, comparing, hashing and pickling of games. Seats are absolute: 0..players-1, clockwise. Each field gives its
range and its empty value; unused seats and columns keep the value of a blank state.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import (
    CUBES_PER_SHIP,
    MAX_CONTRACT_SIZE,
    N_CARDS,
    N_CONTRACTS,
    N_CUBES,
    N_FIREMEN,
    N_FIRES,
    N_GOODS,
)

__all__ = [
    "DEMAND", "DISCARDED", "EMPTY", "IN_PILE", "LEGAL_WORDS", "LOADING", "MARKET_HALL_SPACE", "MAX_COLUMNS",
    "MAX_PLAYERS", "MIN_PLAYERS", "N_STATE_BYTES", "ON_TABLE", "OVER", "OWN_DECK", "PHASES", "PURCHASE", "REMOVED",
    "SAMPLED_DECK", "SPACES", "STANDARD_DECK", "START_COINS", "STATE", "VERSION", "WAREHOUSE_SPACE", "WORKERS",
    "blank_states",
]  # fmt: skip

VERSION = 1
"""Number of this layout. A state written with another number is refused, never misread."""

MIN_PLAYERS, MAX_PLAYERS = 2, 5
MAX_COLUMNS = MAX_PLAYERS + 1
SPACES = 8
"""Spaces for workers above one card."""
WORKERS = 3
"""Workers of each player."""
START_COINS = 5
WAREHOUSE_SPACE = 4
MARKET_HALL_SPACE = 1

EMPTY = -1
"""No card, no worker, no player, no cube."""

# Phases with decisions, and the end. Supply and income have none.
DEMAND, PURCHASE, LOADING, OVER = 0, 1, 2, 3
PHASES = ("demand", "purchase", "loading", "over")

# Where a card is (field `owner`), when no seat owns it.
IN_PILE, ON_TABLE, DISCARDED, REMOVED = -1, -2, -3, -4

# Which deck the values came from (field `deck`).
STANDARD_DECK, SAMPLED_DECK, OWN_DECK = 0, 1, 2

LEGAL_WORDS = 3
"""64-bit words that hold the set of legal actions: action a is bit a % 64 of word a // 64."""

STATE = np.dtype(
    [
        ("seed", np.uint64),  # that the game was dealt from, 0..2**64-1; 0 in a view that hides it
        ("legal", np.uint64, (LEGAL_WORDS,)),  # legal actions of `player`; zeros when over
        ("coins", np.int16, (MAX_PLAYERS,)),  # >= 0
        ("version", np.int8),  # VERSION
        ("deck", np.int8),  # STANDARD_DECK, SAMPLED_DECK, OWN_DECK
        ("players", np.int8),  # 2..5
        ("phase", np.int8),  # DEMAND, PURCHASE, LOADING, OVER
        ("round", np.int8),  # 1..16, supplies that laid out trade cards
        ("first_player", np.int8),  # seat that holds the marker
        ("player", np.int8),  # seat that decides, EMPTY when over
        ("offer", np.int8),  # PURCHASE: column on offer, else EMPTY
        ("loaded", np.int8),  # LOADING: seats that are done this round, 0..players; else 0
        ("pile_next", np.int8),  # index of the top card in `pile`
        ("pile_size", np.int8),  # cards in the pile as shuffled, 52..54
        ("bag_next", np.int8),  # index of the next cube in `bag`, 0..45
        # The deck's values.
        ("fire_value", np.int8, (N_FIRES,)),  # 1..6
        ("fireman_value", np.int8, (N_FIREMEN,)),  # 1..5
        ("contract_goods", np.int8, (N_CONTRACTS, MAX_CONTRACT_SIZE)),  # good, EMPTY after the last
        # Cards.
        (
            "pile",
            np.int8,
            (N_CARDS,),
        ),  # card numbers, top first; the whole pile as shuffled; EMPTY after the last
        ("owner", np.int8, (N_CARDS,)),  # seat, or IN_PILE, ON_TABLE, DISCARDED, REMOVED
        ("missing", np.int8, (N_CONTRACTS, N_GOODS)),  # cubes that the contract still needs, 0..4
        # Cubes, counted by good unless in an order.
        ("bag", np.int8, (N_CUBES,)),  # goods in the order they are drawn
        ("stock", np.int8, (N_GOODS,)),  # 0..9
        ("cubes", np.int8, (MAX_PLAYERS, N_GOODS)),  # kept or being loaded: one pool of each seat, 0..9
        ("aboard", np.int8, (MAX_PLAYERS, N_GOODS)),  # on ships bought this round and not yet unloaded
        # The table.
        ("card", np.int8, (MAX_COLUMNS,)),  # card in each column, left to right; EMPTY once sold or discarded
        ("cargo", np.int8, (MAX_COLUMNS, CUBES_PER_SHIP)),  # goods on the ship in the column, else EMPTY
        (
            "queue",
            np.int8,
            (MAX_COLUMNS, SPACES),
        ),  # seats above the card, lowest first, EMPTY after the last
        ("standing", np.int8, (MAX_COLUMNS,)),  # workers above the card: the price, 0..8
        # Seats.
        ("workers", np.int8, (MAX_PLAYERS,)),  # in hand, 0..3
        ("bought", np.int8, (MAX_PLAYERS,)),  # cards bought this round
        ("fire_points", np.int8, (MAX_PLAYERS,)),  # may be negative
        # Sums, updated with every purchase and delivery, because each observation needs them.
        ("firemen", np.int8, (MAX_PLAYERS,)),  # sum of owned firemen's values, 0..50
        ("offices", np.int8, (MAX_PLAYERS,)),  # counting offices owned, 0..4
        ("ships", np.int8, (MAX_PLAYERS,)),  # ships owned, 0..15
        ("contract_points", np.int8, (MAX_PLAYERS,)),  # points of complete contracts, 0..110
        # Always 0. Fills the record up to whole words: NumPy does not copy bytes between fields, and two equal games
        # would differ in their bytes.
        ("unused", np.int8),
    ],
    align=True,
)

N_STATE_BYTES = STATE.itemsize


def blank_states(count: int) -> np.ndarray:
    """Records in which no game has been dealt: every field at its empty value."""
    states = np.zeros(count, dtype=STATE)
    states["version"] = VERSION
    for field in ("player", "offer", "contract_goods", "pile", "bag", "card", "cargo", "queue"):
        states[field] = EMPTY
    states["phase"] = OVER
    states["owner"] = IN_PILE
    return states
