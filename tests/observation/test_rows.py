"""Rows of observations: float32 or uint8, with figures or without, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, Game
from speicher_env.envs.spaces import masked_space, vector_space
from speicher_env.observation import PIECES, RowFormat, describe, observation_size, observe, places, scales
from speicher_env.observation.encode import observe_at
from speicher_env.observation.pieces import UNSEEN_GROUPS
from speicher_env.rules.state import STATE, blank_states
from speicher_env.views import Views
from tests.support.games import OWN_DECK, PLAYER_COUNTS, random_game
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

every_count = pytest.mark.parametrize("players", PLAYER_COUNTS)
every_deck = pytest.mark.parametrize("deck", ["standard", "sampled", OWN_DECK], ids=["standard", "sampled", "own"])


def states_of_games(players: int, deck: Any = "standard", every: int = 7) -> np.ndarray:
    """Positions of a few random games, from the deal to the end."""
    rng = np.random.default_rng(players)
    positions = []
    for seed in range(few_or_many(1, 3)):
        game = Game(players, deck, seed)
        while not game.over:
            if len(game.moves or ()) % every == 0:
                positions.append(game.states_view.copy())
            game.play(int(rng.choice(game.legal_ids())))
        positions.append(game.states_view.copy())
    return np.concatenate(positions)


@every_deck
@every_count
@pytest.mark.parametrize("figures", [False, True])
def test_rows_of_uint8_times_their_scales_are_rows_of_float32_exactly(players: int, deck: Any, figures: bool) -> None:
    states = states_of_games(players, deck)
    for seats in sorted({players, 5}):
        row_format = RowFormat(seats, figures, "uint8")
        for viewer in range(players):
            viewers = np.full(len(states), viewer)
            floats = observe(states, viewers, seats, figures=figures)
            numbers = observe(states, viewers, seats, figures=figures, dtype="uint8")
            assert floats.dtype == np.float32 and numbers.dtype == np.uint8 and numbers.shape == floats.shape
            np.testing.assert_array_equal((numbers.astype(np.float32) - row_format.offsets) * row_format.scales, floats)
            np.testing.assert_array_equal(row_format.floats(numbers), floats)
            if not figures:
                assert not row_format.offsets.any()
                np.testing.assert_array_equal(numbers * scales(seats), floats)


@every_count
def test_a_row_is_the_observation_of_the_single_game(players: int) -> None:
    states = states_of_games(players)
    viewers = np.arange(len(states)) % players
    rows = observe(states, viewers)
    for index in range(len(states)):
        row = np.empty(observation_size(players), dtype=np.float32)
        observe_at(states, index, int(viewers[index]), players, row)
        assert rows[index].tobytes() == row.tobytes()


def test_without_viewers_a_row_is_that_of_the_seat_that_decides() -> None:
    states = states_of_games(3)
    np.testing.assert_array_equal(observe(states), observe(states, np.maximum(states["player"], 0)))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_scales_are_those_of_the_pieces(seats: int) -> None:
    for piece in PIECES:
        if piece.name != "unseen":
            assert set((1 / scales(seats)[places(piece.name, seats)]).round().ravel()) == {piece.scale}
    assert (1 / scales(seats)[places("unseen", seats)]).round().tolist() == [group.size for group in UNSEEN_GROUPS]


@pytest.mark.parametrize("figures", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@every_count
def test_spaces_hold_the_rows(players: int, dtype: str, figures: bool) -> None:
    space = vector_space(players, figures, dtype)
    assert space.dtype == np.dtype(dtype) and space.shape == (RowFormat(players, figures).size,)
    assert masked_space(players, "int8", figures, dtype)["observation"] == space
    for row in observe(states_of_games(players, "sampled"), figures=figures, dtype=dtype):
        assert space.contains(row)
    highest = observe(states_of_games(players, "sampled"), figures=figures, dtype=dtype).max(axis=0)
    assert (highest == space.high).sum() > len(space.high) / 8, "the bounds are those that are reached"


@every_count
def test_rows_of_uint8_are_described_alike(players: int) -> None:
    states = states_of_games(players, every=40)
    for figures in (False, True):
        floats, numbers = (observe(states, figures=figures, dtype=dtype) for dtype in ("float32", "uint8"))
        for row, twin in zip(floats, numbers, strict=True):
            assert describe(row) == describe(twin)
        assert ("figures" in describe(floats[0])) == figures
        if figures:
            plain = describe(floats[0][: observation_size(players)])
            assert {**plain, "figures": describe(floats[0])["figures"]} == describe(floats[0])
            assert describe(floats[0])["figures"]["lead"] == [0] * players


NO_STATES = np.zeros(0, dtype=STATE)
WRONG: dict[str, tuple[tuple[Any, ...], str]] = {
    "floats": ((np.zeros(2),), r"states=an array of float64 with shape \(2,\): must be an array of records"),
    "a record": ((blank_states(1)[0],), "must be an array of records of dtype STATE"),
    "a matrix": ((blank_states(2).reshape(1, 2),), r"shape \(1, 2\): must be an array of records of dtype STATE"),
    "nothing": ((None,), "states=None: must be an array of records of dtype STATE"),
    "never dealt": ((blank_states(1),), r"seats_in_view=0: must be a whole number 2\.\.5"),
    "viewer too high": ((Game(2, seed=1).states_view, [2]), r"viewers\[0\]=2: must be a seat 0\.\.1"),
    "viewer too low": ((Game(2, seed=1).states_view, [-1]), r"viewers\[0\]=-1: must be a seat 0\.\.1"),
    "half a viewer": ((Game(2, seed=1).states_view, [0.5]), "viewers=an array of float64.* must be one seat for each"),
    "true viewer": ((Game(2, seed=1).states_view, [True]), "viewers=an array of bool.* must be one seat for each of 1"),
    "viewers too many": ((Game(2, seed=1).states_view, [0, 1]), r"shape \(2,\): must be one seat for each of 1 states"),
    "seats too few": ((Game(3, seed=1).states_view, [0], 2), r"states\[0\]\['players'\]=3: must be 2\.\.2"),
    "seats too many": ((Game(3, seed=1).states_view, [0], 6), r"seats_in_view=6: must be a whole number 2\.\.5"),
    "seats true": ((Game(3, seed=1).states_view, [0], True), "seats_in_view=true: must be a whole number"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_has_no_row_is_refused_in_one_sentence(case: str) -> None:
    arguments, message = WRONG[case]
    with pytest.raises(ArgumentError, match=message) as raised:
        observe(*arguments)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "option", [{"figures": 1}, {"dtype": "float64"}, {"dtype": np.int8}, {"dtype": None}], ids=repr
)
def test_formats_that_there_are_not_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=r"figures|dtype"):
        observe(Game(2, seed=1).states_view, **option)


def test_no_states_have_no_rows() -> None:
    assert observe(NO_STATES, seats_in_view=3).shape == (0, observation_size(3))
    assert len(Views.of(NO_STATES)) == 0


def test_a_part_of_an_array_is_as_good_as_a_copy() -> None:
    states = states_of_games(2)[:-1]
    np.testing.assert_array_equal(observe(states[::3]), observe(states[::3].copy()))
    views, again = Views.of(states[::3]), Views.of(states, np.arange(len(states))[::3])
    assert views.states.tobytes() == again.states.tobytes()


# Views


@pytest.mark.parametrize("figures", [False, True])
@every_count
def test_views_are_the_rows_of_the_seats_that_decide(players: int, figures: bool) -> None:
    states = states_of_games(players)
    rows = np.flatnonzero(states["player"] >= 0)
    for seats in sorted({players, 5}):
        views = Views.of(states, rows, seats, figures=figures)
        np.testing.assert_array_equal(views.observations, observe(states[rows], seats_in_view=seats, figures=figures))
        assert views.seats.tolist() == states["player"][rows].tolist()
        assert not views.states["seed"].any()
        game = Game.from_state(views.states[0])
        assert np.flatnonzero(views.masks[0]).tolist() == game.legal_ids()


NO_VIEWS: dict[str, tuple[tuple[Any, ...], str]] = {
    "no states": ((np.zeros(2),), "must be an array of records of dtype STATE"),
    "too high": ((Game(2, seed=1).states_view, [1]), r"rows=1: must be numbers of games, 0\.\.0"),
    "far too high": ((Game(2, seed=1).states_view, [10**9]), "rows=1000000000: must be numbers of games"),
    "negative": ((Game(2, seed=1).states_view, [-1]), "rows=-1: must be numbers of games"),
    "floats": ((Game(2, seed=1).states_view, [0.0]), "rows=an array of float64.*: must be a list of whole numbers"),
    "truth values": ((Game(2, seed=1).states_view, [True]), "rows=an array of bool.*: must be a list of whole"),
    "a number": ((Game(2, seed=1).states_view, 0), "rows=an array of int64.*: must be a list of whole numbers"),
    "over": ((random_game(2, seed=1).states_view, [0]), "the game is over, so there is no decision to show"),
    "too many players": ((Game(3, seed=1).states_view, [0], 2), r"the game has 3 players: must be 2\.\.2, the seats"),
}


@pytest.mark.parametrize("case", NO_VIEWS)
def test_what_has_no_view_is_refused_in_one_sentence(case: str) -> None:
    arguments, message = NO_VIEWS[case]
    with pytest.raises(ArgumentError, match=message):
        Views.of(*arguments)
