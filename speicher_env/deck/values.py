"""The numbers of a deck as the game state carries them."""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import MAX_CONTRACT_SIZE, N_CONTRACTS, N_FIREMEN, N_FIRES

__all__ = ["DECK_VALUES", "NO_GOOD"]

NO_GOOD = -1
"""Fills a contract's row after its last good."""

DECK_VALUES = np.dtype(
    [
        # Points of fire_1..fire_4, each FIRE_RANGE, non-decreasing. No empty value: every deck has all four.
        ("fire_value", np.int8, (N_FIRES,)),
        # Strength of fireman_1..fireman_10, each FIREMAN_RANGE; the last three (autumn) hold a 3.
        # No empty value: a fireman taken out at setup keeps his number here.
        ("fireman_value", np.int8, (N_FIREMEN,)),
        # Good numbers 0..4 (see GOODS) of contract_1..contract_10 in the order of the card: 2 to 4 goods,
        # then -1 (NO_GOOD) to the end of the row.
        ("contract_goods", np.int8, (N_CONTRACTS, MAX_CONTRACT_SIZE)),
    ]
)
"""What differs between decks, 54 bytes. It is part of every game state, so a batch may mix decks."""
