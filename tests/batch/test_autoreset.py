"""A lane whose game is over waits, deals in the next step, or deals at once; the next game follows from the seed."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env import ArgumentError
from speicher_env.batch import Batch
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import draw_legal, lane_seen
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def play_to_an_end(batch: Batch, rng: np.random.Generator) -> int:
    """Step at random until some game ends; gives its lane."""
    while True:
        batch.step(draw_legal(batch.action_masks, rng))
        if batch.ended.any():
            return int(batch.ended.argmax())


def near_the_end(
    autoreset: str, players: int, seat: int | str, games: int = 3
) -> tuple[Batch, int, np.random.Generator]:
    """A batch in which the last step ended a game, and its lane."""
    batch = Batch(games, players, seat=seat, autoreset=autoreset, deck="sampled")
    batch.reset(np.arange(games))
    rng = np.random.default_rng(players)
    return batch, play_to_an_end(batch, rng), rng


players_and_seat = pytest.mark.parametrize(
    ("players", "seat"),
    few_or_many([(2, 0)], [(players, seat) for players in PLAYER_COUNTS for seat in ("all", 1, "rotating", "random")]),
)


@players_and_seat
def test_same_step_deals_the_next_game_at_once(players: int, seat: int | str) -> None:
    batch, lane, _ = near_the_end("same_step", players, seat)
    seed = batch.outcome(lane)["seed"]
    fresh = Batch(1, players, "sampled", seat)
    fresh.reset([next_seed(seed)])
    if seat == "rotating":
        fresh.arrays.lanes["seat"] = batch.outcome(lane)["seat"]
        fresh.reset([next_seed(seed)], rotate_on=True)
    assert lane_seen(batch, lane)[:4] == lane_seen(fresh, 0)[:4]
    assert (batch.action_masks.sum(axis=1) >= 2).all()


@players_and_seat
def test_all_modes_play_the_same_games_one_after_the_other(players: int, seat: int | str) -> None:
    seeds: dict[str, list[int]] = {}
    for autoreset in ("disabled", "next_step", "same_step"):
        batch = Batch(1, players, seat=seat, autoreset=autoreset)
        batch.reset([5])
        rng = np.random.default_rng(0)
        told = []
        for _ in range(few_or_many(1, 3)):
            play_to_an_end(batch, rng)
            told.append(batch.outcome(0))
            if autoreset == "disabled":
                batch.reset([next_seed(told[-1]["seed"])], rotate_on=True)
            elif autoreset == "next_step":
                batch.step(np.array([0]))
        seeds[autoreset] = told
    assert seeds["disabled"] == seeds["next_step"] == seeds["same_step"]
    assert [outcome["seed"] for outcome in told] == [5, next_seed(5), next_seed(next_seed(5))][: len(told)]


def test_same_step_keeps_the_last_observation_of_the_game_that_ended() -> None:
    """The other modes show it themselves, so a batch that waits tells what it must be."""
    waiting = Batch(2, 3, seat="random", autoreset="disabled", opponents="random")
    dealing = Batch(2, 3, seat="random", autoreset="same_step", opponents="random")
    rng = np.random.default_rng(1)
    waiting.reset([1, 2])
    dealing.reset([1, 2])
    while not waiting.ended.any():
        actions = draw_legal(waiting.action_masks, rng)
        waiting.step(actions)
        dealing.step(actions)
    lane = int(waiting.ended.argmax())
    assert dealing.arrays.final_rows[lane].tobytes() == waiting.observations[lane].tobytes()
    assert dealing.observations[lane].tobytes() != waiting.observations[lane].tobytes()
    assert dealing.outcome(lane) == waiting.outcome(lane)


@pytest.mark.parametrize("action", [0, 183, -1, 10**6])
def test_next_step_ignores_the_action_of_a_lane_that_is_over(action: int) -> None:
    batch, lane, rng = near_the_end("next_step", 2, 0)
    seed = int(batch.arrays.states["seed"][lane])
    assert not batch.action_masks[lane].any()
    actions = draw_legal(batch.action_masks, rng)
    actions[lane] = action
    batch.step(actions)
    assert batch.arrays.states["seed"][lane] == next_seed(seed)
    assert batch.arrays.lanes["length"][lane] == 0
    assert not batch.ended[lane] and not batch.rewards[lane].any()


def test_without_autoreset_a_lane_that_is_over_must_be_dealt_before_the_next_step() -> None:
    batch, lane, rng = near_the_end("disabled", 2, "random")
    before = [array.tobytes() for array in batch.arrays]
    with pytest.raises(ArgumentError, match=rf"game {lane} is over; reset\(\) must deal"):
        batch.step(draw_legal(batch.action_masks, rng))
    assert [array.tobytes() for array in batch.arrays] == before
    ended = np.flatnonzero(batch.ended)
    batch.reset(np.arange(50, 50 + ended.size), ended)
    batch.step(draw_legal(batch.action_masks, rng))


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_a_game_that_begins_anew_starts_its_counts_anew(autoreset: str) -> None:
    batch, lane, rng = near_the_end(autoreset, 2, "all")
    length = int(batch.arrays.lanes["ended_length"][lane])
    assert length > 50
    for _ in range(3):
        batch.step(draw_legal(batch.action_masks, rng))
    assert batch.arrays.lanes["length"][lane] == (3 if autoreset == "same_step" else 2)
    assert not batch.ended[lane] and not batch.rewards[lane].any()


def test_decisions_are_counted_for_all_seats_and_all_games() -> None:
    every_seat = Batch(2, 3, seat="all")
    every_seat.reset([3, 4])
    rng = np.random.default_rng(0)
    for _ in range(5):
        every_seat.step(draw_legal(every_seat.action_masks, rng))
    assert every_seat.decisions == 10
    one_seat = Batch(1, 2, seat=0, opponents="random", autoreset="disabled")
    one_seat.reset([3])
    play_to_an_end(one_seat, rng)
    assert one_seat.decisions > one_seat.arrays.lanes["ended_length"][0] > 20
