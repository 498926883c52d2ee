"""Fire: the most firemen gain points, the fewest lose them."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit

__all__ = ["carry_out_fire"]


@jit
def carry_out_fire(game: np.void, value: int) -> None:
    """Give the fire's value to the highest sum of firemen and take it from the lowest.

    All tied players gain or lose; nothing happens if all sums are equal.
    """
    firemen = game["firemen"]
    highest = firemen[0]
    lowest = firemen[0]
    for seat in range(1, game["players"]):
        highest = max(highest, firemen[seat])
        lowest = min(lowest, firemen[seat])
    if highest == lowest:
        return
    for seat in range(game["players"]):
        if firemen[seat] == highest:
            game["fire_points"][seat] += value
        elif firemen[seat] == lowest:
            game["fire_points"][seat] -= value
