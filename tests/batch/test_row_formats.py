"""A batch with figures or rows of uint8 plays the same games, and its rows are those encoded from nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_env.batch import Batch
from speicher_env.observation import observe
from tests.support.batch_play import AUTORESETS, HIGHEST, Lowest, Watcher, pick_legal
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


# Each pair of a kind of player and a format is compiled anew, for some eight seconds: three pairs hold every value of
# both, and the other tests of batches and environments keep to these. Indices are checked in one of them; those of
# figures are checked where rows are written from nothing.
@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize(
    ("seat", "opponents", "padded", "figures", "dtype"),
    [
        pytest.param("all", "random", False, False, "uint8", id="all"),
        pytest.param("random", HIGHEST, True, True, "float32", id="compiled"),
        pytest.param("rotating", Lowest(), True, True, "uint8", id="outside"),
    ],
)
def test_rows_are_those_of_the_games_and_the_games_are_the_same(
    players: int, autoreset: str, seat: Any, opponents: Any, padded: bool, figures: bool, dtype: str
) -> None:
    """The rows are refreshed from step to step; they must be as if written whole."""
    row_format: dict[str, Any] = {"figures": figures, "dtype": dtype}
    options = {"seat": seat, "opponents": opponents, "padded": padded, "autoreset": autoreset}
    plain = Batch(3, players, "sampled", **options)  # type: ignore[arg-type]
    other = Batch(3, players, "sampled", **options, **row_format)  # type: ignore[arg-type]
    plain.reset([4, 5, 6])
    other.reset([4, 5, 6])
    size = plain.observations.shape[1]
    ended = 0
    for where in np.random.default_rng(players).random((few_or_many(8, 400), 3)):
        assert other.arrays.states.tobytes() == plain.arrays.states.tobytes()
        assert other.action_masks.tobytes() == plain.action_masks.tobytes()
        expected = observe(plain.arrays.states, plain.seats, plain.seats_in_view, **row_format)
        np.testing.assert_array_equal(other.observations, expected)
        np.testing.assert_array_equal(other.row_format.floats(other.observations)[:, :size], plain.observations)
        if autoreset == "same_step" and plain.ended.any():
            last = other.row_format.floats(other.final_observations[plain.ended])
            np.testing.assert_array_equal(last[:, :size], plain.final_observations[plain.ended])
        ended += np.count_nonzero(plain.ended)
        if autoreset == "disabled" and ended:
            break
        actions = pick_legal(plain.action_masks, where)
        plain.step(actions)
        other.step(actions)
    assert few_or_many(True, ended > 0)


def test_the_last_rows_of_games_have_their_figures_too() -> None:
    waiting, dealing = (Batch(4, 2, autoreset=autoreset, figures=True) for autoreset in ("disabled", "same_step"))
    waiting.reset(range(4))
    dealing.reset(range(4))
    rng = np.random.default_rng(0)
    while not waiting.ended.any():
        actions = pick_legal(waiting.action_masks, rng.random(4))
        waiting.step(actions)
        dealing.step(actions)
    ended = waiting.ended
    np.testing.assert_array_equal(dealing.final_observations[ended], waiting.observations[ended])


def test_players_are_shown_float32_with_the_figures_of_the_batch() -> None:
    watcher = Watcher()
    batch = Batch(3, 3, seat=0, opponents=watcher, first_player=1, figures=True, dtype="uint8")
    batch.reset(range(3))
    views = watcher.shown[0]
    assert views.observations.dtype == np.float32
    np.testing.assert_array_equal(views.observations, observe(views.states, figures=True))
    np.testing.assert_array_equal(batch.views().observations, observe(batch.arrays.states, figures=True))


def test_rows_of_uint8_take_a_quarter_of_the_bytes() -> None:
    plain, compact = Batch(10, 2), Batch(10, 2, dtype="uint8")
    assert compact.observations.nbytes * 4 == plain.observations.nbytes
    assert compact.row_format.dtype == "uint8" and Batch(1, dtype=np.uint8).observations.dtype == np.uint8  # type: ignore[arg-type]
