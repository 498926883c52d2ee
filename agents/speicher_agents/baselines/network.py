"""A policy and a value network computed with NumPy: two stacks of dense layers over the same observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.tensors import BadTensors, Tensors
from speicher_env.rules.actions import N_ACTIONS

FORBIDDEN = np.float32(-1e9)
"""The logit of an illegal action; its probability is 0 in float32."""

HEADS = ("policy", "value")


def _relu(numbers: np.ndarray) -> np.ndarray:
    return np.maximum(numbers, 0.0, out=numbers)


def _tanh(numbers: np.ndarray) -> np.ndarray:
    return np.tanh(numbers, out=numbers)


ACTIVATIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {"relu": _relu, "tanh": _tanh}
"""What stands between two layers; each works in place."""


class Layer(NamedTuple):
    """A dense layer."""

    weight: np.ndarray
    """(inputs, outputs) float32."""
    bias: np.ndarray
    """(outputs,) float32."""


Stack = tuple[Layer, ...]


class Network:
    """Logits for the actions and a value for the seat whose observation it is, for many observations at once."""

    def __init__(self, policy: Stack, value: Stack, activation: str = "tanh") -> None:
        """Put a network together.

        Args:
            policy: Layers from the observation to the 184 logits.
            value: Layers from the observation to one number.
            activation: "tanh" or "relu", behind each layer but the last.
        """
        if activation not in ACTIVATIONS:
            raise BadTensors(f"the activation is {activation!r}, must be one of {', '.join(ACTIVATIONS)}")
        self.activation = activation
        self.policy = _checked("policy", policy, N_ACTIONS)
        self.value = _checked("value", value, 1)
        if policy[0].weight.shape[0] != value[0].weight.shape[0]:
            raise BadTensors("policy and value do not take the same observation")

    @property
    def size(self) -> int:
        """Length of the observation."""
        return int(self.policy[0].weight.shape[0])

    @property
    def hidden(self) -> dict[str, list[int]]:
        """Widths of the hidden layers of each head."""
        return {head: [len(layer.bias) for layer in getattr(self, head)[:-1]] for head in HEADS}

    @property
    def parameters(self) -> int:
        """Numbers that were learned."""
        return sum(array.size for head in HEADS for layer in getattr(self, head) for array in layer)

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(rows, 184) float32: what speaks for each legal action; illegal ones have `FORBIDDEN`."""
        return np.where(masks, self._run(self.policy, observations), FORBIDDEN)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """(rows,) float32: the payoff that the observing seat may expect, not cut off at -1 and 1."""
        values: np.ndarray = self._run(self.value, observations)[:, 0]
        return values

    def _run(self, stack: Stack, observations: np.ndarray) -> np.ndarray:
        numbers = observations
        activate = ACTIVATIONS[self.activation]
        for place, layer in enumerate(stack):
            if place:
                numbers = activate(numbers)
            numbers = numbers @ layer.weight
            numbers += layer.bias
        return numbers

    def tensors(self) -> Tensors:
        """The weights by name, as a file holds them: matrices with a row for each output."""
        found: Tensors = {}
        for head in HEADS:
            for place, layer in enumerate(getattr(self, head)):
                found[f"{head}.{place}.weight"] = np.ascontiguousarray(layer.weight.T)
                found[f"{head}.{place}.bias"] = layer.bias
        return found


def network_from(tensors: Mapping[str, np.ndarray], activation: str) -> Network:
    """The network of the weights in a file."""
    stacks: dict[str, Stack] = {}
    names = set(tensors)
    for head in HEADS:
        layers: list[Layer] = []
        while (weight := f"{head}.{len(layers)}.weight") in names and (bias := f"{head}.{len(layers)}.bias") in names:
            names -= {weight, bias}
            matrix = np.ascontiguousarray(np.atleast_2d(tensors[weight]).T, dtype=np.float32)
            layers.append(Layer(matrix, np.asarray(tensors[bias], dtype=np.float32)))
        stacks[head] = tuple(layers)
    if names:
        raise BadTensors(f"{min(names)} belongs to no layer of policy or value")
    return Network(stacks["policy"], stacks["value"], activation)


def _checked(head: str, stack: Stack, outputs: int) -> Stack:
    """A stack whose layers fit each other and end in so many outputs."""
    if not stack:
        raise BadTensors(f"{head}.0.weight or {head}.0.bias is missing")
    width = stack[0].weight.shape[0]
    for place, layer in enumerate(stack):
        if layer.weight.ndim != 2 or layer.weight.shape != (width, *layer.bias.shape):
            raise BadTensors(f"{head}.{place}.weight and {head}.{place}.bias do not fit each other or the layer before")
        width = len(layer.bias)
    if width != outputs:
        raise BadTensors(f"{head} ends in {width} outputs, must be {outputs}")
    return stack
