"""What happens in a lane depends on its seed and its actions, not on the other lanes, their number or the cores."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, IllegalAction
from speicher_env.batch import Batch
from tests.support.batch_play import (
    AUTORESETS,
    HIGHEST,
    Lowest,
    assert_play_alike,
    lane_seen,
    pick_legal,
)
from tests.support.games import OWN_DECK, PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
STEPS = few_or_many(8, 250)
SEATS = ("all", 0, "rotating", "random")


def places(count: int, steps: int = STEPS) -> np.ndarray:
    """Random numbers 0..1 from which lane k takes the k-th column, however many there are."""
    return np.random.default_rng(5).random((steps, count))


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_other_actions_in_the_other_lanes_change_nothing_in_a_lane(players: int, seat: int | str) -> None:
    one, other = (Batch(4, players, "sampled", seat, autoreset="same_step") for _ in range(2))
    one.reset(np.arange(4))
    other.reset([0, 11, 12, 13])
    assert lane_seen(one, 0) == lane_seen(other, 0)
    rng = np.random.default_rng(1)
    for where in places(4):
        one.step(pick_legal(one.action_masks, where))
        other.step(pick_legal(other.action_masks, np.concatenate([where[:1], rng.random(3)])))
        assert lane_seen(one, 0) == lane_seen(other, 0)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_other_decks_and_players_in_the_other_lanes_change_nothing_in_a_lane(players: int) -> None:
    one = Batch(3, players, "sampled", "random", "random")
    other = Batch(3, players, ["sampled", OWN_DECK, "standard"], "random", "random")
    other.set_opponents(Lowest(), [1])
    other.set_opponents(HIGHEST, [2])
    one.reset(np.arange(3))
    other.reset(np.arange(3))
    assert lane_seen(one, 1) != lane_seen(other, 1)
    for where in places(3):
        one.step(pick_legal(one.action_masks, where))
        other.step(pick_legal(other.action_masks, where))
        assert lane_seen(one, 0) == lane_seen(other, 0)


@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("opponents", ["random", HIGHEST, Lowest()], ids=["random", "compiled", "outside"])
def test_a_part_of_a_batch_plays_as_the_whole(opponents: Any, autoreset: str) -> None:
    whole = Batch(7, 3, "standard", "random", opponents, autoreset=autoreset)
    part = Batch(2, 3, "standard", "random", opponents, autoreset=autoreset)
    whole.reset(np.arange(7))
    part.reset([4, 5])
    for where in places(7):
        if autoreset == "disabled" and whole.ended.any():
            break
        whole.step(pick_legal(whole.action_masks, where))
        part.step(pick_legal(part.action_masks, where[4:6]))
        assert [lane_seen(whole, lane) for lane in (4, 5)] == [lane_seen(part, lane) for lane in (0, 1)]


@pytest.mark.parametrize("seat", SEATS[1:])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_random_opponents_draw_from_their_games_seed(players: int, seat: int | str) -> None:
    """Batches of one, each beside a lane of a larger batch."""
    count = few_or_many(2, 4)
    many = Batch(count, players, seat=seat, opponents="random")
    many.reset(np.arange(20, 20 + count))
    singles = [Batch(1, players, seat=seat, opponents="random") for _ in range(count)]
    for lane, single in enumerate(singles):
        single.reset([0])
        if seat == "rotating":  # lane k begins in seat k, and the seat moves on with each deal
            single.arrays.lanes["seat"] = (lane - 1) % players
        single.reset([20 + lane], rotate_on=True)
    for where in places(count):
        many.step(pick_legal(many.action_masks, where))
        for lane, single in enumerate(singles):
            single.step(pick_legal(single.action_masks, where[lane : lane + 1]))
            assert lane_seen(single, 0) == lane_seen(many, lane)


@pytest.mark.skipif(CORES < 2, reason="there is only one core")
@pytest.mark.parametrize("opponents", ["random", HIGHEST, Lowest()], ids=["random", "compiled", "outside"])
@pytest.mark.parametrize("seat", ["all", "random"])
def test_two_cores_play_what_one_plays(seat: str, opponents: Any) -> None:
    count = few_or_many(3, 33)  # an odd number: unequal parts
    one, two = (Batch(count, 4, "sampled", seat, opponents, threads=threads) for threads in (1, 2))
    for batch in (one, two):
        batch.reset(np.arange(count))
    assert_play_alike(one, two, STEPS, seed=3)


def test_dealing_some_lanes_leaves_the_others_as_they_are() -> None:
    batch = Batch(5, 3, seat="random")
    batch.reset(np.arange(5))
    for where in places(5, 6):
        batch.step(pick_legal(batch.action_masks, where))
    before = [lane_seen(batch, lane) for lane in range(5)]
    batch.reset([90, 91], [1, 3])
    assert [lane_seen(batch, lane) for lane in (0, 2, 4)] == [before[lane] for lane in (0, 2, 4)]
    fresh = Batch(2, 3, seat="random")
    fresh.reset([90, 91])
    assert [lane_seen(batch, lane) for lane in (1, 3)] == [lane_seen(fresh, lane) for lane in (0, 1)]


@pytest.mark.parametrize("seat", ["all", "random"])
def test_stepping_some_lanes_leaves_the_others_as_they_are(seat: str) -> None:
    part, every = (Batch(4, 3, seat=seat, autoreset="disabled") for _ in range(2))
    for batch in (part, every):
        batch.reset(np.arange(4))
    before = [lane_seen(part, lane) for lane in (0, 2)]
    for where in places(4, 6):
        actions = pick_legal(every.action_masks, where)
        part.step(actions[[3, 1]], [3, 1])
        every.step(actions)
        assert [lane_seen(part, lane) for lane in (1, 3)] == [lane_seen(every, lane) for lane in (1, 3)]
        assert [lane_seen(part, lane) for lane in (0, 2)] == before


def test_lanes_that_are_over_keep_their_results_while_the_others_play_on() -> None:
    batch = Batch(3, 2, seat="all", autoreset="disabled")
    batch.reset(np.arange(3))
    kept: dict[int, bytes] = {}
    while not batch.ended.all():
        waiting = np.flatnonzero(~batch.ended)
        batch.step(batch.action_masks[waiting].argmax(axis=1), waiting)
        for lane in np.flatnonzero(batch.ended).tolist():
            result = batch.results([lane]).points.tobytes() + batch.rewards[lane].tobytes()
            assert kept.setdefault(lane, result) == result
    with pytest.raises(ArgumentError, match="game 1 is over"):
        batch.step(np.array([0, 0]), [1, 2])


def test_an_illegal_action_in_some_lanes_is_told_by_the_number_of_its_game() -> None:
    batch = Batch(3, 2, seat="all")
    batch.reset(np.arange(3))
    legal, illegal = batch.action_masks[1].argmax(), batch.action_masks[2].argmin()
    before = batch.arrays.states.tobytes()
    with pytest.raises(IllegalAction, match="game 2: "):
        batch.step(np.array([legal, illegal]), [1, 2])
    assert batch.arrays.states.tobytes() == before
