"""What a player is shown of the decisions it has to make: a batch of them, with nothing hidden in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np


@dataclass(frozen=True)
class Views:
    """Decisions that wait for a player, one row each; a single game is a batch of one."""

    observations: np.ndarray
    """(rows, size) float32: each as the deciding seat sees it."""
    masks: np.ndarray
    """(rows, 184) int8, 1 = legal; at least two in every row."""
    states: np.ndarray
    """(rows,) STATE with the hidden cards and cubes in a fixed order and no seed."""
    seats: np.ndarray
    """(rows,) int8: the seat that decides."""

    def __len__(self) -> int:
        """Decisions to make."""
        return len(self.observations)


@runtime_checkable
class Player(Protocol):
    """Whoever can decide: give the id of a legal action for each row."""

    def act(self, views: Views) -> np.ndarray:
        """One action id for each row of the views."""


@dataclass(frozen=True)
class CompiledPlayer:
    """A player that runs inside the compiled step of a batch.

    `choose` is a function compiled with the signature `speicher_env.batch.CHOOSE`: (state, code, stream) -> action id.
    All compiled players of a batch share one function, which tells them apart by their codes, 1 or more. It is handed
    the whole state, which it must not change, and must not look at what the seat cannot see: the order of `pile` from
    `pile_next` on, of `bag` from `bag_next` on, and `seed`.
    """

    name: str
    choose: object
    code: int
