"""Lanes that go on from given positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, StateError
from speicher_env.batch import Batch
from speicher_env.rules.state import STATE
from tests.support.batch_play import AUTORESETS, LOWEST, Lowest, draw_legal, everything, pick_legal, seen
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def positions(players: int, decisions: int = 40) -> np.ndarray:
    """Three positions in the middle of games."""
    batch = Batch(3, players)
    batch.reset([5, 6, 7])
    rng = np.random.default_rng(players)
    for _ in range(decisions):
        batch.step(draw_legal(batch.action_masks, rng))
    return batch.arrays.states.copy()


@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_games_go_on_from_given_states_as_they_would_have(players: int, autoreset: str) -> None:
    """Observations, masks, moves and ends are those of the games that were never moved."""
    moved, stayed = (Batch(3, players, autoreset=autoreset, log_moves=True) for _ in range(2))
    stayed.reset([5, 6, 7])
    rng = np.random.default_rng(players)
    for _ in range(40):
        stayed.step(draw_legal(stayed.action_masks, rng))
    moved.set_states(stayed.arrays.states)
    for _ in range(few_or_many(4, 2000)):
        assert moved.arrays.states.tobytes() == stayed.arrays.states.tobytes()
        assert moved.observations.tobytes() == stayed.observations.tobytes()
        assert moved.action_masks.tobytes() == stayed.action_masks.tobytes()
        assert moved.seats.tolist() == stayed.seats.tolist()
        if moved.ended.any():
            results, others = moved.results(), stayed.results()
            assert results.points.tolist() == others.points.tolist() and results.lanes.tolist() == others.lanes.tolist()
            assert (others.lengths - results.lengths).tolist() == [40] * len(results.lanes)
            assert [after.tolist() for after in results.moves] == [whole[40:].tolist() for whole in others.moves]
            break
        actions = draw_legal(stayed.action_masks, rng)
        moved.step(actions)
        stayed.step(actions)


@pytest.mark.parametrize("opponents", [LOWEST, Lowest()], ids=["compiled", "outside"])
def test_other_seats_play_on_to_the_callers_decision(opponents: Any) -> None:
    states = positions(3)
    for seat in range(3):
        batch = Batch(3, 3, seat=seat, opponents=opponents)
        batch.set_states(states)
        for lane in range(3):
            game = Game.from_state(states[lane])
            while game.player != seat:
                game.play(min(game.legal_ids()))
            assert batch.arrays.states[lane].tobytes() == game.state.tobytes()
        batch.step(draw_legal(batch.action_masks, np.random.default_rng(0)))


def test_only_the_lanes_named_are_changed() -> None:
    batch, other = Batch(4, 2), Batch(4, 2)
    batch.reset(range(4))
    other.reset(range(4))
    states = positions(2)
    batch.set_states(states[:2], [3, 1])
    assert batch.arrays.states[[3, 1]].tobytes() == states[:2].tobytes()
    assert batch.arrays.states[[0, 2]].tobytes() == other.arrays.states[[0, 2]].tobytes()
    assert batch.observations[[0, 2]].tobytes() == other.observations[[0, 2]].tobytes()


def test_what_random_players_draw_follows_from_the_seeds() -> None:
    """Many lanes from one position then play different games; without seeds the same one."""
    states = np.repeat(positions(2)[:1], 8)
    batch = Batch(8, 2, seat=0, opponents="random")

    def reached(**seeds: Any) -> list[bytes]:
        batch.set_states(states, **seeds)
        for _ in range(6):
            batch.step(batch.action_masks.argmax(axis=1))
        return [state.tobytes() for state in batch.arrays.states]

    assert len(set(reached())) == 1
    assert len(set(reached(seeds=range(8)))) > 3
    assert reached(seeds=range(8)) == reached(seeds=np.arange(8))


def damaged(**fields: int) -> np.ndarray:
    states = positions(2)
    for field, value in fields.items():
        states[field][1] = value
    return states


# Positions are played when a test asks for them: played here, they would be compiled while tests are collected.
REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "floats": (
        lambda: np.zeros(3), ArgumentError,
        r"states=an array of float64 with shape \(3,\): must be an array of 3 records",
    ),
    "too few": (lambda: np.zeros(2, STATE), ArgumentError, "must be an array of 3 records of dtype STATE"),
    "nothing": (lambda: None, ArgumentError, "states=None: must be an array of 3 records of dtype STATE"),
    "zeros": (lambda: np.zeros(3, STATE), StateError, r"states\[0\]: "),
    "no such player": (lambda: damaged(player=77), StateError, r"states\[1\]: "),
    "coins below 0": (lambda: damaged(coins=-1), StateError, r"states\[1\]: "),
    "other players": (lambda: positions(3), ArgumentError, r"states\[0\]\['players'\]=3: must be 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_running_game_is_refused_and_nothing_is_changed(case: str) -> None:
    make, error, message = REFUSED[case]
    batch = Batch(3, 2)
    batch.reset(range(3))
    before, states = everything(batch), make()
    with pytest.raises(error, match=message):
        batch.set_states(states)
    assert everything(batch) == before


def test_a_game_that_is_over_is_refused() -> None:
    whole = Batch(1, 2, seat="none", opponents=["random"] * 2, autoreset="disabled")
    whole.reset([1])
    with pytest.raises(ArgumentError, match=r"states\[0\] is a game that is over: must be a running game"):
        Batch(1, 2).set_states(whole.arrays.states)


def test_a_part_of_an_array_of_states_is_as_good_as_a_copy() -> None:
    states = np.repeat(positions(2), 2)
    one, other = Batch(3, 2), Batch(3, 2)
    one.set_states(states[::2])
    other.set_states(states[::2].copy())
    for where in np.random.default_rng(0).random((5, 3)):
        assert seen(one) == seen(other)
        for batch in (one, other):
            batch.step(pick_legal(batch.action_masks, where))
