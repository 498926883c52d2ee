"""The spaces that every environment here shares."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import MAX_PLAYERS


def seats_in_view(num_players: int, padded: bool) -> int:
    """Seats that an observation has room for."""
    return MAX_PLAYERS if padded else num_players


def vector_space(seats: int) -> spaces.Box:
    """The plain observation vector."""
    return spaces.Box(0.0, 1.0, (observation_size(seats),), np.float32)


def mask_space() -> spaces.Box:
    """The mask: 1 = legal."""
    return spaces.Box(0, 1, (N_ACTIONS,), np.int8)


def masked_space(seats: int) -> spaces.Dict:
    """The observation vector with its mask."""
    return spaces.Dict({"observation": vector_space(seats), "action_mask": mask_space()})


def action_space() -> spaces.Discrete:
    """The 184 actions, for every player count."""
    return spaces.Discrete(N_ACTIONS)
