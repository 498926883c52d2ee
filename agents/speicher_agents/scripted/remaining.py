"""What is public about the rest of the year: rounds, ships, fires and firemen that are still to come."""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_env.rules.cards import FIRE_1, N_FIRES, N_SHIPS, SHIP_1
from speicher_env.rules.state import IN_PILE

__all__ = ["fire_points_to_come", "rounds_to_come", "ships_to_come"]


@jit
def in_pile(game: np.void, first: int, count: int) -> int:
    """Of that many cards from `first` on, those still in the pile."""
    cards = 0
    for card in range(first, first + count):
        cards += game["owner"][card] == IN_PILE
    return cards


@jit
def fires_to_come(game: np.void) -> int:
    """Fires still in the pile; the 4th is among them up to the end."""
    return in_pile(game, FIRE_1, N_FIRES)


@jit
def fire_points_to_come(game: np.void) -> int:
    """Points of the fires still in the pile, together."""
    points = 0
    for fire in range(N_FIRES):
        if game["owner"][FIRE_1 + fire] == IN_PILE:
            points += int(game["fire_value"][fire])
    return points


@jit
def rounds_to_come(game: np.void) -> int:
    """Rounds after this one."""
    trade_cards = int(game["pile_size"]) - int(game["pile_next"]) - fires_to_come(game)
    return trade_cards // (int(game["players"]) + 1)


@jit
def ships_to_come(game: np.void) -> int:
    """Ships still in the pile."""
    return in_pile(game, SHIP_1, N_SHIPS)
