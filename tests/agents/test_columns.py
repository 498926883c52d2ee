"""The places of a column: all that is said about it, in the same order for every column."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents.baselines.columns import column_places
from speicher_env.observation import FIGURES, figure_places, observation_size, observe, places
from speicher_env.rules.state import EMPTY, MAX_PLAYERS
from tests.support.slow_figures import positions

every_count = pytest.mark.parametrize("players", [2, 3, 4, 5])
every_size = pytest.mark.parametrize("seats", [2, 3, 4, 5])


@every_size
@pytest.mark.parametrize("figures", [False, True])
def test_a_columns_places_are_all_that_is_told_about_it_and_nothing_else(seats: int, figures: bool):
    size = observation_size(seats)
    of_columns = column_places(size, figures)
    pieces = [places(f"column_{name}", seats) for name in ("kind", "value", "goods", "cargo", "price", "offer")]
    pieces.append(places("queue", seats).swapaxes(0, 1))
    if figures:
        by_name = figure_places(seats)
        pieces += [size + by_name[figure.name] for figure in FIGURES if "columns" in figure.axes]
    for column, row in enumerate(of_columns.tolist()):
        assert sorted(row) == sorted(np.concatenate([piece[column].ravel() for piece in pieces]).tolist())


@every_count
@pytest.mark.parametrize("figures", [False, True])
def test_columns_that_change_places_change_rows_and_nothing_else(players: int, figures: bool):
    """The cards of a state in another order, with all that lies and stands there."""
    states = positions(players)
    order = np.random.default_rng(players).permutation(players + 1)
    order = order if (order != np.arange(players + 1)).any() else order[::-1]
    moved = states.copy()
    for field in ("card", "cargo", "queue", "standing"):
        moved[field][:, : players + 1] = states[field][:, order]
    offered = states["offer"] != EMPTY
    moved["offer"][offered] = np.argsort(order)[states["offer"][offered]]
    for seats in sorted({players, MAX_PLAYERS}):
        viewers = np.full(len(states), players - 1)
        before, after = (observe(each, viewers, seats, figures=figures) for each in (states, moved))
        of_columns = column_places(observation_size(seats), figures)
        whole_order = np.concatenate([order, np.arange(players + 1, seats + 1)])
        assert not np.array_equal(before, after)
        assert np.array_equal(after[:, of_columns], before[:, of_columns[whole_order]])
        rest = np.setdiff1d(np.arange(before.shape[1]), of_columns)
        assert np.array_equal(after[:, rest], before[:, rest])
