"""Between stable-baselines3 and baselines: the weights of a policy as a NumPy network, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from speicher_agents.baselines import Card, Layer, Network, Shape, read_baseline, write_tensors
from speicher_agents.baselines.figures import seats_of
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_agents.baselines.shape import STACKS
from speicher_agents.baselines.unpad import unpad
from speicher_env.deck import edition_of
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_training.files import write_files
from speicher_training.train.features import ACTIVATIONS, Reader

_NAMES: Mapping[type[nn.Module], str] = {kind: name for name, kind in ACTIVATIONS.items()}


def policy_arguments(shape: Shape) -> dict[str, Any]:
    """`policy_kwargs` of a MaskablePPO whose policy can be exported as a network of this shape."""
    if shape.shared:
        raise ArgumentError(must_be("shared", list(shape.shared), "empty: shared layers cannot be trained"))
    return {
        "net_arch": {"pi": list(shape.policy), "vf": list(shape.value)},
        "activation_fn": ACTIVATIONS[shape.activation],
        "features_extractor_class": Reader,
        "features_extractor_kwargs": {"shape": shape},
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
    widths = {stack: tuple(len(layer.bias) for layer in layers) for stack, layers in stacks.items()}
    shape = Shape(
        seats_of(policy.observation_space.shape[0]), widths["policy"][:-1], widths["value"][:-1], widths["columns"],
        activation=known[0], figures=isinstance(reader, Reader) and reader.shape.figures,
    )  # fmt: skip
    return Network(shape, stacks["policy"], stacks["value"], stacks["columns"])


def load_into(policy: MaskableActorCriticPolicy, network: Network) -> None:
    """Give a policy the weights of a network."""
    own = network_of(policy)
    if own.shape != network.shape:
        raise ArgumentError(
            f"weights: their network has {network.shape}, must have {own.shape}, as the policy they are loaded into"
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
        shape=network.shape,
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
        return dict.fromkeys(("policy", "value"), plain)
    mean, spread = _numbers(reader.mean), _numbers(reader.spread)
    said = reader.features_dim - len(mean)
    heads = np.pad(mean, (0, said)), np.pad(spread, (0, said), constant_values=1.0)
    if not reader.layers:
        return dict.fromkeys(("policy", "value"), heads)
    columns = (
        np.concatenate([_numbers(reader.column_mean), mean]), np.concatenate([_numbers(reader.column_spread), spread]),
    )  # fmt: skip
    return {**dict.fromkeys(("policy", "value"), heads), "columns": columns}


def _numbers(buffer: torch.Tensor) -> np.ndarray:
    found: np.ndarray = buffer.cpu().numpy().copy()
    return found


def _linears(policy: MaskableActorCriticPolicy, stack: str) -> list[nn.Linear]:
    if stack == "shared":
        return []
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
                f"from {spec}: its {what} is {_plain(has[what])}, must be {_plain(value)} as in the recipe."
            )
    return start, network


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
