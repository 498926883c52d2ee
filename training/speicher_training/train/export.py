"""Between stable-baselines3 and baselines: the weights of a policy as a NumPy network, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from speicher_agents.baselines import Card, Layer, Network, write_tensors
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_agents.baselines.network import HEADS, STACKS
from speicher_env.deck import edition_of
from speicher_env.errors import ArgumentError
from speicher_training.files import write_files
from speicher_training.train.features import Reader

_NAMES: Mapping[type[nn.Module], str] = {nn.Tanh: "tanh", nn.ReLU: "relu"}
ACTIVATIONS: Mapping[str, type[nn.Module]] = {name: kind for kind, name in _NAMES.items()}


def policy_arguments(
    policy: Sequence[int],
    value: Sequence[int],
    activation: str,
    figures: bool = False,
    columns: Sequence[int] = (),
) -> dict[str, Any]:
    """`policy_kwargs` of a MaskablePPO whose policy can be exported.

    Args:
        policy: Widths of the hidden layers of the policy.
        value: Widths of the hidden layers of the value.
        activation: "tanh" or "relu", between layers.
        figures: Whether both also read the figures of an observation.
        columns: Widths of layers that read every column alike; none without any.
    """
    kind = ACTIVATIONS[activation]
    return {
        "net_arch": {"pi": list(policy), "vf": list(value)},
        "activation_fn": kind,
        "features_extractor_class": Reader,
        "features_extractor_kwargs": {"figures": figures, "columns": list(columns), "activation": kind},
    }


def network_of(policy: MaskableActorCriticPolicy) -> Network:
    """The weights of a policy as a NumPy network, a copy; its scaling of observations is part of the first layers."""
    scaling = _scaling(policy)
    stacks = {}
    for stack in STACKS:
        layers = [_layer(linear) for linear in _linears(policy, stack)]
        if layers:
            mean, spread = scaling[stack]
            weight = layers[0].weight / spread[:, None]
            layers[0] = Layer(weight, layers[0].bias - mean @ weight)
        stacks[stack] = tuple(layers)
    kinds = {type(module) for module in policy.mlp_extractor.policy_net if not isinstance(module, nn.Linear)}
    known = [name for kind, name in _NAMES.items() if kinds <= {kind}]
    if not known:
        raise ArgumentError(f"policy: its activation is not one of {', '.join(ACTIVATIONS)}, so it cannot be exported")
    reader = policy.features_extractor
    figures = isinstance(reader, Reader) and reader.figures
    return Network(stacks["policy"], stacks["value"], known[0], figures, stacks["columns"])


def load_into(policy: MaskableActorCriticPolicy, network: Network) -> None:
    """Give a policy the weights of a network."""
    own = network_of(policy)
    if (own.inputs, own.hidden, own.activation) != (network.inputs, network.hidden, network.activation):
        raise ArgumentError(
            f"weights: their network has {_shape(network)}, must have {_shape(own)}, as the policy they are loaded into"
        )
    scaling = _scaling(policy)
    with torch.no_grad():
        for stack in STACKS:
            for place, (linear, layer) in enumerate(zip(_linears(policy, stack), getattr(network, stack), strict=True)):
                weight, bias = layer
                if place == 0:
                    mean, spread = scaling[stack]
                    weight, bias = weight * spread[:, None], bias + mean @ weight
                linear.weight.copy_(torch.from_numpy(np.ascontiguousarray(weight.T)))
                linear.bias.copy_(torch.from_numpy(bias))


def write_baseline(
    network: Network,
    folder: Path,
    name: str,
    *,
    players: Sequence[int],
    deck: str,
    edition: str | None = None,
    padded: bool,
    reward: str,
    training: Mapping[str, Any],
    strength: Mapping[str, Any] | None = None,
    file: str = "baseline",
) -> Path:
    """Write a baseline into a folder: its weights, and the card that names them; the path of the card."""
    content = write_tensors(network.tensors())
    weights = f"{file}{WEIGHTS}"
    card = Card(
        name=name,
        players=tuple(sorted(players)),
        deck=deck,
        edition=edition_of(deck) if edition is None else edition,
        padded=padded,
        reward=reward,
        activation=network.activation,
        hidden=network.hidden,
        figures=network.figures,
        weights=weights,
        sha256=hashlib.sha256(content).hexdigest(),
        training=training,
        strength=strength or {},
    )
    path = folder / f"{file}{CARD}"
    write_files({folder / weights: content, path: card.text()})
    return path


def _scaling(policy: MaskableActorCriticPolicy) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Mean and spread by which the numbers that each stack reads are scaled; what columns say is not."""
    reader = policy.features_extractor
    size = policy.observation_space.shape[0]
    if not isinstance(reader, Reader):
        plain = np.zeros(size, dtype=np.float32), np.ones(size, dtype=np.float32)
        return dict.fromkeys(HEADS, plain)
    mean, spread = _numbers(reader.mean), _numbers(reader.spread)
    said = reader.features_dim - len(mean)
    heads = np.pad(mean, (0, said)), np.pad(spread, (0, said), constant_values=1.0)
    if not reader.layers:
        return dict.fromkeys(HEADS, heads)
    columns = (
        np.concatenate([_numbers(reader.column_mean), mean]), np.concatenate([_numbers(reader.column_spread), spread]),
    )  # fmt: skip
    return {**dict.fromkeys(HEADS, heads), "columns": columns}


def _numbers(buffer: torch.Tensor) -> np.ndarray:
    found: np.ndarray = buffer.cpu().numpy().copy()
    return found


def _linears(policy: MaskableActorCriticPolicy, stack: str) -> list[nn.Linear]:
    if stack == "columns":
        reader = policy.features_extractor
        return list(reader.layers) if isinstance(reader, Reader) else []
    layers, last = (
        (policy.mlp_extractor.policy_net, policy.action_net)
        if stack == "policy"
        else (policy.mlp_extractor.value_net, policy.value_net)
    )
    if not isinstance(last, nn.Linear) or not all(isinstance(module, (nn.Linear, *_NAMES)) for module in layers):
        raise ArgumentError("policy: it must be a MlpPolicy of dense layers only, so that it can be exported")
    return [module for module in layers if isinstance(module, nn.Linear)] + [last]


def _layer(linear: nn.Linear) -> Layer:
    return Layer(
        np.ascontiguousarray(linear.weight.detach().cpu().numpy().T).copy(), linear.bias.detach().cpu().numpy().copy()
    )


def _shape(network: Network) -> str:
    layers = " and ".join(str(widths) for widths in network.hidden.values())
    return f"{network.inputs} inputs, layers {layers}, {network.activation}"
