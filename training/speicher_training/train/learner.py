"""The learner of a run: MaskablePPO that can stop before any rollout, and whose schedules can follow a time.

Its entropy bonus falls as its learning rate does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from speicher_training.train.policy import LeanPolicy
from speicher_training.train.settings import PPOSettings

__all__ = ["Learner", "Linear", "make_learner"]


class Linear:
    """A schedule of stable-baselines3 that is linear between two values."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end

    def __call__(self, remaining: float) -> float:
        """The value when this part of the run, 1..0, remains."""
        return self.end + (self.begin - self.end) * min(max(remaining, 0.0), 1.0)


class Learner(MaskablePPO):
    """The learner of a run."""

    entropy_schedule: Linear | None = None
    remaining: Callable[[], float] | None = None
    """The part of the run, 1..0, that remains, for a run with a limit of time and not of steps."""
    stop: Callable[[], bool] | None = None
    """Asked before each rollout; True ends learning before anything of the rollout is drawn or played."""

    def collect_rollouts(self, *arguments: Any, **keywords: Any) -> bool:
        """Collect a rollout; False if learning is to stop."""
        if self.stop is not None and self.stop():
            return False
        return super().collect_rollouts(*arguments, **keywords)

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
        return [*super()._excluded_save_params(), "remaining", "stop"]


def make_learner(env: VecEnv, ppo: PPOSettings, policy_arguments: dict[str, Any], seed: int) -> Learner:
    """A learner with the settings of the table `[ppo]` of a recipe."""
    model = Learner(
        LeanPolicy,
        env,
        learning_rate=Linear(ppo.learning_rate, ppo.learning_rate_end),
        n_steps=ppo.rollout,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_gradient,
        policy_kwargs=policy_arguments,
        seed=seed,
        device="cpu",  # networks this small gain nothing elsewhere
    )
    model.entropy_schedule = Linear(ppo.entropy, ppo.entropy_end)
    return model
