"""AgileRL: its PPO on the vector environment, what is wrong with its advantages, and an example that learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from agilerl.training.train_on_policy import train_on_policy

from speicher_env.envs.vector import SpeicherVectorEnv
from tests.stacks.conftest import Figures
from tests.stacks.examples import load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.speed import beside_ours

EXAMPLE = "agilerl_ppo"
STEPS = 400_000


def games(rows: int, players: int = 2, **options: Any) -> SpeicherVectorEnv:
    return SpeicherVectorEnv(rows, players, autoreset_mode="same_step", **options)


def collected(agent: PPO, rows: int, players: int = 2) -> Any:
    """The rows of a rollout, (steps, games) in each entry."""
    env = games(rows, players)
    rows_now, info = env.reset(seed=3)
    start = {"last_obs": rows_now, "last_done": np.zeros(rows), "last_scores": np.zeros(rows), "last_info": info}
    collect_rollouts(agent, env, **start)
    return agent.rollout_buffer.buffer


# Masks


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_mask_is_violated(players: int) -> None:
    """illegal="raise" would raise."""
    agent = load_example(EXAMPLE).make_agent(players, 8, learn_step=8 * 150)
    rows = collected(agent, 8, players)
    assert rows["dones"].any()
    masks = rows["action_masks"].bool()
    assert masks.gather(-1, rows["actions"].long().reshape(150, 8, 1)).all()
    assert (masks.sum(-1) >= 2).all()


def test_it_chooses_legal_actions_only() -> None:
    example = load_example(EXAMPLE)
    win_share(lambda seen, masks: example.choose(example.make_agent(2), seen, masks), deals=3)


# Advantages


def plain_returns(rows: Any) -> np.ndarray:
    """What the game pays that each decision is in; NaN where it goes on after the rows."""
    rewards, done = rows["rewards"].numpy(), rows["dones"].numpy().astype(bool)
    returns = np.full(rewards.shape, np.nan)
    for step in reversed(range(len(rewards))):
        if step + 1 < len(rewards):
            returns[step] = returns[step + 1]
        returns[step][done[step]] = rewards[step][done[step]]
    return returns


@pytest.mark.parametrize("fixed", [True, False])
def test_returns_reach_all_decisions_of_a_game_with_the_fixed_buffer_only(fixed: bool) -> None:
    """When AgileRL's own buffer passes, it has been fixed there, and the example no longer needs FixedBuffer."""
    example = load_example(EXAMPLE)
    if not fixed:
        example.FixedPPO.create_rollout_buffer = PPO.create_rollout_buffer
    agent = example.make_agent(2, 4, learn_step=4 * 200)
    agent.rollout_buffer.gae_lambda = 1.0
    rows = collected(agent, 4)
    expected = plain_returns(rows)
    known = ~np.isnan(expected)
    assert known.sum() > 300
    right = np.isclose(rows["returns"].numpy()[known], expected[known], atol=1e-4)
    assert right.all() if fixed else right.mean() < 0.2


# AgileRL's own loop


def test_agilerls_training_loop_takes_the_vector_environment() -> None:
    agent = load_example(EXAMPLE).make_agent(2, 8, learn_step=256, batch_size=64)
    env = games(8)
    agents, _ = train_on_policy(
        env, "Speicherstadt-v0", "PPO", [agent], max_steps=1024, evo_steps=512, eval_steps=20, verbose=False
    )
    assert len(agents) == 1


# Learning


def test_the_example_learns(tmp_path: Path, figures: Figures) -> None:
    run = run_example(EXAMPLE, "--steps", STEPS, "--save", tmp_path / "agent.pt")
    example = load_example(EXAMPLE)
    agent = example.make_agent(2)
    agent.actor.load_state_dict(torch.load(tmp_path / "agent.pt", weights_only=True))
    share = win_share(lambda seen, masks: example.choose(agent, seen, masks), 2, "random", deals=400)
    figures("one seat", **share._asdict(), minutes=run.minutes, decisions=STEPS,
            training_per_second=STEPS / run.minutes / 60)  # fmt: skip
    assert share.low > 0.9


def test_what_was_saved_chooses_as_before(tmp_path: Path) -> None:
    example = load_example(EXAMPLE)
    agent, restored = example.make_agent(2), example.make_agent(2)
    rows, info = games(64).reset(seed=8)
    torch.save(agent.actor.state_dict(), tmp_path / "agent.pt")
    restored.actor.load_state_dict(torch.load(tmp_path / "agent.pt", weights_only=True))
    before = example.choose(agent, rows, info["action_mask"])
    np.testing.assert_array_equal(before, example.choose(restored, rows, info["action_mask"]))
    agent.save_checkpoint(tmp_path / "checkpoint.pt")
    again = example.make_agent(2)
    again.load_checkpoint(tmp_path / "checkpoint.pt")
    np.testing.assert_array_equal(before, example.choose(again, rows, info["action_mask"]))


def test_its_speed(figures: Figures) -> None:
    """Its rollouts step the environment as it is; a network of AgileRL's chooses."""
    env = games(128)
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def steps() -> int:
        for _ in range(50):
            env.step((rng.random((128, 184), dtype=np.float32) * env.action_masks()).argmax(axis=1))
        return 50 * 128

    figures("one seat", players=2, **beside_ours(steps, 128, seats="one"))
