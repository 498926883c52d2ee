"""Playouts: a game played to its end by a simple player, and what the end is worth to each seat."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.playout_policy import casual_action
from speicher_env.batch.step import random_action
from speicher_env.rewards import MARGIN, OUTCOME, write_rewards
from speicher_env.rules.state import OVER
from speicher_env.rules.turn import apply

Choose = Callable[[np.void, int, np.ndarray], int] | None
"""Who plays in playouts: a compiled player's function with its code, or None with one of the codes below."""
RANDOM_PLAY, CASUAL_PLAY = 0, 1


@jit
def play_out(game: np.void, choose: Choose, code: int, stream: np.ndarray) -> int:
    """Play a game to its end, all seats in the same manner; how many decisions that took."""
    decisions = 0
    while game["phase"] != OVER:
        if choose is not None:
            action = choose(game, code, stream)
        elif code == CASUAL_PLAY:
            action = casual_action(game, stream)
        else:
            action = random_action(game, stream)
        apply(game, action)
        decisions += 1
    return decisions


@jit
def write_payoffs(game: np.void, margin: float, payoffs: np.ndarray) -> None:
    """What the end of a game is worth to each seat: the outcome, with a part `margin` (0..1) of points ahead.

    `payoffs` has two rows of a number for each seat; the first takes the result, the second is for working.
    """
    write_rewards(game, OUTCOME, payoffs[0])
    if margin > 0.0:
        write_rewards(game, MARGIN, payoffs[1])
        for seat in range(game["players"]):
            payoffs[0, seat] += margin * (payoffs[1, seat] - payoffs[0, seat])
