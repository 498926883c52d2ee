"""A network that has learned nothing, to stand in until there is one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from speicher_agents.baselines import Card, Layer, Network
from speicher_agents.baselines.network import column_inputs_of, inputs_of
from speicher_env.rules.actions import N_ACTIONS


def blank_network(card: Card) -> Network:
    """A network in the shape that a card gives, all of it 0: every legal action alike, every value 0."""
    columns = card.hidden.get("columns", [])
    inputs = inputs_of(card.size, card.figures, columns)

    def stack(*widths: int) -> tuple[Layer, ...]:
        return tuple(
            Layer(np.zeros((before, width), np.float32), np.zeros(width, np.float32))
            for before, width in pairwise(widths)
        )

    return Network(
        stack(inputs, *card.hidden["policy"], N_ACTIONS), stack(inputs, *card.hidden["value"], 1), card.activation,
        card.figures, stack(column_inputs_of(card.size, card.figures), *columns) if columns else (),
    )  # fmt: skip
