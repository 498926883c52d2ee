"""The single-seat environment in the tools that Gymnasium, stable-baselines3 and sb3-contrib train and watch with.

`SpeicherVecEnv` has a file of its own; here single environments are put into the tools.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.solo import SpeicherEnv
from tests.support.batch_play import draw_legal
from tests.support.learner_play import legal_action
from tests.support.plain_loops import plain

# Gymnasium


def whole_game(env: gymnasium.Env[Any, Any], seed: int) -> tuple[float, list[Any], dict[str, Any]]:
    """Play a random game; gives the rewards' sum, the observations and the last info."""
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    observations, total, over = [observation], 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(legal_action(info["action_mask"], rng))
        observations.append(observation)
        total += float(reward)
        over = terminated or truncated
    return total, observations, info


PLAIN_WRAPPERS: dict[str, Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]]] = {
    "record episode statistics": wrappers.RecordEpisodeStatistics,
    "time limit": partial(wrappers.TimeLimit, max_episode_steps=1000),
    "clip reward": partial(wrappers.ClipReward, min_reward=-2, max_reward=2),
    "normalize observation": wrappers.NormalizeObservation,
    "normalize reward": wrappers.NormalizeReward,
    "flatten observation": wrappers.FlattenObservation,
    "frame stack": partial(wrappers.FrameStackObservation, stack_size=2),
    "delay": partial(wrappers.DelayObservation, delay=1),
    "autoreset": wrappers.Autoreset,
}


@pytest.mark.parametrize("wrap", PLAIN_WRAPPERS.values(), ids=PLAIN_WRAPPERS)
def test_gymnasiums_wrappers_play_a_masked_game(wrap: Callable[[Any], Any]) -> None:
    plain = whole_game(gymnasium.make(GYMNASIUM_ID, num_players=3), seed=1)[2]
    info = whole_game(wrap(gymnasium.make(GYMNASIUM_ID, num_players=3)), seed=1)[2]
    assert info["seed"] == plain["seed"] == 1
    assert info["points"].tolist() == plain["points"].tolist()


def test_flattened_dicts_hold_mask_and_observation() -> None:
    env = wrappers.FlattenObservation(SpeicherEnv(2, observation="dict"))
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert observation[:184].tolist() == info["action_mask"].tolist()


def test_episode_statistics_hold_the_reward_of_the_whole_game() -> None:
    env = wrappers.RecordEpisodeStatistics(gymnasium.make(GYMNASIUM_ID, num_players=2))
    total, observations, info = whole_game(env, seed=3)
    assert info["episode"]["r"] == total
    assert info["episode"]["l"] == len(observations) - 1 == info["episode_length"]


def test_a_film_is_written_where_moviepy_is_installed(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="Gymnasium writes films with moviepy")
    env = wrappers.RecordVideo(gymnasium.make(GYMNASIUM_ID, render_mode="rgb_array"), str(tmp_path), video_length=3)
    _, info = env.reset(seed=1)
    for _ in range(4):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()
    assert list(tmp_path.glob("*.mp4"))


def made(seat: int) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(GYMNASIUM_ID, num_players=3, seat=seat)


def test_async_and_sync_vectors_play_the_same_games_with_infos_of_numbers() -> None:
    """Infos of one form: Gymnasium stacks each key into an array, and none becomes an array of objects."""
    makers = [partial(made, seat) for seat in (0, 2)]
    vectors = [SyncVectorEnv(makers), AsyncVectorEnv(makers)]
    try:
        seen = [env.reset(seed=2**64 - 2) for env in vectors]
        rng, ended = np.random.default_rng(0), 0
        while ended < 2:
            for (rows, infos), (other_rows, other_infos) in [seen]:
                np.testing.assert_array_equal(rows, other_rows)
                assert set(infos) == set(other_infos)
                for key, values in infos.items():
                    assert values.dtype != object and values.tolist() == other_infos[key].tolist()
            actions = draw_legal(seen[0][1]["action_mask"], rng)
            steps = [env.step(actions) for env in vectors]
            ended += int(steps[0][2].sum())
            seen = [(step[0], step[4]) for step in steps]
    finally:
        for env in vectors:
            env.close()


# Copies with the players that are shipped

SHIPPED = ("merchant", "firechief", "flat:2", "mcts:2", "guided:2", "baseline:2p", "baseline:2p,temperature=1")
COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("spec", SHIPPED)
def test_a_copy_with_a_shipped_player_plays_on_equally(spec: str, copied: Callable[[Any], Any]) -> None:
    env = gymnasium.make(GYMNASIUM_ID, opponents=[spec], seat=1)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    for _ in range(3):
        _, _, _, _, info = env.step(legal_action(info["action_mask"], rng))
    twin = copied(env)
    for _ in range(12):
        action = legal_action(info["action_mask"], rng)
        step = env.step(action)
        assert plain(twin.step(action)) == plain(step)
        info = step[4]


# stable-baselines3 and sb3-contrib

pytest.importorskip("sb3_contrib", reason="the extra [train] is not installed")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize  # noqa: E402


def test_make_vec_env_takes_the_id_and_needs_no_packages_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    import speicher_env.render.extra as extra

    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    env = make_vec_env(GYMNASIUM_ID, n_envs=2, seed=1, env_kwargs={"num_players": 3})
    assert env.num_envs == 2 and env.observation_space.shape == (458,)
    env.reset()
    assert get_action_masks(env).shape == (2, 184)


WITH_IMPORT = f"speicher_env:{GYMNASIUM_ID}"
"""The id as another process needs it, which has not imported the package."""

VECTORS: dict[str, Callable[[], Any]] = {
    "dummy": partial(make_vec_env, GYMNASIUM_ID, n_envs=2, seed=1),
    "processes": partial(make_vec_env, WITH_IMPORT, n_envs=2, seed=1, vec_env_cls=SubprocVecEnv),
    "monitor": lambda: VecMonitor(DummyVecEnv([SpeicherEnv] * 2), info_keywords=("rank", "coins")),
    "normalize": lambda: VecNormalize(make_vec_env(GYMNASIUM_ID, n_envs=2, seed=1)),
}


@pytest.mark.parametrize("make", VECTORS.values(), ids=VECTORS)
def test_masked_games_are_played_to_their_ends(make: Callable[[], Any]) -> None:
    env = make()
    try:
        env.reset()
        rng, ended = np.random.default_rng(0), 0
        while ended < 2:
            _, _, dones, infos = env.step(draw_legal(get_action_masks(env), rng))
            for row in np.flatnonzero(dones):
                ended += 1
                assert infos[row]["rank"] in (1, 2)
                assert infos[row]["episode"]["l"] == infos[row]["episode_length"] > 20
                assert infos[row]["terminal_observation"].shape == env.observation_space.shape
    finally:
        env.close()


def test_maskable_ppo_learns_and_is_evaluated_by_its_callback(tmp_path: Path) -> None:
    env, evaluation = (make_vec_env(GYMNASIUM_ID, n_envs=2, seed=seed) for seed in (1, 2))
    callback = MaskableEvalCallback(evaluation, n_eval_episodes=2, eval_freq=32, log_path=str(tmp_path), verbose=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    model.learn(64, callback=callback)
    assert callback.last_mean_reward in (-1.0, 0.0, 1.0)
    assert (tmp_path / "evaluations.npz").exists()
