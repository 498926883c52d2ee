"""The spaces of observations, masks and actions, the same in every environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from speicher_env.observation import RowFormat
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import MAX_PLAYERS

__all__ = [
    "MASK_DTYPES",
    "OBSERVATIONS",
    "action_space",
    "mask_space",
    "masked_space",
    "observation_space",
    "seats_in_view",
    "vector_space",
]

OBSERVATIONS = ("dict", "vector")
"""What `observation` can be: a dict of ``observation`` and ``action_mask``, or the observation vector alone."""
MASK_DTYPES = ("int8", "bool")
"""What `mask_dtype` can be. Gymnasium and PettingZoo want int8; TorchRL and most network code want bool."""


def seats_in_view(num_players: int, padded: bool) -> int:
    """Seats that an observation has room for."""
    return MAX_PLAYERS if padded else num_players


def vector_space(seats: int, figures: bool = False, dtype: str = "float32") -> spaces.Box:
    """The observation vector, with its figures after it where asked for, as float32 or uint8."""
    row_format = RowFormat(seats, figures, dtype)
    if dtype == "float32" and not figures:
        return spaces.Box(0.0, 1.0, (row_format.size,), np.float32)
    lowest, highest = row_format.bounds
    numbers: Any = np.dtype(dtype)
    return spaces.Box(lowest, highest, dtype=numbers)


def mask_space(mask_dtype: str = "int8") -> spaces.Box:
    """The mask: 1 or True for a legal action."""
    dtype: Any = np.dtype(mask_dtype)
    return spaces.Box(0, 1, (N_ACTIONS,), dtype)


def masked_space(seats: int, mask_dtype: str = "int8", figures: bool = False, dtype: str = "float32") -> spaces.Dict:
    """The observation vector with its mask."""
    return spaces.Dict({"observation": vector_space(seats, figures, dtype), "action_mask": mask_space(mask_dtype)})


def observation_space(
    observation: str, seats: int, mask_dtype: str = "int8", figures: bool = False, dtype: str = "float32"
) -> spaces.Box | spaces.Dict:
    """The space for the argument `observation`."""
    if observation == "dict":
        return masked_space(seats, mask_dtype, figures, dtype)
    return vector_space(seats, figures, dtype)


def action_space() -> spaces.Discrete:
    """The 184 actions, for every player count."""
    return spaces.Discrete(N_ACTIONS)
