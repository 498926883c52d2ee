"""The learner of a run: MaskablePPO that learns from games which workers play.

It is sb3-contrib's but for where the decisions come from, what the value learns of other seats, and an entropy bonus
that falls as its learning rate does. It can stop before any rollout, and its schedules can follow a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance

from speicher_agents.baselines import Shape
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.train.export import network_of, policy_arguments
from speicher_training.train.gradients import Gradients
from speicher_training.train.losses import Examples, value_losses
from speicher_training.train.policy import SparsePolicy
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
    decisions: Decisions

    def fill(self, decisions: Decisions) -> None:
        """Take the decisions of a rollout."""
        self.decisions = decisions
        self.values = decisions.values
        self.advantages = advantages(decisions, self.gamma, self.gae_lambda)
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Iterator[Examples[np.ndarray]]:  # type: ignore[override]
        """All decisions in a random order, in minibatches of equal size, at most `batch_size` each.

        The advantages of each minibatch are scaled to a mean of 0 and a standard deviation of 1.
        """
        decisions, count = self.decisions, len(self.values)
        examples = Examples(
            decisions.rows, decisions.masks, decisions.actions, decisions.log_probs, decisions.shares,
            decisions.points, decisions.players, self.advantages, self.returns,
        )  # fmt: skip
        for chosen in np.array_split(np.random.permutation(count), -(-count // (batch_size or count))):
            self.beside()
            minibatch = examples.some(chosen)
            gains = minibatch.advantages
            yield minibatch._replace(advantages=(gains - gains.mean()) / (gains.std() + 1e-8))


class Learner(MaskablePPO):
    """The learner of a run; `rollouts` must be set before it learns."""

    rollouts: Rollouts
    rollout_buffer: DecisionBuffer
    entropy_schedule: Linear | None = None
    masked = True
    """Whether the policy knows the mask."""
    wins_weight = 0.5
    points_weight = 0.5
    """Weights of the errors of win shares and points in the loss."""
    remaining: Callable[[], float] | None = None
    """The part of the run, 1..0, that remains, for a run with a limit of time and not of steps."""
    stop: Callable[[], bool] = staticmethod(lambda: False)
    """Asked before each rollout and while games are waited for; True ends learning before the next update."""
    gradients = Gradients()

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
        buffer.fill(decisions)
        self.num_timesteps += len(decisions.values)
        sequences = len(np.unique(decisions.sequences))
        self.logger.record("rollout/ep_rew_mean", float(decisions.rewards.mean()))
        self.logger.record("rollout/ep_len_mean", len(decisions.values) / sequences)
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
        """One update: sb3-contrib's, with the losses of a value that answers for every seat."""
        policy, buffer = self.policy, self.rollout_buffer
        assert isinstance(policy, SparsePolicy)
        assert callable(self.clip_range)
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)
        if self.entropy_schedule is not None:
            self.ent_coef = self.entropy_schedule(self._current_progress_remaining)
        found: list[dict[str, float]] = []
        for minibatch in chain.from_iterable(buffer.get(self.batch_size) for _ in range(self.n_epochs)):
            loss = partial(self._loss, policy, minibatch, clip)
            numbers = self.gradients.fill(policy, len(minibatch.rows), loss)
            found.append(numbers)
            if self.target_kl is not None and numbers["approx_kl"] > 1.5 * self.target_kl:
                break
            torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
            policy.optimizer.step()
        self._n_updates += self.n_epochs
        for name in found[0]:
            self.logger.record(f"train/{name}", float(np.mean([numbers[name] for numbers in found])))
        self.logger.record("train/explained_variance", explained_variance(buffer.values, buffer.returns))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip)

    def _loss(
        self, policy: SparsePolicy, minibatch: Examples[np.ndarray], clip: float, part: slice
    ) -> tuple[torch.Tensor, dict[str, float]]:
        """The loss of a part of a minibatch, and numbers for the logger."""
        examples = minibatch.tensors(part)
        judgement = policy.judge(examples.rows, examples.masks if self.masked else None, examples.actions)
        gains = examples.advantages
        log_ratios = judgement.logs - examples.log_probs
        ratios = log_ratios.exp()
        policy_loss = -torch.min(gains * ratios, gains * ratios.clamp(1 - clip, 1 + clip)).mean()
        entropy_loss = -judgement.entropies.mean()
        losses = {
            "policy_gradient_loss": policy_loss,
            "entropy_loss": entropy_loss,
            **value_losses(judgement.values, examples),
        }
        weights = {
            "policy_gradient_loss": 1.0, "entropy_loss": self.ent_coef, "value_loss": self.vf_coef,
            "wins_loss": self.wins_weight, "points_loss": self.points_weight,
        }  # fmt: skip
        loss: torch.Tensor = sum(weights[name] * each for name, each in losses.items())  # type: ignore[assignment]
        numbers = {name: each.item() for name, each in losses.items()} | {"loss": loss.item()}
        with torch.no_grad():
            numbers["approx_kl"] = (ratios - 1 - log_ratios).mean().item()
            numbers["clip_fraction"] = ((ratios - 1).abs() > clip).float().mean().item()
        return loss, numbers

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "gradients", "remaining", "rollouts", "stop"]


def make_learner(shape: Shape, ppo: PPOSettings, seed: int) -> Learner:
    """A learner with the settings of the table `[ppo]` of a recipe."""
    spaces = SpeicherVecEnv(1, shape.seats, padded=shape.seats == MAX_PLAYERS, figures=shape.figures)  # nothing more
    model = Learner(
        SparsePolicy,
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
    model.masked, model.wins_weight, model.points_weight = ppo.masked, ppo.wins_weight, ppo.points_weight
    model.entropy_schedule = Linear(ppo.entropy, ppo.entropy_end)
    return model
