"""Between stable-baselines3 and baselines: the weights of a policy as a NumPy network, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from speicher_agents.baselines import Card, Layer, Network, Shape, read_baseline
from speicher_agents.baselines.shape import STACKS
from speicher_agents.baselines.unpad import unpad
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed
from speicher_env.observation import format_of
from speicher_training.train.features import ACTIVATIONS, Features

__all__ = ["load_into", "network_of", "policy_arguments", "read_start"]

_NAMES: Mapping[type[nn.Module], str] = {kind: name for name, kind in ACTIVATIONS.items()}


def policy_arguments(shape: Shape) -> dict[str, Any]:
    """`policy_kwargs` of a MaskablePPO whose policy can be exported as a network of this shape."""
    return {
        "net_arch": {"pi": list(shape.policy), "vf": list(shape.value)},
        "activation_fn": ACTIVATIONS[shape.activation],
        "features_extractor_class": Features,
        "features_extractor_kwargs": {"shape": shape},
    }


def network_of(policy: MaskableActorCriticPolicy) -> Network:
    """A NumPy network with copies of a policy's weights; the scaling of observations is part of its first layers."""
    scaling = _scaling(policy)
    stacks = {}
    for stack in STACKS:
        layers = [_layer(linear) for linear in _linears(policy, stack)]
        if layers and stack in scaling:
            mean, spread = scaling[stack]
            weight = layers[0].weight / spread[:, None]
            layers[0] = Layer(weight, layers[0].bias - mean @ weight)
        stacks[stack] = tuple(layers)
    kinds = {type(module) for module in policy.mlp_extractor.policy_net if not isinstance(module, nn.Linear)}
    if not kinds and isinstance(policy.features_extractor, Features):
        kinds = {type(policy.features_extractor.activate)}
    names = [name for kind, name in _NAMES.items() if kinds <= {kind}]
    if not names:
        raise ArgumentError(
            f"policy: its activation must be {listed(list(ACTIVATIONS), 'or')}, so that it can be exported."
        )
    row = format_of(_size(policy))
    widths = {stack: tuple(len(layer.bias) for layer in layers) for stack, layers in stacks.items()}
    shape = Shape(
        row.seats, widths["policy"][:-1], widths["value"][:-1], widths["columns"], widths["shared"],
        activation=names[0], figures=row.figures, every_seat=widths["value"][-1] > 1,
    )  # fmt: skip
    return Network(shape, stacks["policy"], stacks["value"], stacks["columns"], stacks["shared"])


def load_into(policy: MaskableActorCriticPolicy, network: Network) -> None:
    """Give a policy the weights of a network."""
    shape = network_of(policy).shape
    if shape != network.shape:
        raise ArgumentError(f"weights: their network has {network.shape}, must have {shape}, as the policy.")
    scaling = _scaling(policy)
    with torch.no_grad():
        for stack in STACKS:
            for place, (linear, layer) in enumerate(zip(_linears(policy, stack), getattr(network, stack), strict=True)):
                weight, bias = layer
                if place == 0 and stack in scaling:
                    mean, spread = scaling[stack]
                    weight, bias = weight * spread[:, None], bias + mean @ weight
                linear.weight.copy_(torch.from_numpy(np.ascontiguousarray(weight.T)))
                linear.bias.copy_(torch.from_numpy(bias))


def _size(policy: MaskableActorCriticPolicy) -> int:
    """The length of an observation."""
    shape = policy.observation_space.shape
    if shape is None:
        raise ArgumentError("policy: its observations must be vectors, so that it can be exported.")
    return shape[0]


def _scaling(policy: MaskableActorCriticPolicy) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Mean and spread of the inputs of each stack that reads an observation; what layers give is not scaled."""
    features = policy.features_extractor
    size = _size(policy)
    if not isinstance(features, Features):
        plain = np.zeros(size, dtype=np.float32), np.ones(size, dtype=np.float32)
        return dict.fromkeys(("policy", "value"), plain)
    mean, spread = _numbers(features.mean), _numbers(features.spread)
    outputs = features.shape.inputs - len(mean)
    scaled = np.pad(mean, (0, outputs)), np.pad(spread, (0, outputs), constant_values=1.0)
    scaling = dict.fromkeys(("shared",) if features.shared else ("policy", "value"), scaled)
    if features.layers:
        scaling["columns"] = (
            np.concatenate([_numbers(features.column_mean), mean]),
            np.concatenate([_numbers(features.column_spread), spread]),
        )
    return scaling


def _numbers(buffer: torch.Tensor) -> np.ndarray:
    array: np.ndarray = buffer.cpu().numpy().copy()
    return array


def _linears(policy: MaskableActorCriticPolicy, stack: str) -> list[nn.Linear]:
    if stack in ("columns", "shared"):
        features = policy.features_extractor
        if not isinstance(features, Features):
            return []
        own = features.layers if stack == "columns" else features.shared
        return [layer for layer in own if isinstance(layer, nn.Linear)]
    is_policy = stack == "policy"
    layers = policy.mlp_extractor.policy_net if is_policy else policy.mlp_extractor.value_net
    last = policy.action_net if is_policy else policy.value_net
    if not isinstance(last, nn.Linear) or not all(isinstance(module, (nn.Linear, *_NAMES)) for module in layers):
        raise ArgumentError("policy: it must be a MlpPolicy of dense layers only, so that it can be exported.")
    return [module for module in layers if isinstance(module, nn.Linear)] + [last]


def _layer(linear: nn.Linear) -> Layer:
    return Layer(
        np.ascontiguousarray(linear.weight.detach().cpu().numpy().T).copy(), linear.bias.detach().cpu().numpy().copy()
    )


def read_start(spec: str, card: Card) -> tuple[Card, Network]:
    """The card of a baseline to start from, and its network in the shape of the run's card.

    A baseline for several numbers of players also starts a run for one of them.
    """
    start, network = read_baseline(spec.removeprefix("baseline:"))
    fitted = start
    if start.padded and not card.padded and set(card.players) <= set(start.players):
        (players,) = card.players  # several share games only in padded observations
        network = unpad(start, network, players)
        fitted = replace(start, players=card.players, padded=False, shape=network.shape)
    needed, has = ({"players": each.players, "padded": each.padded, **asdict(each.shape)} for each in (card, fitted))
    for what, value in needed.items():
        if has[what] != value:
            raise ArgumentError(
                f"from {spec}: its {what} is {_plain(has[what])}; must be {_plain(value)} as in the recipe."
            )
    return start, network


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
