"""What the learner's layers see of an observation: it and its figures, scaled alike, and every column read alike.

A coin more is a sixteenth in an observation and a point a hundredth, but a bid hangs on either. Shift and stretch are
fixed before learning begins, and become part of the first layers' weights when a network is exported. The layers that
read columns learn with all others; policy and value share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import with_figures
from speicher_agents.baselines.network import column_inputs_of, inputs_of

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
        figures: bool = False,
        columns: Sequence[int] = (),
        activation: type[nn.Module] = nn.ReLU,
    ) -> None:
        size = int(observation_space.shape[0])
        super().__init__(observation_space, features_dim=inputs_of(size, figures, columns))
        self.figures = figures
        self.register_buffer("mean", torch.zeros(inputs_of(size, figures)))
        self.register_buffer("spread", torch.ones(inputs_of(size, figures)))
        self.layers = nn.ModuleList()
        self.learned = inputs_of(size, figures, columns) - inputs_of(size, figures)
        """Numbers at the end that layers with weights of their own say; all before them are given."""
        if columns:
            self._places = torch.from_numpy(column_places(size, figures))
            self.register_buffer("column_mean", torch.zeros(self._places.shape[1]))
            self.register_buffer("column_spread", torch.ones(self._places.shape[1]))
            widths = [column_inputs_of(size, figures), *columns]
            self.layers.extend(nn.Linear(*pair) for pair in pairwise(widths))
            self.activate = activation()

    def fit(self, observations: np.ndarray) -> None:
        """Take mean and spread of these observations."""
        numbers = with_figures(observations) if self.figures else observations
        self.mean.copy_(torch.from_numpy(numbers.mean(axis=0)))
        self.spread.copy_(torch.from_numpy(numbers.std(axis=0)).clamp(min=LEAST_SPREAD))
        if self.layers:
            told = numbers[:, self._places.numpy()].reshape(-1, self._places.shape[1])
            self.column_mean.copy_(torch.from_numpy(told.mean(axis=0)))
            self.column_spread.copy_(torch.from_numpy(told.std(axis=0)).clamp(min=LEAST_SPREAD))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """All that policy and value read."""
        numbers = observations
        if self.figures:  # they are worked out by the processor, wherever the learner is
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
