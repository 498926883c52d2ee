"""Income: coins for everyone, and the first player moves to the left."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import BANK_CARD

INCOME = 1
CONSOLATION = 1
"""For who bought no card this round."""
BANK_INCOME = 1


@jit
def income(game: np.void) -> None:
    """1 coin each, 1 more for who bought no card this round, 1 more for the bank."""
    for seat in range(game["players"]):
        game["coins"][seat] += INCOME
        if game["bought"][seat] == 0:
            game["coins"][seat] += CONSOLATION
        game["bought"][seat] = 0
    if game["owner"][BANK_CARD] >= 0:
        game["coins"][game["owner"][BANK_CARD]] += BANK_INCOME
    following = game["first_player"] + 1
    game["first_player"] = following if following < game["players"] else 0
