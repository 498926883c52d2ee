"""What the learner's layers see of an observation: it and its figures, scaled alike, and every column read alike.

A coin more is a sixteenth in an observation and a point a hundredth, but a bid hangs on either. Shift and stretch are
fixed before learning begins, and become part of the first layers' weights when a network is exported. The layers that
read columns learn with all others; policy and value share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import with_figures
from speicher_agents.baselines.shape import Shape

ACTIVATIONS: Mapping[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}
"""The activations of a network, by name."""
LEAST_SPREAD = 0.1
"""A number that hardly ever changes is not stretched by more than 10."""


class Reader(BaseFeaturesExtractor):
    """All numbers as (number - mean) / spread, then what the layers for columns say. Before `fit` nothing is scaled."""

    mean: torch.Tensor
    spread: torch.Tensor
    column_mean: torch.Tensor
    column_spread: torch.Tensor
    """Of what is told about a column, the same for all columns."""

    def __init__(
        self,
        observation_space: Any,
        shape: Shape,
    ) -> None:
        super().__init__(observation_space, features_dim=shape.inputs)
        self.shape = shape
        self.register_buffer("mean", torch.zeros(shape.numbers))
        self.register_buffer("spread", torch.ones(shape.numbers))
        self.layers = nn.ModuleList()
        self.learned = shape.inputs - shape.numbers
        """Numbers at the end that layers with weights of their own say; all before them are given."""
        if shape.columns:
            self._places = torch.from_numpy(column_places(shape.size, shape.figures))
            self.register_buffer("column_mean", torch.zeros(shape.column_numbers))
            self.register_buffer("column_spread", torch.ones(shape.column_numbers))
            self.layers.extend(nn.Linear(*pair) for pair in pairwise(shape.widths("columns")))
            self.activate = ACTIVATIONS[shape.activation]()

    def fit(self, observations: np.ndarray) -> None:
        """Take mean and spread of these observations."""
        numbers = with_figures(observations) if self.shape.figures else observations
        self.mean.copy_(torch.from_numpy(numbers.mean(axis=0)))
        self.spread.copy_(torch.from_numpy(numbers.std(axis=0)).clamp(min=LEAST_SPREAD))
        if self.layers:
            told = numbers[:, self._places.numpy()].reshape(-1, self._places.shape[1])
            self.column_mean.copy_(torch.from_numpy(told.mean(axis=0)))
            self.column_spread.copy_(torch.from_numpy(told.std(axis=0)).clamp(min=LEAST_SPREAD))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """All that policy and value read."""
        numbers = observations
        if self.shape.figures:  # they are worked out by the processor, wherever the learner is
            numbers = torch.from_numpy(with_figures(observations.cpu().numpy())).to(observations.device)
        scaled = (numbers - self.mean) / self.spread
        if not self.layers:
            return scaled
        own = (numbers[:, self._places] - self.column_mean) / self.column_spread
        first: nn.Linear
        first, *others = self.layers  # type: ignore[assignment]
        apart = own.shape[2]
        told = nn.functional.linear(own, first.weight[:, :apart])
        told = self.activate(told + nn.functional.linear(scaled, first.weight[:, apart:], first.bias)[:, None])
        for layer in others:
            told = self.activate(layer(told))
        return torch.cat([scaled, told.flatten(1).to(scaled.dtype)], dim=1)
