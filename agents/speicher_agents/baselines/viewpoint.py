"""Observations as another seat has them, and in another size."""

from __future__ import annotations

from functools import cache

import numpy as np

from speicher_env.observation import Block, blocks, observation_size, places
from speicher_env.observation.encode import observe_at


def encode(states: np.ndarray, viewers: np.ndarray, seats: int) -> np.ndarray:
    """(rows, size) float32: each state as a seat sees it, with room for `seats` seats."""
    rows = np.zeros((len(states), observation_size(seats)), dtype=np.float32)
    for row in range(len(states)):
        observe_at(states, row, int(viewers[row]), seats, rows[row])
    return rows


def from_seat(observations: np.ndarray, step: int, players: int, seats: int) -> np.ndarray:
    """Observations as the seat `step` places on has them, were the decision its own.

    Everything is public, and only the seats' own stretches say whose view it is: turn them.
    """
    block, decides = _seats_in(seats)
    turned = observations.copy()
    tokens = turned[:, block.start : block.stop].reshape(len(turned), block.items, block.width)
    tokens[:, :players] = np.roll(tokens[:, :players], -step, axis=1)
    turned[:, decides] = 0.0
    turned[:, decides[0]] = 1.0
    return turned


@cache
def _seats_in(seats: int) -> tuple[Block, np.ndarray]:
    """Where the seats' stretches lie, and in each the place that says whether the seat decides."""
    return blocks(seats)["seat"], places("decides", seats)
