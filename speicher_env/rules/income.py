"""Income: coins for everyone, and the first player moves to the left."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import BANK_CARD

__all__ = ["BANK_INCOME", "CONSOLATION", "INCOME", "income", "income_of"]

INCOME = 1
CONSOLATION = 1
"""For players who bought no card this round."""
BANK_INCOME = 1


@jit
def income_of(game: np.void, seat: int) -> int:
    """The coins a seat gets: 1, 1 more if it bought no card this round, 1 more for the bank."""
    coins = INCOME
    if game["bought"][seat] == 0:
        coins += CONSOLATION
    if game["owner"][BANK_CARD] == seat:
        coins += BANK_INCOME
    return coins


@jit
def income(game: np.void) -> None:
    """Pay every seat; the marker of the first player moves to the left."""
    for seat in range(game["players"]):
        game["coins"][seat] += income_of(game, seat)
        game["bought"][seat] = 0
    following = game["first_player"] + 1
    game["first_player"] = following if following < game["players"] else 0
