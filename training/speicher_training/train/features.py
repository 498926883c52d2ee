"""The features that policy and value read: an observation and its figures, scaled alike, and the layers for columns.

One coin more is a sixteenth in an observation and one point a hundredth, but a bid depends on either. Mean and spread
are fixed before learning begins, and become part of the first layers' weights when a network is exported. The layers
for columns read every column alike; they learn with all others, and policy and value share them.
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
from speicher_agents.baselines.shape import Shape
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be

__all__ = ["ACTIVATIONS", "Features"]

ACTIVATIONS: Mapping[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}
"""The activations of a network, by name."""
LEAST_SPREAD = 0.1
"""A number that hardly ever changes is not stretched by more than 10."""


class Features(BaseFeaturesExtractor):
    """All numbers as (number - mean) / spread, then the outputs of the layers for columns.

    Nothing is scaled before `fit`. The rows of the environment hold all numbers that the network reads: with figures,
    it is made with ``figures=True``.
    """

    mean: torch.Tensor
    spread: torch.Tensor
    column_mean: torch.Tensor
    column_spread: torch.Tensor
    """Of the numbers that describe a column, the same for all columns."""

    def __init__(self, observation_space: Any, shape: Shape) -> None:
        size = observation_space.shape[0]
        if size != shape.numbers:
            allowed = f"{shape.numbers}: make the environment with figures={shape.figures}, padded={shape.seats == 5}"
            raise ArgumentError(must_be("observation size", size, allowed))
        super().__init__(observation_space, features_dim=shape.inputs)
        self.shape = shape
        self.register_buffer("mean", torch.zeros(shape.numbers))
        self.register_buffer("spread", torch.ones(shape.numbers))
        self.layers = nn.ModuleList()
        self.learned = shape.inputs - shape.numbers
        """How many features, at the end, are outputs of layers with weights; all before them are given."""
        if shape.columns:
            self._places = torch.from_numpy(column_places(shape.size, shape.figures))
            self.register_buffer("column_mean", torch.zeros(shape.column_numbers))
            self.register_buffer("column_spread", torch.ones(shape.column_numbers))
            self.layers.extend(nn.Linear(*pair) for pair in pairwise(shape.widths("columns")))
            self.activate = ACTIVATIONS[shape.activation]()

    def fit(self, observations: np.ndarray) -> None:
        """Take mean and spread of these observations."""
        _fit(self.mean, self.spread, observations)
        if self.layers:
            _fit(
                self.column_mean,
                self.column_spread,
                observations[:, self._places.numpy()].reshape(-1, len(self.column_mean)),
            )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features of some observations."""
        scaled = (observations - self.mean) / self.spread
        if not self.layers:
            return scaled
        columns = (observations[:, self._places] - self.column_mean) / self.column_spread
        first, *others = self.layers
        assert isinstance(first, nn.Linear)
        own = columns.shape[2]  # the first layer reads the column's numbers, then all numbers, which need one product
        outputs = nn.functional.linear(columns, first.weight[:, :own])
        outputs = self.activate(outputs + nn.functional.linear(scaled, first.weight[:, own:], first.bias)[:, None])
        for layer in others:
            outputs = self.activate(layer(outputs))
        return torch.cat([scaled, outputs.flatten(1).to(scaled.dtype)], dim=1)


def _fit(mean: torch.Tensor, spread: torch.Tensor, numbers: np.ndarray) -> None:
    mean.copy_(torch.from_numpy(numbers.mean(axis=0)))
    spread.copy_(torch.from_numpy(numbers.std(axis=0)).clamp(min=LEAST_SPREAD))
