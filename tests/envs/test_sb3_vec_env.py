"""The stable-baselines3 environment: what `VecEnv` promises, and what MaskablePPO and its helpers make of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra [train] is not installed")

from gymnasium.wrappers import TimeLimit
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy as evaluate_unmasked
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from speicher_env import ArgumentError, Game, IllegalAction
from speicher_env.batch import Batch
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.rewards import SCHEMES
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import HIGHEST, Highest, Lowest, draw_legal, everything, paid
from tests.support.games import PLAYER_COUNTS
from tests.support.plain_loops import plain
from tests.support.positions import few_or_many

STEPS = few_or_many(6, 200)


def seeds(env: SpeicherVecEnv) -> list[int]:
    return env.batch.arrays.states["seed"].tolist()


def model_on(env: Any, **options: Any) -> MaskablePPO:
    return MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=1, seed=0, device="cpu", **options)


# Playing


@pytest.mark.nojit
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_it_plays_what_the_batch_plays(players: int) -> None:
    env = SpeicherVecEnv(3, players, "sampled", "random", HIGHEST, "margin", padded=True, seed=4)
    batch = Batch(3, players, "sampled", "random", HIGHEST, "margin", padded=True)
    assert env.reset().tobytes() == rows_of(batch, [4, 5, 6])
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        assert env.action_masks().tobytes() == batch.action_masks.tobytes()
        assert (env.action_masks().sum(axis=1) >= 2).all()
        actions = draw_legal(batch.action_masks, rng)
        batch.step(actions)
        rows, rewards, dones, infos = env.step(actions)
        assert rows.tobytes() == batch.observations.tobytes()
        assert env.observation_space.contains(rows[0])
        assert rewards.dtype == np.float32 and dones.dtype == np.bool_
        assert dones.tolist() == batch.ended.tolist()
        assert isinstance(infos, list) and len(infos) == 3
        for row, info in enumerate(infos):
            if not dones[row]:
                assert rewards[row] == 0 and info == {}
                continue
            outcome = batch.outcome(row)
            del outcome["seats"]
            assert {key: info[key] for key in outcome} == outcome
            assert rewards[row] == batch.rewards[row, outcome["seat"]]
            assert info["terminal_observation"].tobytes() == batch.arrays.final_rows[row].tobytes()
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["r"] == rewards[row]
            assert info["episode"]["l"] == batch.arrays.lanes["ended_length"][row]
            assert info["episode"]["t"] >= 0


def rows_of(batch: Batch, numbers: list[int]) -> bytes:
    batch.reset(numbers)
    return batch.observations.tobytes()


@pytest.mark.nojit
@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, SCHEMES)))
def test_the_summed_rewards_of_a_row_are_its_seats_final_payoff(players: int, reward: str) -> None:
    env = SpeicherVecEnv(players, players, seat="rotating", opponents=HIGHEST, reward=reward, seed=3)
    env.reset()
    games = [Game(players, seed=3 + row) for row in range(players)]
    totals = np.zeros(players)
    done = np.zeros(players, dtype=bool)
    rng = np.random.default_rng(0)
    while not done.all():
        actions = draw_legal(env.action_masks(), rng)
        _, rewards, dones, infos = env.step(actions)
        for row in np.flatnonzero(~done):
            for mine in (True, False):
                while not games[row].over and games[row].player != row:
                    games[row].play(max(games[row].legal_ids()))
                if mine:
                    games[row].play(int(actions[row]))
            totals[row] += rewards[row]
            assert dones[row] == games[row].over
            if dones[row]:
                assert infos[row]["seat"] == row
                assert totals[row] == pytest.approx(paid(games[row], reward)[row], abs=1e-7)
        done |= dones
        if few_or_many(True, False):
            break


@pytest.mark.nojit
def test_what_was_returned_stays_as_it_is() -> None:
    env = SpeicherVecEnv(2, seed=0)
    returned: list[Any] = [env.reset()]
    before = plain(returned)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        masks = env.action_masks()
        returned += [masks, env.step(draw_legal(masks, rng))]
        before += plain(returned[-2:])
    assert plain(returned) == before


# Seeds


@pytest.mark.nojit
def test_seeds_decide_the_games() -> None:
    env = SpeicherVecEnv(3, seed=7)
    env.reset()
    assert seeds(env) == [7, 8, 9]
    env.reset()
    assert seeds(env) == [next_seed(7) + row for row in range(3)]
    assert env.seed(20) == [20, 21, 22]
    env.reset()
    assert seeds(env) == [20, 21, 22]
    env.reset()
    assert seeds(env) == [next_seed(20) + row for row in range(3)]


@pytest.mark.nojit
def test_without_a_seed_the_games_are_fresh() -> None:
    envs = [SpeicherVecEnv(1) for _ in range(3)]
    for env in envs:
        env.reset()
    assert len({seeds(env)[0] for env in envs}) == 3


# Attributes and methods


@pytest.mark.nojit
def test_masks_come_from_the_method_and_through_env_method_alike() -> None:
    env = SpeicherVecEnv(5, 3, seed=0)
    env.reset()
    masks = env.action_masks()
    assert masks.shape == (5, 184) and masks.dtype == np.int8
    np.testing.assert_array_equal(np.stack(env.env_method("action_masks")), masks)
    np.testing.assert_array_equal(np.stack(env.env_method("action_masks", indices=[3, 1])), masks[[3, 1]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=2), masks[[2]])
    np.testing.assert_array_equal(get_action_masks(env), masks)
    assert is_masking_supported(env)
    masks[:] = 0
    env.env_method("action_masks")[0][:] = 0
    assert env.action_masks().sum() >= 10


@pytest.mark.nojit
def test_opponents_can_be_set_and_read_row_by_row() -> None:
    env, other = (SpeicherVecEnv(3, 2, opponents=HIGHEST, seat=0, seed=0) for _ in range(2))
    assert env.get_attr("opponents") == [HIGHEST] * 3
    player = Lowest()
    env.set_attr("opponents", player, indices=[1])
    assert env.get_attr("opponents") == [HIGHEST, player, HIGHEST]
    assert env.get_attr("opponents", indices=[2, 1]) == [HIGHEST, player]
    assert env.env_method("set_opponents", "random", indices=0) == [None]
    assert env.get_attr("opponents") == ["random", player, HIGHEST]
    for each in (env, other):
        each.seed(40)
        each.batch.arrays.lanes["first_player"] = 1
        each.reset()
    states = [each.batch.arrays.states for each in (env, other)]
    assert states[0][1].tobytes() != states[1][1].tobytes()
    assert states[0][2].tobytes() == states[1][2].tobytes()
    env.set_attr("opponents", "random")
    assert env.get_attr("opponents") == ["random"] * 3


@pytest.mark.nojit
def test_opponents_that_are_refused_are_not_remembered() -> None:
    env = SpeicherVecEnv(2, opponents=HIGHEST)
    with pytest.raises(ArgumentError, match="opponents=3: must be"):
        env.set_attr("opponents", 3)
    assert env.get_attr("opponents") == [HIGHEST, HIGHEST]


@pytest.mark.nojit
def test_the_rest_of_what_vec_env_asks_is_answered() -> None:
    env = SpeicherVecEnv(2, 3)
    assert env.num_envs == 2 and env.render_mode is None
    assert env.get_attr("num_envs") == [2, 2]
    assert env.get_attr("render_mode", indices=[0]) == [None]
    assert env.has_attr("action_masks") and not env.has_attr("opponnts")
    assert env.env_is_wrapped(TimeLimit) == [False, False]
    assert env.env_is_wrapped(Monitor, indices=[1]) == [True]  # infos have what it adds
    assert list(env.get_images()) == [None, None]
    with pytest.raises(ArgumentError, match='attr_name="reward": must be "opponents"'):
        env.set_attr("reward", "rank")
    with pytest.raises(ArgumentError, match=r'env_method="action_mask": must be .* did you mean'):
        env.env_method("action_mask")


# Illegal actions and the order of calls


@pytest.mark.nojit
def test_an_illegal_action_names_the_row_and_steps_nothing() -> None:
    env = SpeicherVecEnv(3, 2, seat=0, seed=0)
    env.reset()
    before = everything(env.batch)
    actions = draw_legal(env.action_masks(), np.random.default_rng(0))
    actions[1] = 183
    with pytest.raises(IllegalAction, match=r'game 1: action="end": must be place 0.*, as player_0 decides in demand'):
        env.step(actions)
    assert everything(env.batch) == before


@pytest.mark.nojit
@pytest.mark.parametrize("illegal", ["lose", "random"])
def test_algorithms_that_know_no_masks_can_play_on(illegal: str) -> None:
    env = SpeicherVecEnv(4, 3, illegal=illegal, seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    lost = counted = games = 0
    for _ in range(STEPS):
        _, rewards, dones, infos = env.step(rng.integers(184, size=4))
        for row in np.flatnonzero(dones):
            games += 1
            lost += infos[row]["lost_illegally"]
            counted += infos[row]["illegal"]
            if infos[row]["lost_illegally"]:
                assert illegal == "lose" and rewards[row] == -0.5
    assert (lost > 0) == (illegal == "lose")
    assert few_or_many(True, counted > games > 0 if illegal == "random" else games >= counted == lost > 0)


@pytest.mark.nojit
def test_actions_are_taken_once() -> None:
    env = SpeicherVecEnv(2, seed=0)
    with pytest.raises(ArgumentError, match=r"step\(\) was called before reset\(\)"):
        env.step(np.array([0, 0]))
    env.reset()
    with pytest.raises(ArgumentError, match=r"step_wait\(\) was called before step_async\(\)"):
        env.step_wait()
    env.step(np.array([0, 0]))
    with pytest.raises(ArgumentError, match=r"step_wait\(\) was called before step_async\(\)"):
        env.step_wait()


# With stable-baselines3 and sb3-contrib


def test_maskable_ppo_learns_on_it_without_an_illegal_action() -> None:
    env = SpeicherVecEnv(16, 3, opponents=Highest(), seed=0)
    model = model_on(env)
    model.learn(16 * 8 * 8)
    assert model.ep_info_buffer and all(set(info) >= {"r", "l", "t"} for info in model.ep_info_buffer)
    assert env.batch.illegal == "raise"


def test_policies_are_evaluated_with_masks() -> None:
    env = SpeicherVecEnv(8, 2, seed=0)
    rewards, lengths = evaluate_policy(model_on(env), env, n_eval_episodes=16, return_episode_rewards=True)
    assert len(rewards) == 16 and set(rewards) <= {1.0, -1.0, 0.0}
    assert min(lengths) > 20


def test_maskable_eval_callback_reports_on_it(tmp_path: Any) -> None:
    env = SpeicherVecEnv(16, 2, seed=0)
    callback = MaskableEvalCallback(
        SpeicherVecEnv(8, 2, seed=10_000),
        eval_freq=8,
        n_eval_episodes=8,
        log_path=str(tmp_path),
        best_model_save_path=str(tmp_path),
        verbose=0,
    )
    model_on(env).learn(16 * 16, callback=callback)
    told = np.load(tmp_path / "evaluations.npz")
    assert told["timesteps"].tolist() == [128, 256]
    assert told["results"].shape == (2, 8)
    assert MaskablePPO.load(tmp_path / "best_model", env=env).predict(env.reset(), action_masks=env.action_masks())


def test_what_forgets_the_masks_fails_at_once() -> None:
    """The plain evaluation helper and callback of stable-baselines3 know no masks."""
    env = SpeicherVecEnv(8, 2, seed=0)
    model = model_on(env)
    with pytest.raises(IllegalAction, match="decides in"):
        evaluate_unmasked(model, SpeicherVecEnv(8, 2, seed=1), n_eval_episodes=16)
    with pytest.raises(IllegalAction, match="decides in"):
        model.learn(16 * 16, callback=EvalCallback(SpeicherVecEnv(8, 2, seed=1), eval_freq=8, verbose=0))


def test_vec_monitor_counts_the_episodes_as_the_environment_does() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        env = VecMonitor(SpeicherVecEnv(4, 2, seed=0))
    env.reset()
    rng = np.random.default_rng(0)
    totals, lengths, ends = np.zeros(4), np.zeros(4, dtype=int), 0
    for _ in range(150):
        masks = np.stack(env.env_method("action_masks"))
        _, rewards, dones, infos = env.step(draw_legal(masks, rng))
        totals += rewards
        lengths += 1
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"]["r"] == pytest.approx(totals[row])
            assert infos[row]["episode"]["l"] == lengths[row]
            totals[row], lengths[row], ends = 0, 0, ends + 1
    assert ends >= 4
