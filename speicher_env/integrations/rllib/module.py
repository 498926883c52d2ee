"""RLModules for the observations of this package, dicts of ``observation`` and ``action_mask``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import nn

from speicher_env.arguments import check_choice, check_flag, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, one_of
from speicher_env.observation import RowFormat, format_of
from speicher_env.rules.actions import N_ACTIONS

__all__ = ["ACTION_MASK", "ACTIVATIONS", "OBSERVATION", "FrozenModule", "MaskedModule", "row_format_of"]

OBSERVATION, ACTION_MASK = "observation", "action_mask"
"""The keys of an observation."""
FORBIDDEN = -1e9
"""Logit of an illegal action. It is finite, as 0 times infinity is not a number."""
NEVER = -1

ACTIVATIONS: Mapping[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}
"""The activations that a module can have, by name."""
SETTINGS = ("fcnet_hiddens", "fcnet_activation", "vf_share_layers")
"""What `model_config` can set, by the names that RLlib's own modules have for it."""


class Layers(NamedTuple):
    """The layers of a module: a checked `model_config`."""

    hiddens: tuple[int, ...]
    activation: str
    shared: bool


class _MaskedPolicy(TorchRLModule):
    """A policy of dense layers that gives no probability to illegal actions."""

    def setup(self) -> None:
        """Make the layers, see `MaskedModule`."""
        self.layers = _read_model_config(self.model_config)
        self.row_format = row_format_of(self.observation_space)
        self.register_buffer("scales", torch.tensor(self.row_format.scales), persistent=False)
        self.register_buffer("offsets", torch.tensor(self.row_format.offsets.astype(np.float32)), persistent=False)
        hiddens, activation, shared = self.layers
        widths = [self.row_format.size, *hiddens]
        self.shared = _stack(widths, activation) if shared else nn.Sequential()
        self.policy = _stack(widths[-1:] if shared else widths, activation, N_ACTIONS, 0.01)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self._features(batch))}

    def _features(self, batch: dict[str, Any]) -> torch.Tensor:
        """The input of the policy: the rows as float32, or the output of the shared layers if there are any."""
        rows: torch.Tensor = batch[Columns.OBS][OBSERVATION]
        if rows.dtype == torch.uint8:
            rows = (rows.float() - self.offsets) * self.scales
        features: torch.Tensor = self.shared(rows)
        return features

    def _logits(self, batch: dict[str, Any], features: torch.Tensor) -> torch.Tensor:
        legal = batch[Columns.OBS][ACTION_MASK] != 0
        return torch.where(legal, self.policy(features), FORBIDDEN)


class MaskedModule(_MaskedPolicy, ValueFunctionAPI, InferenceOnlyAPI):
    """A masked policy and a value function, of dense layers.

    It reads the observation spaces of this package (``observation="dict"``): float32 or uint8, with or without
    figures, for any number of players. `model_config` can have:

    - ``fcnet_hiddens``: widths of the hidden layers, default [128, 128].
    - ``fcnet_activation``: "tanh" or "relu", default "tanh".
    - ``vf_share_layers``: whether policy and value share the hidden layers. RLlib's PPO sets False.
    """

    def setup(self) -> None:
        """Make the layers."""
        super().setup()
        hiddens, activation, shared = self.layers
        widths = [self.row_format.size, *hiddens]
        self.value = _stack(widths[-1:] if shared else widths, activation, 1, 1.0)

    def get_non_inference_attributes(self) -> list[str]:
        """The value function, which inference does not need."""
        return ["value"]

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        features = self._features(batch)
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, features), Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """The expected payoff of the seat to move, for each row."""
        values: torch.Tensor = self.value(self._features(batch) if embeddings is None else embeddings)
        return values.squeeze(-1)


class FrozenModule(_MaskedPolicy):
    """A copy of a `MaskedModule`'s policy at some iteration, without a value function; it is never trained.

    A league has a fixed number of them, so that its checkpoints always have the same modules.
    """

    def setup(self) -> None:
        """Make the layers; `freeze` gives them a policy."""
        super().setup()
        self.register_buffer("frozen_at", torch.tensor(NEVER))
        self.requires_grad_(False)

    @property
    def iteration(self) -> int | None:
        """The iteration of the policy; None before `freeze`."""
        iteration = int(self.frozen_at)
        return None if iteration == NEVER else iteration

    def freeze(self, module: _MaskedPolicy, iteration: int) -> None:
        """Copy the policy of a module with the same layers."""
        self.shared.load_state_dict(module.shared.state_dict())
        self.policy.load_state_dict(module.policy.state_dict())
        self.frozen_at.fill_(iteration)


def _stack(widths: list[int], activation: str, outputs: int = 0, gain: float = 1.0) -> nn.Sequential:
    """Dense layers, each with an activation, and a last one without, if there are outputs."""
    layers: list[nn.Module] = []
    for inputs, width in pairwise(widths):
        layers += [_linear(inputs, width, 2**0.5), ACTIVATIONS[activation]()]
    return nn.Sequential(*layers, *([_linear(widths[-1], outputs, gain)] if outputs else []))


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def row_format_of(space: Any) -> RowFormat:
    """The form of the observations in a module's observation space."""
    parts = space.spaces if isinstance(space, spaces.Dict) else {}
    row, mask = parts.get(OBSERVATION), parts.get(ACTION_MASK)
    if not isinstance(row, spaces.Box) or len(row.shape) != 1 or mask is None or mask.shape != (N_ACTIONS,):
        raise ArgumentError(
            f"observation_space={space}: must be a Dict of {OBSERVATION} and {ACTION_MASK}, "
            'as environments of this package have with observation="dict".'
        )
    return format_of(row.shape[0], str(row.dtype))


def _read_model_config(config: Any) -> Layers:
    """The layers of a module's `model_config`."""
    settings = asdict(config) if is_dataclass(config) and not isinstance(config, type) else dict(config or {})
    for name in settings:
        # Algorithms add settings of their own, so only a likely misspelling is refused.
        if not is_dataclass(config) and name not in SETTINGS and difflib.get_close_matches(str(name), SETTINGS, n=1):
            raise ArgumentError(must_be("setting", name, one_of(name, SETTINGS), "model_config"))
    for name in ("use_lstm", "conv_filters", "head_fcnet_hiddens"):
        if settings.get(name):
            raise ArgumentError(f"model_config: {name} is not supported; only fcnet_hiddens sets the layers.")
    hiddens = settings.get("fcnet_hiddens", (128, 128))
    if not isinstance(hiddens, list | tuple) or not all(is_whole(width) and width >= 1 for width in hiddens):
        raise ArgumentError(must_be("fcnet_hiddens", hiddens, "a list of widths of 1 or more", "model_config"))
    return Layers(
        tuple(int(width) for width in hiddens),
        check_choice("fcnet_activation", settings.get("fcnet_activation", "tanh"), ACTIVATIONS),
        check_flag("vf_share_layers", settings.get("vf_share_layers", False)),
    )
