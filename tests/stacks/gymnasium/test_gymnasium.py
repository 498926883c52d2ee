"""Gymnasium and stable-baselines3: what the ordinary tests leave out, because it needs more packages or minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers import vector as vector_wrappers
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env as check_sb3_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize, VecVideoRecorder

from speicher_env import IllegalAction
from speicher_env.envs.sb3 import SpeicherVecEnv
from tests.stacks.conftest import Figures
from tests.stacks.examples import load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.speed import beside_ours

EXAMPLE = "maskable_ppo"
STEPS = 400_000
ID = "speicher_env:Speicherstadt-v0"
"""With the module to import, which other processes have not."""


def draw(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


# Gymnasium


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("illegal", ["lose", "random"])
def test_both_checkers_pass_with_pictures(players: int, illegal: str) -> None:
    for check in (check_env, check_sb3_env):
        env = gymnasium.make(ID, num_players=players, illegal=illegal, render_mode="rgb_array")
        check(env.unwrapped)
        env.close()


def test_a_film_of_a_game_is_recorded(tmp_path: Path) -> None:
    env = RecordEpisodeStatistics(
        RecordVideo(gymnasium.make(ID, render_mode="rgb_array"), str(tmp_path), episode_trigger=lambda episode: True)
    )
    rng, over = np.random.default_rng(0), False
    _, info = env.reset(seed=1)
    while not over:
        _, reward, over, _, info = env.step(int(draw(info["action_mask"], rng)))
    env.close()
    assert info["episode"]["r"] == reward
    assert [film.name for film in tmp_path.glob("*.mp4")] == ["rl-video-episode-0.mp4"]


def test_a_film_of_many_games_is_recorded(tmp_path: Path) -> None:
    env = vector_wrappers.RecordVideo(
        gymnasium.make_vec(ID, num_envs=2, render_mode="rgb_array"), str(tmp_path), step_trigger=lambda step: step == 0,
        video_length=4,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    for _ in range(6):
        _, _, _, _, info = env.step(draw(info["action_mask"], rng))
    env.close()
    assert len(list(tmp_path.glob("*.mp4"))) == 1


def test_asynchronous_workers_play_their_games() -> None:
    env = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="async", opponents="merchant")
    rng, ended = np.random.default_rng(0), 0
    _, info = env.reset(seed=1)
    while ended < 3:
        _, _, over, _, info = env.step(draw(info["action_mask"], rng))
        ended += int(over.sum())
    env.close()


# stable-baselines3 and sb3-contrib

VECTORS: dict[str, Any] = {
    "ours": lambda: SpeicherVecEnv(2, opponents="random", seed=1),
    "dummy": lambda: make_vec_env(ID, n_envs=2, seed=1),
    "processes": lambda: make_vec_env(ID, n_envs=2, seed=1, vec_env_cls=SubprocVecEnv),
    "monitor": lambda: VecMonitor(DummyVecEnv([lambda: gymnasium.make(ID)] * 2)),
    "normalize": lambda: VecNormalize(make_vec_env(ID, n_envs=2, seed=1), norm_obs=False),
}


@pytest.mark.parametrize("make", VECTORS.values(), ids=VECTORS)
def test_maskable_ppo_trains_and_is_evaluated_without_an_illegal_action(make: Any) -> None:
    env, held_out = make(), make()
    try:
        callback = MaskableEvalCallback(held_out, n_eval_episodes=2, eval_freq=64, verbose=0)
        model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=1, device="cpu")
        model.learn(256, callback=callback)
        assert callback.last_mean_reward in (-1.0, -0.5, 0.0, 0.5, 1.0)
        rows = env.reset()
        masks = get_action_masks(env)
        for deterministic in (True, False):
            actions, _ = model.predict(rows, action_masks=masks, deterministic=deterministic)
            assert masks[np.arange(2), actions].all()
    finally:
        env.close()
        held_out.close()


def test_without_its_masks_a_model_is_refused() -> None:
    env = SpeicherVecEnv(8, seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=1, device="cpu")
    with pytest.raises(IllegalAction, match="decides in demand"):
        for _ in range(100):
            env.step(model.predict(env.reset())[0])


def test_sb3_records_a_film(tmp_path: Path) -> None:
    games = make_vec_env(ID, n_envs=1, seed=1, env_kwargs={"render_mode": "rgb_array"})
    env = VecVideoRecorder(games, str(tmp_path), lambda step: step == 0, video_length=4)
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(6):
        env.step(draw(get_action_masks(env), rng))
    env.close()
    assert len(list(tmp_path.glob("*.mp4"))) == 1


# Learning


def chooser(model: MaskablePPO) -> Any:
    return lambda observations, masks: model.predict(observations, action_masks=masks, deterministic=True)[0]


def test_the_example_learns(tmp_path: Path, figures: Figures) -> None:
    run = run_example(EXAMPLE, "--steps", STEPS, "--save", tmp_path / "agent.zip")
    share = win_share(chooser(MaskablePPO.load(tmp_path / "agent.zip", device="cpu")), 2, "random", deals=400)
    figures("MaskablePPO", **share._asdict(), minutes=run.minutes, decisions=STEPS,
            training_per_second=STEPS / run.minutes / 60)  # fmt: skip
    assert share.low > 0.9


def test_what_was_saved_chooses_as_before(tmp_path: Path) -> None:
    model = load_example(EXAMPLE).make_model(2, 16, 1)
    model.learn(512)
    model.save(tmp_path / "agent.zip")
    env = SpeicherVecEnv(16, seed=5)
    rows, masks = env.reset(), env.action_masks()
    restored = MaskablePPO.load(tmp_path / "agent.zip", env=env, device="cpu")
    np.testing.assert_array_equal(chooser(model)(rows, masks), chooser(restored)(rows, masks))
    restored.learn(512, reset_num_timesteps=False)
    assert restored.num_timesteps == 1024


# Speed


def test_the_speed_of_maskable_ppos_environment(figures: Figures) -> None:
    env = SpeicherVecEnv(256, opponents="random", seed=1)
    env.reset()
    rng = np.random.default_rng(1)

    def steps() -> int:
        for _ in range(50):
            env.step(draw(env.action_masks(), rng))
        return 50 * 256

    figures("MaskablePPO", players=2, **beside_ours(steps, 256, seats="one"))


def test_the_speed_of_single_environments(figures: Figures) -> None:
    one = gymnasium.make(ID)
    many = SyncVectorEnv([lambda: gymnasium.make(ID)] * 16)
    dummy = make_vec_env(ID, n_envs=16, seed=1)
    rng = np.random.default_rng(1)
    state = {"one": one.reset(seed=1)[1]["action_mask"], "many": many.reset(seed=1)[1]["action_mask"]}
    dummy.reset()

    def play_one() -> int:
        for _ in range(200):
            _, _, over, _, info = one.step(int(draw(state["one"], rng)))
            state["one"] = (one.reset()[1] if over else info)["action_mask"]
        return 200

    def play_many() -> int:
        for _ in range(50):
            state["many"] = many.step(draw(state["many"], rng))[4]["action_mask"]
        return 50 * 16

    def play_dummy() -> int:
        for _ in range(50):
            dummy.step(draw(get_action_masks(dummy), rng))
        return 50 * 16

    figures("gymnasium.make", players=2, **beside_ours(play_one, 1, seats="one"))
    figures("SyncVectorEnv", players=2, **beside_ours(play_many, 16, seats="one"))
    figures("make_vec_env", players=2, **beside_ours(play_dummy, 16, seats="one"))
