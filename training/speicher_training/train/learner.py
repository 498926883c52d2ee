"""MaskablePPO whose schedules also follow a time, and whose entropy bonus falls like its learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO

from speicher_training.train.policy import LeanPolicy


class Linear:
    """A schedule of stable-baselines3: from a value at the beginning to another at the end."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end

    def __call__(self, remaining: float) -> float:
        """The value with this part of the run, 1..0, still to come."""
        return self.end + (self.begin - self.end) * min(max(remaining, 0.0), 1.0)


class Learner(MaskablePPO):
    """The learner of a run."""

    entropy_schedule: Linear | None = None
    remaining: Callable[[], float] | None = None
    """The part of the run, 1..0, that is still to come, where a time limits it and not a number of steps."""

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
        return [*super()._excluded_save_params(), "remaining"]


def make_learner(env: Any, ppo: Any, policy_arguments: dict[str, Any], seed: int) -> Learner:
    """A learner by the settings of table `ppo` of a recipe."""
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
