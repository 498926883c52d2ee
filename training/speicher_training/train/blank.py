"""A network that has learned nothing, to stand in until there is one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from speicher_agents.baselines import Card, Layer, Network
from speicher_env.rules.actions import N_ACTIONS


def blank_network(card: Card) -> Network:
    """A network in the shape that a card gives, all of it 0: every legal action alike, every value 0."""

    def stack(hidden: Sequence[int], outputs: int) -> tuple[Layer, ...]:
        widths = [card.size, *hidden, outputs]
        return tuple(
            Layer(np.zeros((inputs, width), np.float32), np.zeros(width, np.float32))
            for inputs, width in pairwise(widths)
        )

    return Network(stack(card.hidden["policy"], N_ACTIONS), stack(card.hidden["value"], 1), card.activation)
