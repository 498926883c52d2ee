"""`shipper`: ships, the merchants that buy their goods, and the market hall for the rest.

Goods are coins: early merchants make every ship pay for itself, and the coins buy the dear cards of the end.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import cargo_worth, worth_of
from speicher_agents.scripted.remaining import rounds_to_come, ships_to_come
from speicher_env.rules.cards import (
    BANK,
    CARPET_TRADER,
    COFFEE_ROASTER,
    CONTRACT,
    KIND_OF,
    PORT,
    SHIP,
    WAREHOUSE,
)
from speicher_env.rules.state import EMPTY

__all__ = ["shipper_wish"]

SHIP_PRICE = 1.2
"""Coins for each coin that a ship's cargo is worth."""
MERCHANT_PER_SHIP = 0.25
"""Coins for a merchant, for each ship to come."""
ELSEWHERE = 0.7
"""Share of a card's worth that it pays for anything else, before the last rounds."""
CONTRACTS = 0.4
"""The same for contracts, which take goods away."""
LATE_ROUNDS = 4
"""Rounds at the end in which coins have to become points."""


@jit
def shipper_wish(game: np.void, seat: int, column: int) -> float:
    """Ships and what makes money of them; late in the year everything at its worth."""
    card = game["card"][column]
    if card == EMPTY:
        return 0.0
    kind = KIND_OF[card]
    worth = worth_of(game, seat, column)
    if kind == SHIP:
        return SHIP_PRICE * cargo_worth(game, seat, column)
    if COFFEE_ROASTER <= kind <= CARPET_TRADER:
        return MERCHANT_PER_SHIP * ships_to_come(game)
    if kind in (WAREHOUSE, PORT, BANK):
        return worth
    if kind == CONTRACT:
        return CONTRACTS * worth
    return worth if rounds_to_come(game) < LATE_ROUNDS else ELSEWHERE * worth
