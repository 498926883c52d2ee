"""The features that policy and value read: an observation and its figures, scaled alike, and what shared layers give.

One coin more is a sixteenth in an observation and one point a hundredth, but a bid depends on either. Mean and spread
are fixed before learning begins, and become part of the first layers' weights when a network is exported. The layers
for columns read every column alike. They and the shared layers learn with all others.
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
from speicher_env.observation import RowFormat

__all__ = ["ACTIVATIONS", "Features"]

ACTIVATIONS: Mapping[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}
"""The activations of a network, by name."""
LEAST_SPREAD = 0.1
"""A number that hardly ever changes is not stretched by more than 10."""


class Features(BaseFeaturesExtractor):
    """All numbers as (number - mean) / spread, then the outputs of the layers for columns.

    If there are shared layers, they read all this, and their outputs are the features.

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
        super().__init__(observation_space, features_dim=shape.widths("policy")[0])
        self.shape = shape
        self.register_buffer("mean", torch.zeros(shape.numbers))
        self.register_buffer("spread", torch.ones(shape.numbers))
        self.layers = nn.ModuleList()
        self.shared = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(shape.widths("shared")))
        self.activate = ACTIVATIONS[shape.activation]()
        if shape.columns:
            self.places = torch.from_numpy(column_places(shape.size, shape.figures))
            self.register_buffer("column_mean", torch.zeros(shape.column_numbers))
            self.register_buffer("column_spread", torch.ones(shape.column_numbers))
            self.layers.extend(nn.Linear(*pair) for pair in pairwise(shape.widths("columns")))

    def scale_and_offset(self, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        """What brings rows to the spread of 1: ``(rows - offset) * scale``; then `mean / spread` is to be taken off."""
        if dtype != torch.uint8:
            return 1.0 / self.spread, torch.zeros_like(self.spread)
        form = RowFormat(self.shape.seats, self.shape.figures, "uint8")
        return torch.tensor(form.scales) / self.spread, torch.tensor(form.offsets)

    def fit(self, observations: np.ndarray) -> None:
        """Take mean and spread of these observations."""
        _fit(self.mean, self.spread, observations)
        if self.layers:
            _fit(
                self.column_mean,
                self.column_spread,
                observations[:, self.places.numpy()].reshape(-1, len(self.column_mean)),
            )

    def scaled(self, observations: torch.Tensor) -> torch.Tensor:
        """All numbers of some observations, scaled to be alike."""
        numbers: torch.Tensor = (observations - self.mean) / self.spread
        return numbers

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features of some observations."""
        scaled = self.scaled(observations)
        features = torch.cat([scaled, self._of_columns(observations, scaled)], dim=1) if self.layers else scaled
        if self.shared:
            for layer in self.shared:
                features = self.activate(layer(features))
        return features

    def _of_columns(self, observations: torch.Tensor, scaled: torch.Tensor) -> torch.Tensor:
        """The outputs of the layers for columns, those of one column after those of the other."""
        columns = (observations[:, self.places] - self.column_mean) / self.column_spread
        first, *others = self.layers
        assert isinstance(first, nn.Linear)
        own = columns.shape[2]  # the first layer reads the column's numbers, then all numbers, which need one product
        outputs: torch.Tensor = nn.functional.linear(columns, first.weight[:, :own])
        outputs = self.activate(outputs + nn.functional.linear(scaled, first.weight[:, own:], first.bias)[:, None])
        for layer in others:
            outputs = self.activate(layer(outputs))
        return outputs.flatten(1).to(scaled.dtype)


def _fit(mean: torch.Tensor, spread: torch.Tensor, numbers: np.ndarray) -> None:
    mean.copy_(torch.from_numpy(numbers.mean(axis=0)))
    spread.copy_(torch.from_numpy(numbers.std(axis=0)).clamp(min=LEAST_SPREAD))
