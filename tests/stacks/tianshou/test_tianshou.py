"""Tianshou: its collectors on our vector environment, masked actors, and examples that learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv, SubprocVectorEnv

from speicher_env import ArgumentError, IllegalAction, speicherstadt_v0
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.integrations.tianshou import SpeicherTianshouEnv
from tests.stacks.conftest import Figures
from tests.stacks.examples import load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.speed import beside_ours

EXAMPLE = "tianshou_ppo"
STEPS = 400_000
COUNTS = (2, 3, 4, 5)


def collected(env: Any, policy: Any, steps: int) -> Batch:
    """Steps of every game, one game after the other."""
    buffer = VectorReplayBuffer(steps * len(env), len(env))
    Collector(policy, env, buffer).collect(n_step=steps * len(env), reset_before_collect=True)
    return buffer.sample(0)[0]


def by_game(values: np.ndarray, games: int) -> np.ndarray:
    return values.reshape(games, -1, *values.shape[1:])


# Masks


@pytest.mark.parametrize("seats", ["one", "all"])
@pytest.mark.parametrize("players", COUNTS)
def test_no_mask_is_violated(players: int, seats: str) -> None:
    """illegal="raise" would raise; and it does for an action that is illegal."""
    policy = load_example(EXAMPLE).make_policy(players)
    env = SpeicherTianshouEnv(8, players, seats=seats, seed=3)
    data = collected(env, policy, 250)
    assert data.done.any()
    assert np.take_along_axis(data.obs.mask, data.act[:, None], 1).all()
    assert (data.obs.mask.sum(axis=1) >= 2).all()
    assert (data.obs_next.mask.any(axis=1) == ~data.done).all()
    rows, _ = env.reset()
    with pytest.raises(IllegalAction, match=r"game 0: action=.* decides in demand"):
        env.step(rows.mask.argmin(axis=1))


def test_the_actor_takes_the_dict_of_the_single_environment() -> None:
    policy = load_example(EXAMPLE).make_policy(2)
    makers = [lambda: gymnasium.make("speicher_env:Speicherstadt-v0", observation="dict")] * 2
    for vector in (DummyVectorEnv, SubprocVectorEnv):
        env = vector(makers)
        data = collected(env, policy, 150)
        env.close()
        assert data.done.any()
        assert np.take_along_axis(data.obs.action_mask, data.act[:, None], 1).all()


# The games


@pytest.mark.parametrize("seats", ["one", "all"])
def test_games_are_those_of_the_vector_environment(seats: str) -> None:
    env = SpeicherTianshouEnv(4, 3, seats=seats, seat="rotating", seed=11)
    ours = SpeicherVectorEnv(4, 3, seats=seats, seat="rotating", autoreset_mode="same_step")
    rows, info = ours.reset(seed=11)
    data = collected(env, load_example(EXAMPLE).make_policy(3), 250)
    seen, actions, rewards, done = (by_game(each, 4) for each in (data.obs.obs, data.act, data.rew, data.done))
    assert done.any(axis=1).all()
    for step in range(250):
        np.testing.assert_array_equal(seen[:, step], rows)
        rows, paid, ended, _, info = ours.step(actions[:, step])
        np.testing.assert_array_equal(done[:, step], ended)
        np.testing.assert_allclose(rewards[:, step], info["rewards"] if seats == "all" else paid)


def test_seeds_repeat_the_games_and_resets_go_on() -> None:
    env = SpeicherTianshouEnv(3, 2)
    assert env.seed(2**64 - 3) == [2**64 - 3, 2**64 - 2, 2**64 - 1]
    first, second = env.reset()[0].obs, env.reset()[0].obs
    np.testing.assert_array_equal(env.reset(seed=2**64 - 3)[0].obs, first)
    np.testing.assert_array_equal(env.reset([1])[0].obs, second[[1]])
    assert not np.array_equal(first, second)
    with pytest.raises(ArgumentError, match="seed"):
        env.seed(2**64 - 2)
    with pytest.raises(ArgumentError, match="first reset must deal all games"):
        SpeicherTianshouEnv(3).reset([0])


def test_whole_episodes_are_counted_and_paid() -> None:
    env = SpeicherTianshouEnv(4, 3, seats="all", seed=1)
    policy = load_example(EXAMPLE).make_policy(3)
    stats = Collector(policy, env, VectorReplayBuffer(4000, 4)).collect(n_episode=7, reset_before_collect=True)
    assert stats.n_collected_episodes == 7
    np.testing.assert_allclose(stats.returns.sum(axis=1), 0, atol=1e-6)
    assert (np.abs(stats.returns).sum(axis=1) > 0).any()
    with pytest.raises(ArgumentError, match="is over"):
        ended = SpeicherTianshouEnv(1, 2, illegal="lose", seed=1)
        rows, _ = ended.reset()
        for _ in range(2):
            ended.step(rows.mask.argmin(axis=1))


# Advantages of all seats


def test_the_advantages_of_all_seats_are_those_of_a_plain_loop() -> None:
    example = load_example(EXAMPLE)
    policy = example.make_policy(3)
    algorithm = example.SeatPPO(
        policy=policy, critic=example.Critic(3), optim=example.AdamOptimizerFactory(lr=1e-3), gae_lambda=1.0, gamma=1.0
    )
    env = SpeicherTianshouEnv(3, 3, seats="all", seed=5)
    buffer = VectorReplayBuffer(900, 3)
    Collector(algorithm, env, buffer).collect(n_step=900, reset_before_collect=True)
    batch, indices = buffer.sample(0)
    seats, done, paid = (by_game(each, 3) for each in (batch.obs.seat, batch.done, batch.rew))
    returns = []
    for game in range(3):
        ends = np.flatnonzero(done[game])
        for step in range(300):
            if (later := ends[ends >= step]).size:
                returns.append(paid[game, later[0], seats[game, step]])
            elif (seats[game, step + 1 :] == seats[game, step]).any():
                returns.append(np.nan)  # its game goes on after the rows: the value of its last decision stands for it
    kept = algorithm._preprocess_batch(batch, buffer, indices)
    expected = np.array(returns)
    assert len(kept.returns) == len(expected)
    finished = ~np.isnan(expected)
    np.testing.assert_allclose(kept.returns.numpy()[finished], expected[finished], atol=1e-5)


# Learning


def chooser(policy: DiscreteActorPolicy) -> Any:
    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act.numpy()

    return choose


@pytest.mark.parametrize("seats", ["one", "all"])
def test_the_example_learns(seats: str, tmp_path: Path, figures: Figures) -> None:
    run = run_example(EXAMPLE, "--seats", seats, "--steps", STEPS, "--save", tmp_path / "agent.pt")
    policy = load_example(EXAMPLE).make_policy(2)
    policy.load_state_dict(torch.load(tmp_path / "agent.pt", weights_only=True))
    share = win_share(chooser(policy), 2, "random", deals=400)
    example = {"one": "one seat", "all": "all seats"}[seats]
    speed = {"decisions": STEPS, "minutes": run.minutes, "training_per_second": STEPS / run.minutes / 60}
    figures(example, **share._asdict(), **speed)
    assert share.low > 0.9


def test_what_was_saved_chooses_as_before(tmp_path: Path) -> None:
    example = load_example(EXAMPLE)
    policy, restored = example.make_policy(2), example.make_policy(2)
    torch.save(policy.state_dict(), tmp_path / "agent.pt")
    rows, _ = SpeicherTianshouEnv(32, 2, seed=8).reset()
    before = chooser(policy)(rows.obs, rows.mask)
    restored.load_state_dict(torch.load(tmp_path / "agent.pt", weights_only=True))
    np.testing.assert_array_equal(before, chooser(restored)(rows.obs, rows.mask))


@pytest.mark.parametrize("seats", ["one", "all"])
def test_its_speed(seats: str, figures: Figures) -> None:
    games = 64
    env = SpeicherTianshouEnv(games, 2, seats=seats, seed=1)
    state = {"rows": env.reset()[0]}
    rng = np.random.default_rng(1)

    def steps() -> int:
        for _ in range(50):
            chances = rng.random((games, 184), dtype=np.float32) * state["rows"].mask
            rows, _, done, _, _ = env.step(chances.argmax(axis=1))
            if done.any():
                rows[done] = env.reset(np.flatnonzero(done))[0]
            state["rows"] = rows
        return 50 * games

    example = {"one": "one seat", "all": "all seats"}[seats]
    figures(example, players=2, **beside_ours(steps, games, players=2, seats=seats))


# Tianshou's own wrapper for several agents


def test_tianshous_pettingzoo_wrapper_plays_whole_games() -> None:
    env = DummyVectorEnv([lambda: PettingZooEnv(speicherstadt_v0.env(num_players=3))] * 2)
    rng = np.random.default_rng(0)
    rows, _ = env.reset()
    ended = 0
    while ended < 2:
        masks = np.array([row["mask"] for row in rows])
        rows, rewards, done, _, _ = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
        assert rewards.shape == (2, 3)
        for game in np.flatnonzero(done):
            assert rewards[game].sum() == pytest.approx(0, abs=1e-6)
            ended += 1
            rows[game] = env.reset([game])[0][0]
