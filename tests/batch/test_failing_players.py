"""A player that raises, answers wrongly or illegally forfeits its own game, if that is asked for, and no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_env import IllegalAction
from speicher_env.batch import Batch, Failure
from speicher_env.rewards import SCHEMES
from speicher_env.rules.stream import next_seed
from speicher_env.views import Views
from tests.support.batch_play import (
    AUTORESETS,
    LOWEST,
    STRAY,
    Lowest,
    draw_legal,
    everything,
    lane_seen,
    pick_legal,
    seen,
)
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


class Fails:
    """Plays the lowest legal action, but fails in games whose first player is one of `seats`, in round `when`."""

    def __init__(self, how: Any, seats: tuple[int, ...] = (1,), when: int = 1) -> None:
        self.how, self.seats, self.when = how, seats, when

    def act(self, views: Views) -> Any:
        actions = views.masks.argmax(axis=1)
        wrong = np.isin(views.states["first_player"], self.seats) & (views.states["round"] == self.when)
        if not wrong.any():
            return actions
        if isinstance(self.how, BaseException):
            raise self.how
        if self.how == "illegal":
            return np.where(wrong, (views.masks == 0).argmax(axis=1), actions)
        if self.how == "no action":
            return np.where(wrong, 2**40, actions)
        return self.how


WAYS: dict[str, tuple[Any, str]] = {
    "raises": (RuntimeError("no\nconnection"), "raised RuntimeError: no connection"),
    "raises without a word": (ValueError(), "raised ValueError"),
    "exits": (SystemExit(3), "raised SystemExit: 3"),
    "wrong shape": (
        np.zeros((1, 1), dtype=int),
        "returned an array of int64 with shape (1, 1), must be one action id for each of 1 rows",
    ),
    "floats": (np.zeros(1), "returned an array of float64 with shape (1,), must be one action id for each of 1 rows"),
    "nothing": (None, "returned an array of object with shape (), must be one action id for each of 1 rows"),
    "illegal": ("illegal", "chose 'place 3', which is illegal in demand"),
    "no action": ("no action", "chose '1099511627776', which is illegal in demand"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("autoreset", ["disabled", "next_step"])
def test_who_fails_in_a_game_loses_it_and_the_other_games_go_on(way: str, autoreset: str) -> None:
    how, reason = WAYS[way]
    failures: list[Failure] = []
    failing, sound = (
        Batch(8, 2, seat=0, opponents=player, autoreset=autoreset, on_failure=failures.append)
        for player in (Fails(how), Lowest())
    )
    seeds = np.arange(8)
    failing.reset(seeds)
    sound.reset(seeds)
    began = failing.arrays.states["first_player"].tolist()
    lost = np.flatnonzero(np.array(began) == 1)
    assert 0 < lost.size < 8
    assert [failure.lane for failure in failures] == lost.tolist()
    assert {failure[1:4] for failure in failures} == {(1, "Fails", reason)}
    assert failing.ended.tolist() == [first == 1 for first in began]
    for lane in set(range(8)) - set(lost.tolist()):
        assert lane_seen(failing, lane) == lane_seen(sound, lane)
    results = failing.results()
    assert results.lanes.tolist() == lost.tolist() and results.seeds.tolist() == lost.tolist()
    assert set(results.forfeited_by.tolist()) == {1} and not results.lost_illegally.any()
    assert results.ranks.tolist() == [[1, 2]] * lost.size
    assert results.rewards.tolist() == [[1.0, -1.0]] * lost.size
    assert not failing.action_masks[lost].any()


LAST = {  # players: (the one who failed, each other)
    "outcome": {2: (-1, 1), 3: (-1 / 2, 1 / 4), 4: (-1 / 3, 1 / 9), 5: (-1 / 4, 1 / 16)},
    "rank": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
    "margin": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
}


@pytest.mark.parametrize("reward", SCHEMES)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_who_fails_ranks_last_and_is_paid_the_least(players: int, reward: str) -> None:
    batch = Batch(6, players, seat="none", opponents=[Fails("illegal", (0,), 1)] * players, reward=reward,
                  autoreset="disabled", first_player=0, on_failure="forfeit")  # fmt: skip
    batch.reset(range(6))
    results = batch.results()
    assert results.forfeited_by.tolist() == [0] * 6
    least, others = LAST[reward][players]
    np.testing.assert_allclose(results.rewards, [[least] + [others] * (players - 1)] * 6, rtol=1e-6)
    assert results.ranks.tolist() == [[players] + [1] * (players - 1)] * 6


def test_compiled_players_forfeit_too() -> None:
    batch = Batch(3, 2, seat=0, opponents=LOWEST, autoreset="disabled", first_player=1, on_failure="forfeit")
    batch.set_opponents(STRAY, [1])
    batch.reset([0, 1, 2])
    assert batch.ended.tolist() == [False, True, False]
    assert batch.results().forfeited_by.tolist() == [1]
    assert batch.results().outcome(0, of_caller=True)["rank"] == 1


def test_a_player_that_raises_for_many_games_is_asked_for_each_alone() -> None:
    """So one that cannot bear a single game loses that game only."""
    rows: list[int] = []
    lanes: list[list[int]] = []

    class Fussy(Fails):
        def act(self, views: Views) -> Any:
            rows.append(len(views))
            lanes.append(batch.asked_lanes.tolist())
            return super().act(views)

    batch = Batch(8, 2, seat="none", opponents=[Fussy(RuntimeError("x"))] * 2, autoreset="disabled",
                  on_failure="forfeit")  # fmt: skip
    batch.reset(range(8))
    assert rows[0] == 8 and set(rows[1:9]) == {1}
    assert lanes[0] == list(range(8)) and lanes[1:9] == [[lane] for lane in range(8)]
    assert 0 < np.count_nonzero(batch.results().forfeited_by >= 0) < 8


def test_the_function_that_is_told_of_a_failure_may_raise() -> None:
    class Stop(Exception):
        pass

    def stop(failure: Failure) -> None:
        raise Stop(f"{failure.player} {failure.reason}") from failure.error

    batch = Batch(2, 2, seat=0, opponents=Fails("illegal"), first_player=1, on_failure=stop)
    with pytest.raises(Stop, match="Fails chose 'place 3', which is illegal in demand") as raised:
        batch.reset([0, 1])
    assert isinstance(raised.value.__cause__, IllegalAction)
    batch.set_opponents(Lowest())
    batch.reset([0, 1])


def test_an_interrupt_is_no_failure_of_a_player() -> None:
    batch = Batch(2, 2, seat=0, opponents=Fails(KeyboardInterrupt()), first_player=1, on_failure="forfeit")
    with pytest.raises(KeyboardInterrupt):
        batch.reset([0, 1])


@pytest.mark.parametrize("autoreset", AUTORESETS[1:])
def test_the_next_game_follows_a_forfeited_one(autoreset: str) -> None:
    batch = Batch(2, 3, seat=0, opponents=[Fails("illegal", (0, 1), 2), "random"], autoreset=autoreset,
                  on_failure="forfeit")  # fmt: skip
    batch.reset([3, 4])
    forfeits = 0
    for where in np.random.default_rng(0).random((few_or_many(60, 400), 2)):
        over = batch.ended & (autoreset == "next_step")
        seeds = batch.arrays.states["seed"].copy()
        batch.step(pick_legal(batch.action_masks, where))
        results = batch.results()
        assert not over[results.lanes].any()
        assert results.seeds.tolist() == seeds[results.lanes].tolist()
        follows = over | (batch.ended & (autoreset == "same_step"))
        seeds[follows] = [next_seed(int(seed)) for seed in seeds[follows]]
        assert batch.arrays.states["seed"].tolist() == seeds.tolist()
        forfeits += np.count_nonzero(results.forfeited_by == 1)
    assert forfeits


def test_in_one_step_a_lane_has_one_result_and_a_game_that_fails_at_once_is_dealt_anew() -> None:
    """Seats of the failing player begin every second game, so some games fail in the step that dealt them."""
    failures: list[Failure] = []
    batch = Batch(4, 2, seat=0, opponents=Fails("illegal"), on_failure=failures.append)
    batch.reset(range(4))
    rng = np.random.default_rng(0)
    results = int(batch.ended.sum())
    for _ in range(few_or_many(30, 300)):
        batch.step(draw_legal(batch.action_masks, rng))
        assert (batch.action_masks.sum(axis=1) >= 2).all()
        results += int((batch.results().forfeited_by == 1).sum())
    assert len(failures) > results > 0
    assert set(batch.seats.tolist()) == {0}


def test_a_player_that_fails_in_every_game_stops_the_batch_at_last() -> None:
    batch = Batch(2, 2, seat=0, opponents=STRAY, first_player=1, on_failure="forfeit")
    with pytest.raises(IllegalAction, match='player stray, game 0: action="-7": must be'):
        batch.reset([0, 1])


def test_a_batch_without_failures_is_the_same_whatever_is_done_about_them() -> None:
    batches = [Batch(4, 3, seat="random", opponents=Lowest(), on_failure=way) for way in ("raise", "forfeit", print)]
    for batch in batches:
        batch.reset(range(4))
    for where in np.random.default_rng(0).random((few_or_many(10, 150), 4)):
        for batch in batches:
            batch.step(pick_legal(batch.action_masks, where))
        assert seen(batches[0]) == seen(batches[1]) == seen(batches[2])
    assert everything(batches[0]) == everything(batches[1])
