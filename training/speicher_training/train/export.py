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
from speicher_env.errors import ArgumentError
from speicher_training.train.files import write_bytes
from speicher_training.train.scaling import Scaled

_NAMES: Mapping[type[nn.Module], str] = {nn.Tanh: "tanh", nn.ReLU: "relu"}
ACTIVATIONS: Mapping[str, type[nn.Module]] = {name: kind for kind, name in _NAMES.items()}


def policy_arguments(policy: Sequence[int], value: Sequence[int], activation: str) -> dict[str, Any]:
    """`policy_kwargs` of a MaskablePPO whose policy can be exported."""
    return {
        "net_arch": {"pi": list(policy), "vf": list(value)},
        "activation_fn": ACTIVATIONS[activation],
        "features_extractor_class": Scaled,
    }


def network_of(policy: MaskableActorCriticPolicy) -> Network:
    """The weights of a policy as a NumPy network, a copy; its scaling of observations is part of the first layer."""
    mean, spread = _scaling(policy)
    stacks = {}
    for head in ("policy", "value"):
        first, *others = (_layer(linear) for linear in _linears(policy, head))
        weight = first.weight / spread[:, None]
        stacks[head] = (Layer(weight, first.bias - mean @ weight), *others)
    kinds = {type(module) for module in policy.mlp_extractor.policy_net if not isinstance(module, nn.Linear)}
    known = [name for kind, name in _NAMES.items() if kinds <= {kind}]
    if not known:
        raise ArgumentError(f"policy: its activation is not one of {', '.join(ACTIVATIONS)}, so it cannot be exported")
    return Network(stacks["policy"], stacks["value"], known[0])


def load_into(policy: MaskableActorCriticPolicy, network: Network) -> None:
    """Give a policy the weights of a network."""
    own = network_of(policy)
    if (own.size, own.hidden, own.activation) != (network.size, network.hidden, network.activation):
        raise ArgumentError(
            f"weights: their network has {_shape(network)}, must have {_shape(own)}, as the policy they are loaded into"
        )
    mean, spread = _scaling(policy)
    with torch.no_grad():
        for head, (first, *others) in (("policy", network.policy), ("value", network.value)):
            scaled = Layer(first.weight * spread[:, None], first.bias + mean @ first.weight)
            for linear, layer in zip(_linears(policy, head), (scaled, *others), strict=True):
                linear.weight.copy_(torch.from_numpy(np.ascontiguousarray(layer.weight.T)))
                linear.bias.copy_(torch.from_numpy(layer.bias))


def write_baseline(
    network: Network,
    folder: Path,
    name: str,
    *,
    players: Sequence[int],
    deck: str,
    padded: bool,
    reward: str,
    training: Mapping[str, Any],
    strength: Mapping[str, Any] | None = None,
    file: str = "baseline",
) -> Path:
    """Write a baseline into a folder: its weights, then the card that names them; the path of the card."""
    content = write_tensors(network.tensors())
    weights = f"{file}{WEIGHTS}"
    card = Card(
        name=name,
        players=tuple(sorted(players)),
        deck=deck,
        padded=padded,
        reward=reward,
        activation=network.activation,
        hidden=network.hidden,
        weights=weights,
        sha256=hashlib.sha256(content).hexdigest(),
        training=training,
        strength=strength or {},
    )
    write_bytes(folder / weights, content)
    write_bytes(folder / f"{file}{CARD}", card.text().encode())
    return folder / f"{file}{CARD}"


def _scaling(policy: MaskableActorCriticPolicy) -> tuple[np.ndarray, np.ndarray]:
    """Mean and spread by which a policy scales observations."""
    extractor = policy.features_extractor
    if isinstance(extractor, Scaled):
        return extractor.mean.cpu().numpy().copy(), extractor.spread.cpu().numpy().copy()
    size = policy.observation_space.shape[0]
    return np.zeros(size, dtype=np.float32), np.ones(size, dtype=np.float32)


def _linears(policy: MaskableActorCriticPolicy, head: str) -> list[nn.Linear]:
    stack, last = (
        (policy.mlp_extractor.policy_net, policy.action_net)
        if head == "policy"
        else (policy.mlp_extractor.value_net, policy.value_net)
    )
    if not isinstance(last, nn.Linear) or not all(isinstance(module, (nn.Linear, *_NAMES)) for module in stack):
        raise ArgumentError("policy: it must be a MlpPolicy of dense layers only, so that it can be exported")
    return [module for module in stack if isinstance(module, nn.Linear)] + [last]


def _layer(linear: nn.Linear) -> Layer:
    return Layer(
        np.ascontiguousarray(linear.weight.detach().cpu().numpy().T).copy(), linear.bias.detach().cpu().numpy().copy()
    )


def _shape(network: Network) -> str:
    policy, value = network.hidden["policy"], network.hidden["value"]
    return f"{network.size} inputs, layers {policy} and {value}, {network.activation}"
