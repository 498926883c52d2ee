"""`firechief`: wins fires. A fire moves its points twice, to the strongest and away from the weakest.

It pays most for firemen while its lead is smaller than what others could still gain on it, then nearly nothing for
more of them, and buys other cards only when they are cheap.
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.card_values import worth_of
from speicher_agents.scripted.remaining import fire_points_to_come
from speicher_env.rules.cards import FIREMAN, FIREMAN_1, KIND_OF
from speicher_env.rules.state import EMPTY

__all__ = ["firechief_wish"]

SAFE_LEAD = 6
"""A lead over the strongest other that two firemen hardly make good."""
FIREMAN_PRICE = 0.17
"""Coins it pays for each value of a fireman and each point of the fires to come, as long as its lead is not safe."""
ELSEWHERE = 0.6
"""Share of a card's worth that it pays for anything else."""


@jit
def lead(game: np.void, seat: int) -> int:
    """How much a seat's firemen exceed those of the strongest other; negative behind."""
    strongest = 0
    for other in range(int(game["players"])):
        if other != seat:
            strongest = max(strongest, int(game["firemen"][other]))
    return int(game["firemen"][seat]) - strongest


@jit
def firechief_wish(game: np.void, seat: int, column: int) -> float:
    """Firemen by their value and the fires to come, other cards below their worth."""
    card = game["card"][column]
    if card == EMPTY or KIND_OF[card] != FIREMAN or lead(game, seat) >= SAFE_LEAD:
        return ELSEWHERE * worth_of(game, seat, column)
    return FIREMAN_PRICE * game["fireman_value"][card - FIREMAN_1] * fire_points_to_come(game)
