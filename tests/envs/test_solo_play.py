"""The single-seat environment: the learner's decisions and no others, seeds, masks, infos, rendering."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, IllegalAction, UnknownAction
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import HIGHEST, Highest, observed
from tests.support.games import PLAYER_COUNTS, REWARDS
from tests.support.learner_play import legal_action, play_game
from tests.support.plain_loops import plain
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, REWARDS)))
def test_the_learner_meets_its_own_decisions_only_and_is_paid_in_the_end(players: int, reward: str) -> None:
    """Beside a `Game` in which the same opponents are played by hand."""
    for seat in range(few_or_many(1, players)):
        env = SpeicherEnv(players, "sampled", seat, HIGHEST, reward)
        row, info = env.reset(seed=seat)
        game = Game(players, "sampled", seat)
        rng = np.random.default_rng(seat)
        total, ended = 0.0, False
        for _ in range(few_or_many(5, 10_000)):
            while not game.over and game.player != seat:
                game.play(max(game.legal_ids()))
            assert env.batch.arrays.states.tobytes() == game.state.tobytes()
            assert np.flatnonzero(info["action_mask"]).tolist() == game.legal_ids()
            assert row.tobytes() == observed(game, seat, players, row.size)
            assert info["seat"] == env.seat == seat
            assert ended == game.over
            if ended:
                break
            action = legal_action(info["action_mask"], rng)
            row, pay, ended, truncated, info = env.step(action)
            game.play(action)
            total += pay
            assert not truncated and type(pay) is float and type(ended) is bool
        if few_or_many(False, True):
            assert total == pytest.approx(Payoff(reward).of(game)[seat], abs=1e-7)
            points = game.points()
            assert (
                dict(zip(SOURCES, info["points"].tolist(), strict=True)) | {"total": info["points_total"]}
                == points[seat]
            )
            assert info["coins"] == game.coins[seat] and info["rank"] == game.ranks()[seat]
            assert info["seed"] == seat and info["illegal"] == 0 and not info["lost_illegally"]
            outcome = env.outcome()
            assert (outcome.points, outcome.coins, outcome.ranks) == (points, game.coins, game.ranks())
            assert (outcome.winners, outcome.seed, outcome.forfeited_by) == (game.winners(), seat, None)
            assert outcome.rewards == pytest.approx(Payoff(reward).of(game), abs=1e-7)


class Payoff:
    """What a finished game pays, worked out from points and coins and not by the code under test."""

    def __init__(self, reward: str) -> None:
        self.reward = reward

    def of(self, game: Game) -> list[float]:
        keys = [(points["total"], coins) for points, coins in zip(game.points(), game.coins, strict=True)]
        others = len(keys) - 1
        if self.reward == "margin":
            totals = [total for total, _ in keys]
            ahead = [total - max(totals[:seat] + totals[seat + 1 :]) for seat, total in enumerate(totals)]
            return [max(-1.0, min(1.0, points / 30)) for points in ahead]
        if self.reward == "outcome":
            winners = keys.count(max(keys))
            return [((key == max(keys)) / winners * (others + 1) - 1) / others for key in keys]
        better = [sum(other > key for other in keys) for key in keys]
        equal = [keys.count(key) - 1 for key in keys]
        return [1 - 2 * (above + same / 2) / others for above, same in zip(better, equal, strict=True)]


# Masks and observations


@pytest.mark.parametrize("mask_dtype", ["int8", "bool"])
@pytest.mark.parametrize("observe", ["vector", "dict"])
@pytest.mark.parametrize(("players", "padded"), [(2, True), (3, False), (4, True), (5, False)])
def test_mask_in_info_in_observation_and_from_the_method_agree(
    players: int, padded: bool, observe: str, mask_dtype: str
) -> None:
    env = SpeicherEnv(players, padded=padded, observation=observe, mask_dtype=mask_dtype)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    ended = False
    for _ in range(few_or_many(5, 10_000)):
        mask = info["action_mask"]
        assert mask.dtype == mask_dtype and mask.shape == (184,)
        assert np.array_equal(mask, env.action_masks())
        assert env.observation_space.contains(observation)
        if observe == "dict":
            assert np.array_equal(mask, observation["action_mask"])
        assert mask.sum() >= 2 or ended
        if ended:
            assert not mask.any()
            break
        observation, _, ended, _, info = env.step(legal_action(mask, rng))


@pytest.mark.parametrize("observe", ["vector", "dict"])
def test_what_was_returned_is_the_callers_to_write_on(observe: str) -> None:
    env, other = (SpeicherEnv(3, observation=observe) for _ in range(2))
    seen, info = env.reset(seed=0)
    again = other.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 30)):
        action = legal_action(info["action_mask"], rng)
        info["action_mask"][:] = 1
        info["points"][:] = 1
        rows = [seen["observation"], seen["action_mask"]] if observe == "dict" else [seen]
        for row in [*rows, env.action_masks()]:
            row[:] = 1
        seen, *_, info = env.step(action)
        again = other.step(action)
        assert plain([seen, info]) == plain([again[0], again[-1]])


INFO = {
    "action_mask": np.ndarray, "seat": int, "illegal": int, "points": np.ndarray, "points_total": int, "coins": int,
    "rank": int, "seed": np.uint64, "lost_illegally": bool, "episode_length": int,
}  # fmt: skip


@pytest.mark.parametrize(("illegal", "seed"), [("raise", 1), ("random", 2**64 - 1)])
def test_every_info_has_the_same_keys_with_arrays_and_numbers_only(illegal: str, seed: int) -> None:
    env = SpeicherEnv(3, illegal=illegal)
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(1)
    ended, length = False, 0
    while True:
        assert {key: type(value) for key, value in info.items()} == INFO
        assert info["points"].shape == (len(SOURCES),)
        if ended:
            break
        assert not info["points"].any()
        assert not any(info[key] for key in ("points_total", "coins", "rank", "seed", "lost_illegally"))
        if length == few_or_many(5, 10_000):
            return
        _, _, ended, _, info = env.step(legal_action(info["action_mask"], rng))
        length += 1
    assert info["rank"] > 0 and info["seed"] == seed and info["episode_length"] == length


def test_there_is_no_outcome_before_the_end() -> None:
    env = SpeicherEnv(2)
    for reset in (lambda: None, lambda: env.reset(seed=1)):
        reset()
        with pytest.raises(ArgumentError, match=r"outcome\(\) was called before the end of the game"):
            env.outcome()


# Seeds


def test_the_seed_alone_decides_the_game() -> None:
    one, other = SpeicherEnv(3, "sampled"), SpeicherEnv(3, "sampled")
    play_game(other, np.random.default_rng(9), few_or_many(5, 10_000))
    assert plain(one.reset(seed=4)) == plain(other.reset(seed=4))
    assert plain(one.reset(seed=5)) != plain(other.reset(seed=4))


def test_a_reset_without_seed_takes_the_seed_that_follows() -> None:
    env, other = SpeicherEnv(2), SpeicherEnv(2)
    env.reset(seed=4)
    assert plain(env.reset()) == plain(other.reset(seed=next_seed(4)))
    assert plain(env.reset()) == plain(other.reset(seed=next_seed(next_seed(4))))


def test_the_first_seed_is_fresh_where_none_is_given() -> None:
    seeds = set()
    for _ in range(4):
        env = SpeicherEnv(2)
        env.reset()
        seeds.add(int(env.batch.arrays.states["seed"][0]))
    assert len(seeds) == 4


def test_no_global_random_state_is_read_or_changed() -> None:
    before = np.random.get_state()[1].tobytes()
    one = play_game(SpeicherEnv(3), np.random.default_rng(0), few_or_many(5, 10_000), seed=1)
    assert np.random.get_state()[1].tobytes() == before
    np.random.seed(99)
    assert play_game(SpeicherEnv(3), np.random.default_rng(0), few_or_many(5, 10_000), seed=1) == one


def test_a_rotating_seat_moves_on_from_game_to_game_and_starts_again_with_a_seed() -> None:
    env = SpeicherEnv(3, seat="rotating")
    seats = []
    for seed in (1, None, None, None, 2, None):
        env.reset(seed=seed)
        seats.append(env.seat)
    assert seats == [0, 1, 2, 0, 0, 1]


def test_the_seat_that_begins_can_be_chosen_for_a_game() -> None:
    env = SpeicherEnv(4, seat=2)
    for first in (0, 2, 3):
        env.reset(seed=1, options={"first_player": first})
        assert env.batch.arrays.states["first_player"][0] == first
    env.reset(seed=1)
    assert env.batch.arrays.states["first_player"][0] == Game(4, seed=1).first_player


# Opponents


def test_opponents_outside_and_compiled_play_the_same_game() -> None:
    games = [
        play_game(SpeicherEnv(4, opponents=player), np.random.default_rng(0), few_or_many(5, 10_000), seed=1)
        for player in (HIGHEST, Highest(), [HIGHEST, Highest(), HIGHEST])
    ]
    assert games[0] == games[1] == games[2]


# Illegal actions


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = SpeicherEnv(3)
    _, info = env.reset(seed=1)
    before = env.batch.arrays.states.tobytes()
    illegal = int((info["action_mask"] == 0).argmax())
    with pytest.raises(IllegalAction, match=f'^action="{ACTION_TEXTS[illegal]}".* player_{env.seat} decides in demand'):
        env.step(illegal)
    for action in (184, -1, "buy tea", 1.5, None, np.array([1, 2])):
        with pytest.raises(UnknownAction):
            env.step(action)
    assert env.batch.arrays.states.tobytes() == before


@pytest.mark.parametrize("action", [0, np.int64(0), np.int32(0), np.array(0), np.array([0]), "place 0"], ids=repr)
def test_actions_come_in_every_form_that_algorithms_give_them(action: Any) -> None:
    env, other = SpeicherEnv(2), SpeicherEnv(2)
    env.reset(seed=1)
    other.reset(seed=1)
    assert plain(env.step(action)) == plain(other.step(0))


def test_lose_ends_the_game_with_the_least_pay() -> None:
    env = SpeicherEnv(3, illegal="lose")
    _, info = env.reset(seed=1)
    assert info["illegal"] == 0
    _, reward, ended, _, info = env.step(183)
    assert (reward, ended) == (-0.5, True)
    assert info["lost_illegally"] and info["illegal"] == 1 and info["rank"] == 3
    assert not info["action_mask"].any()
    outcome = env.outcome()
    assert (outcome.forfeited_by, outcome.illegal[env.seat]) == (env.seat, 1)
    assert outcome.winners == [seat for seat in range(3) if seat != env.seat]
    assert sum(outcome.rewards) == 0


def test_random_plays_on_and_counts() -> None:
    env = SpeicherEnv(3, illegal="random")
    env.reset(seed=1)
    ended, steps = False, 0
    while not ended and steps < few_or_many(5, 10_000):
        _, _, ended, _, info = env.step(183 if steps % 2 else int(env.action_masks().argmax()))
        steps += 1
        assert info["illegal"] <= steps // 2
    assert few_or_many(True, info["illegal"] > 20 and not info["lost_illegally"])


# Rendering


def test_the_table_is_rendered_as_the_learner_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    env = SpeicherEnv(2, seat=1, render_mode="ansi")
    env.reset(seed=1)
    assert "Seat 2 (you)" in env.render()
    assert capsys.readouterr().out == ""


def test_rendering_needs_a_mode_and_a_game() -> None:
    env = SpeicherEnv(2)
    env.reset(seed=1)
    with pytest.raises(ArgumentError, match='needs render_mode="ansi", "human" or "rgb_array"'):
        env.render()
    with pytest.raises(ArgumentError, match=r"render\(\) was called before reset\(\)"):
        SpeicherEnv(2, render_mode="ansi").render()
