"""Observations as the learner's first layer sees them: shifted and stretched, so that all pieces weigh alike.

A coin more is a sixteenth in an observation and a point a hundredth, but a bid hangs on either. Shift and stretch are
fixed before learning begins, and become part of the first layer's weights when a network is exported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

LEAST_SPREAD = 0.1
"""A number that hardly ever changes is not stretched by more than 10."""


class Scaled(BaseFeaturesExtractor):
    """(observation - mean) / spread; until `fit`, the observation as it is."""

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, observation_space: Any) -> None:
        size = int(observation_space.shape[0])
        super().__init__(observation_space, features_dim=size)
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("spread", torch.ones(size))

    def fit(self, observations: np.ndarray) -> None:
        """Take mean and spread of these observations."""
        self.mean.copy_(torch.from_numpy(observations.mean(axis=0)))
        self.spread.copy_(torch.from_numpy(observations.std(axis=0)).clamp(min=LEAST_SPREAD))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Observations, scaled."""
        return (observations - self.mean) / self.spread
