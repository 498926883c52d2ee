"""The legal actions of a state, read in plain Python.

`speicher_env.rules.legal` is for compiled code: handing it a record from Python costs more than reading a bit here.
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.actions import ACTIONS, Action

__all__ = ["is_legal", "legal_actions"]


def is_legal(state: np.void, action: int) -> bool:
    """Whether an action, 0..183, is legal now."""
    return bool(_legal_set(state) >> action & 1)


def legal_actions(state: np.void) -> list[Action]:
    """The actions that the deciding seat may choose, in action order; none when the game is over."""
    legal = _legal_set(state)
    return [action for action in ACTIONS if legal >> action.id & 1]


def _legal_set(state: np.void) -> int:
    """The set of legal actions as one number: action a is bit a."""
    return int.from_bytes(state["legal"].tobytes(), "little")
