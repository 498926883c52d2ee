"""Small endings solved exactly: every action and every reply, by brute force and in plain Python.

Each seat takes what pays itself most (max^n), ties going to the lower action id. The position must be in the last
round, so that nothing is left to chance.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rewards import OUTCOME, write_rewards_at
from speicher_env.rules.turn import step
from tests.support.positions import legal_ids, player


def action_values(states: np.ndarray) -> dict[int, np.ndarray]:
    """What each legal action pays every seat when all seats go on playing for themselves."""
    values = {}
    for action in legal_ids(states):
        after = states.copy()
        assert step(after, 0, action)
        values[action] = payoffs(after)
    return values


def payoffs(states: np.ndarray) -> np.ndarray:
    """What the position pays every seat."""
    seat = player(states)
    if seat is None:
        paid = np.zeros(int(states["players"][0]))
        write_rewards_at(states, 0, OUTCOME, paid)
        return paid
    return max(action_values(states).values(), key=lambda paid: paid[seat])
