"""Figures and columns that networks may read: right, from the observation alone, and each where it is said to be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import FIGURES, figure_places, figures_size, seats_of, with_figures
from speicher_agents.baselines.viewpoint import encode
from speicher_agents.scripted import CODES, choose
from speicher_env.observation import observation_size, places
from speicher_env.rules.actions import ACTION_TEXTS, BUY
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, PHASES
from speicher_env.rules.turn import step
from tests.support.agent_positions import stream_of
from tests.support.positions import deal_game, legal_ids
from tests.support.slow_figures import Reading

every_count = pytest.mark.parametrize("players", [2, 3, 4, 5])
every_size = pytest.mark.parametrize("seats", [2, 3, 4, 5])
EXACT = 1e-6
END = ACTION_TEXTS.index("end")


def game(players: int, seed: int) -> Iterator[np.ndarray]:
    """A game of players that buy most of what they can pay, keep their cubes for long, or play as merchants."""
    states = deal_game(players, "standard" if seed % 2 else "sampled", seed)
    rng, stream = random.Random(seed), stream_of(seed)
    while states["player"][0] != EMPTY:
        yield states
        legal = legal_ids(states)
        if (int(states["player"][0]) + seed) % 2:
            action = int(choose(states[0], CODES["merchant"], stream))
        elif BUY in legal and rng.random() < 0.8:
            action = BUY
        elif END in legal and rng.random() < 0.5:
            action = END
        else:
            action = rng.choice(legal)
        assert step(states, 0, action)
    yield states


@cache
def positions(players: int) -> np.ndarray:
    """Positions of several games, from beginning to end, and the rare ones with all cubes for a contract at hand."""
    found = [states.copy() for seed in range(6) for states in game(players, seed)]
    rare = [states for states in found if could_complete(states[0])]
    return np.concatenate([*found[:: len(found) // 110], *rare[:: max(len(rare) // 10, 1)], found[-1]])


def could_complete(state: np.void) -> bool:
    """Whether a seat has the cubes that a contract of its own still needs."""
    return any(
        owner >= 0 and missing.any() and (missing <= state["cubes"][owner]).all()
        for owner, missing in zip(state["owner"], state["missing"], strict=False)
    )


def observations(players: int, viewer: int, seats: int) -> np.ndarray:
    """All positions as a seat sees them."""
    states = positions(players)
    return encode(states, np.full(len(states), viewer), seats)


@every_count
def test_the_positions_are_many_and_of_all_phases(players: int):
    assert len(positions(players)) > 100
    assert set(positions(players)["phase"]) == set(range(len(PHASES)))


@every_count
def test_every_figure_is_what_a_slow_reading_of_the_state_gives(players: int):
    for seats in sorted({players, MAX_PLAYERS}):
        for viewer in range(players):
            rows = with_figures(observations(players, viewer, seats))[:, observation_size(seats) :]
            for state, row in zip(positions(players)[viewer::players], rows[viewer::players], strict=True):
                wanted = Reading(state, viewer, seats).figures()
                assert list(wanted) == [figure.name for figure in FIGURES]
                for name, where in figure_places(seats).items():
                    assert np.shape(wanted[name]) == where.shape, name
                    np.testing.assert_allclose(row[where], wanted[name], rtol=0, atol=EXACT, err_msg=name)


@every_count
def test_no_figure_is_always_0(players: int):
    for seats in sorted({players, MAX_PLAYERS}):
        seen = np.concatenate([observations(players, viewer, seats) for viewer in range(players)])
        rows = with_figures(seen)[:, observation_size(seats) :]
        assert [name for name, where in figure_places(seats).items() if not rows[:, where].any()] == []


@every_count
def test_figures_follow_from_the_observation_alone_and_leave_it_as_it_is(players: int):
    seen = observations(players, 0, players)
    before = seen.copy()
    rows = with_figures(seen)
    assert rows.dtype == np.float32
    assert np.array_equal(seen, before) and np.array_equal(rows[:, : seen.shape[1]], seen)
    for row, whole in zip(seen[::9], rows[::9], strict=True):
        assert np.array_equal(with_figures(row[None])[0], whole), "another row in the batch changed it"
    assert with_figures(seen[:0]).shape == (0, rows.shape[1])


@every_size
def test_every_place_behind_the_observation_belongs_to_one_figure(seats: int):
    found = np.concatenate([array.ravel() for array in figure_places(seats).values()])
    assert sorted(found.tolist()) == list(range(figures_size(seats)))
    size = observation_size(seats)
    assert seats_of(size) == seats
    assert with_figures(np.zeros((1, size), np.float32)).shape == (1, size + figures_size(seats))


def test_no_name_is_given_twice():
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names)


@every_size
@pytest.mark.parametrize("figures", [False, True])
def test_a_columns_places_are_all_that_is_told_about_it_and_nothing_else(seats: int, figures: bool):
    size = observation_size(seats)
    found = column_places(size, figures)
    pieces = [places(f"column_{name}", seats) for name in ("kind", "value", "goods", "cargo", "price", "offer")]
    pieces.append(places("queue", seats).swapaxes(0, 1))
    if figures:
        by_name = figure_places(seats)
        pieces += [size + by_name[figure.name] for figure in FIGURES if "columns" in figure.axes]
    for column, row in enumerate(found.tolist()):
        assert sorted(row) == sorted(np.concatenate([piece[column].ravel() for piece in pieces]).tolist())


@every_count
@pytest.mark.parametrize("figures", [False, True])
def test_columns_that_change_places_change_rows_and_nothing_else(players: int, figures: bool):
    for seats in sorted({players, MAX_PLAYERS}):
        seen = observations(players, players - 1, seats)
        order = np.random.default_rng(seats).permutation(seats + 1)
        order = order if (order != np.arange(seats + 1)).any() else order[::-1]
        moved = seen.copy()
        for name in ("kind", "value", "goods", "cargo", "price", "offer"):
            where = places(f"column_{name}", seats)
            moved[:, where] = seen[:, where[order]]
        queues = places("queue", seats)
        moved[:, queues] = seen[:, queues[:, order]]
        before, after = (with_figures(rows) if figures else rows for rows in (seen, moved))
        found = column_places(seen.shape[1], figures)
        assert not np.array_equal(before, after)
        assert np.array_equal(after[:, found], before[:, found[order]])
        rest = np.setdiff1d(np.arange(before.shape[1]), found)
        assert np.array_equal(after[:, rest], before[:, rest])
