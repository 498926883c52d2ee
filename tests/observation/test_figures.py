"""Figures that may follow an observation: right, public, each where it is said to be."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from speicher_env.observation import (
    FIGURES,
    FIGURES_VERSION,
    RowFormat,
    figure_places,
    figures_size,
    observation_size,
    observe,
)
from speicher_env.observation.figures import figure_ranges
from speicher_env.rules.hidden import redeal_at
from speicher_env.rules.state import MAX_PLAYERS, PHASES
from tests.support.slow_figures import Reading, positions

every_count = pytest.mark.parametrize("players", [2, 3, 4, 5])
every_size = pytest.mark.parametrize("seats", [2, 3, 4, 5])
EXACT = 1e-6


def figures(players: int, viewer: int, seats: int, dtype: str = "float32") -> np.ndarray:
    """The figures of all positions as a seat sees them."""
    states = positions(players)
    rows = observe(states, np.full(len(states), viewer), seats, figures=True, dtype=dtype)
    return rows[:, observation_size(seats) :]


@every_count
def test_the_positions_are_many_and_of_all_phases(players: int):
    assert len(positions(players)) > 100
    assert set(positions(players)["phase"]) == set(range(len(PHASES)))


@every_count
def test_every_figure_is_what_a_slow_reading_of_the_state_gives(players: int):
    for seats in sorted({players, MAX_PLAYERS}):
        for viewer in range(players):
            rows = figures(players, viewer, seats)
            for state, row in zip(positions(players)[viewer::players], rows[viewer::players], strict=True):
                expected = Reading(state, viewer, seats).figures()
                assert list(expected) == [figure.name for figure in FIGURES]
                for name, where in figure_places(seats).items():
                    assert np.shape(expected[name]) == where.shape, name
                    np.testing.assert_allclose(row[where], expected[name], rtol=0, atol=EXACT, err_msg=name)


@every_count
def test_no_figure_is_always_0(players: int):
    for seats in sorted({players, MAX_PLAYERS}):
        rows = np.concatenate([figures(players, viewer, seats) for viewer in range(players)])
        assert [name for name, where in figure_places(seats).items() if not rows[:, where].any()] == []


@every_count
def test_figures_do_not_depend_on_what_is_hidden(players: int):
    """Nor on other states in the array. That they follow from the observation alone, test_nothing_public... shows."""
    states = positions(players).copy()
    viewers = np.arange(len(states)) % players
    rows = observe(states, viewers, figures=True)
    for index in range(len(states)):
        redeal_at(states, index, index)
    assert states.tobytes() != positions(players).tobytes()
    np.testing.assert_array_equal(observe(states, viewers, figures=True), rows)
    np.testing.assert_array_equal(observe(states[::7], viewers[::7], figures=True), rows[::7])


@every_count
def test_as_whole_numbers_figures_are_the_same(players: int):
    for seats in sorted({players, MAX_PLAYERS}):
        plain, whole = RowFormat(seats, True), RowFormat(seats, True, "uint8")
        start = observation_size(seats)
        for viewer in range(players):
            floats, numbers = (figures(players, viewer, seats, dtype) for dtype in ("float32", "uint8"))
            assert numbers.dtype == np.uint8
            np.testing.assert_array_equal(
                (numbers.astype(np.float32) - whole.offsets[start:]) * whole.scales[start:], floats
            )
            for rows, row_format in ((floats, plain), (numbers, whole)):
                lowest, highest = row_format.bounds
                assert (rows >= lowest[start:]).all() and (rows <= highest[start:]).all()
                assert lowest.dtype == highest.dtype == rows.dtype


@every_size
def test_every_place_after_the_observation_belongs_to_one_figure(seats: int):
    every_place = np.concatenate([array.ravel() for array in figure_places(seats).values()])
    assert sorted(every_place.tolist()) == list(range(figures_size(seats)))
    assert RowFormat(seats, True).size == observation_size(seats) + figures_size(seats)


def test_no_figure_changed_its_place_or_meaning_without_a_new_version():
    """Trained weights hang on this. If it fails on purpose, count FIGURES_VERSION up and write the new values here."""
    layout = [(figure.name, figure.axes, figure.scale, figure.lowest, figure.highest) for figure in FIGURES]
    ranges = [[array.tolist() for array in figure_ranges(seats)] for seats in (2, 3, 4, 5)]
    digest = hashlib.sha256(repr((layout, ranges)).encode()).hexdigest()[:16]
    assert (FIGURES_VERSION, digest) == (1, "65d24b59847cc097")
    assert [figures_size(seats) for seats in (2, 3, 4, 5)] == [200, 272, 358, 458]


def test_no_name_is_given_twice():
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names)
