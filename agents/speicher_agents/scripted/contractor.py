"""`contractor`: contracts first, then the ships that fill them.

It takes on contracts up to a number it can fill, the large ones dearest, and values a ship by the goods that its open
contracts need. Cubes go to contracts, by conversion too, before they become coins.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import needed_by, open_contracts, worth_of
from speicher_agents.scripted.remaining import rounds_to_come
from speicher_env.rules.cards import CONTRACT, CUBES_PER_SHIP, KIND_OF, SHIP, WAREHOUSE
from speicher_env.rules.loading import contract_value
from speicher_env.rules.state import EMPTY

__all__ = ["contractor_wish"]

MOST_OPEN = 3
"""Open contracts from which on it wants no more."""
CONTRACT_PRICE = 0.45
"""Coins for each point of a contract."""
NEEDED_CUBE = 1.8
"""Coins for a cube that one of its contracts needs."""
ELSEWHERE = 0.8
"""Share of a card's worth that it pays for anything else."""


@jit
def contractor_wish(game: np.void, seat: int, column: int) -> float:
    """Contracts while few are open, ships by needed goods, the warehouse; other cards below their worth."""
    card = game["card"][column]
    kind = KIND_OF[card] if card != EMPTY else card
    if kind == CONTRACT:
        if open_contracts(game, seat) >= MOST_OPEN or rounds_to_come(game) == 0:
            return 0.0
        return CONTRACT_PRICE * contract_value(game, card)
    if kind == SHIP:
        worth = 0.0
        for place in range(CUBES_PER_SHIP):
            worth += NEEDED_CUBE if needed_by(game, seat, game["cargo"][column, place]) > 0 else ELSEWHERE
        return worth
    if kind == WAREHOUSE:
        return worth_of(game, seat, column)
    return ELSEWHERE * worth_of(game, seat, column)
