"""The learner of a run: MaskablePPO that learns from games which workers play.

It is sb3-contrib's but for where the decisions come from, the order of its memory, and an entropy bonus that falls as
its learning rate does. It can stop before any rollout, and its schedules can follow a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Shape
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.observation.rows import RowFormat
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.train.export import network_of, policy_arguments
from speicher_training.train.policy import LeanPolicy
from speicher_training.train.rollouts import Decisions, Rollouts, advantages
from speicher_training.train.settings import PPOSettings

__all__ = ["Learner", "Linear", "make_learner"]


class Linear:
    """A schedule of stable-baselines3 that is linear between two values."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end

    def __call__(self, remaining: float) -> float:
        """The value when this part of the run, 1..0, remains."""
        return self.end + (self.begin - self.end) * min(max(remaining, 0.0), 1.0)


class DecisionBuffer(MaskableRolloutBuffer):
    """The decisions of a rollout in minibatches; how many they are differs from rollout to rollout."""

    beside: Callable[[], None] = staticmethod(lambda: None)
    """Called before each minibatch."""
    row_format: RowFormat
    decisions: Decisions

    def fill(self, decisions: Decisions, row_format: RowFormat) -> None:
        """Take the decisions of a rollout."""
        self.decisions, self.row_format = decisions, row_format
        self.values = decisions.values
        self.advantages = advantages(decisions, self.gamma, self.gae_lambda)
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """All decisions in a random order, in minibatches of equal size, at most `batch_size` each."""
        count = len(self.values)
        for chosen in np.array_split(np.random.permutation(count), -(-count // (batch_size or count))):
            self.beside()
            decisions = self.decisions
            arrays = (
                self.row_format.floats(decisions.rows[chosen]), decisions.actions[chosen], self.values[chosen],
                decisions.log_probs[chosen], self.advantages[chosen], self.returns[chosen], decisions.masks[chosen],
            )  # fmt: skip
            yield MaskableRolloutBufferSamples(*map(torch.from_numpy, arrays))


class Learner(MaskablePPO):
    """The learner of a run; `rollouts` must be set before it learns."""

    rollouts: Rollouts
    rollout_buffer: DecisionBuffer
    entropy_schedule: Linear | None = None
    remaining: Callable[[], float] | None = None
    """The part of the run, 1..0, that remains, for a run with a limit of time and not of steps."""
    stop: Callable[[], bool] = staticmethod(lambda: False)
    """Asked before each rollout and while games are waited for; True ends learning before the next update."""

    def collect_rollouts(self, env: Any, callback: BaseCallback, *_: Any, **__: Any) -> bool:
        """Take the next rollout from the workers; False if learning is to stop."""
        if self.stop():
            return False
        callback.on_rollout_start()
        rollouts, buffer = self.rollouts, self.rollout_buffer
        decisions = rollouts.next(self.num_timesteps, network_of(self.policy), self.stop)
        if decisions is None:
            return False
        buffer.beside = rollouts.go_on_beside
        buffer.fill(decisions, rollouts.row_format)
        self.num_timesteps += len(decisions.values)
        self.logger.record("rollout/ep_rew_mean", float(decisions.rewards.mean()))
        self.logger.record("rollout/ep_len_mean", float(decisions.counts.mean()))
        for name, value in {
            **asdict(rollouts.counts),
            "nodes": rollouts.size.nodes,
            "cores": rollouts.size.cores,
        }.items():
            self.logger.record(f"games/{name}", value)
        for name, value in rollouts.league.numbers().items():
            self.logger.record(name, value)
        if not callback.on_step():
            return False
        callback.on_rollout_end()
        return True

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.remaining is not None:
            self._current_progress_remaining = self.remaining()

    def train(self) -> None:
        """One update."""
        if self.entropy_schedule is not None:
            self.ent_coef = self.entropy_schedule(self._current_progress_remaining)
        super().train()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "remaining", "rollouts", "stop"]


def make_learner(shape: Shape, ppo: PPOSettings, seed: int) -> Learner:
    """A learner with the settings of the table `[ppo]` of a recipe."""
    spaces = SpeicherVecEnv(1, shape.seats, padded=shape.seats == MAX_PLAYERS, figures=shape.figures)  # nothing more
    model = Learner(
        LeanPolicy,
        spaces,
        learning_rate=Linear(ppo.learning_rate, ppo.learning_rate_end),
        n_steps=2,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_gradient,
        rollout_buffer_class=DecisionBuffer,
        policy_kwargs=policy_arguments(shape),
        seed=seed,
        device="cpu",  # networks this small gain nothing elsewhere
    )
    model.entropy_schedule = Linear(ppo.entropy, ppo.entropy_end)
    return model
