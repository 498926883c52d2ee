"""Which numbers that a network reads belong to a column, so that the same layers may read every column alike.

What a network learns about the card in one column then holds for all of them, and it need not learn it three to six
times over.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from speicher_env.observation import FIGURES, blocks, figure_places, format_of, places

__all__ = ["column_places"]


@cache
def column_places(size: int, figures: bool) -> np.ndarray:
    """(columns, numbers): for each column the places of all numbers that describe it, in the same order.

    Args:
        size: Length of the observation.
        figures: Whether its figures follow it.
    """
    seats = format_of(size).seats
    block = blocks(seats)["column"]
    card = block.start + np.arange(block.items * block.width).reshape(block.items, block.width)
    queues = places("queue", seats).swapaxes(0, 1)
    arrays = [card, queues]
    if figures:
        by_name = figure_places(seats)
        arrays += [size + by_name[figure.name] for figure in FIGURES if figure.axes[:1] == ("columns",)]
    return np.concatenate([array.reshape(seats + 1, -1) for array in arrays], axis=1)
