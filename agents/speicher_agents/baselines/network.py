"""A policy and a value network computed with NumPy: stacks of dense layers over the same observation.

A network may also read figures after each observation (see `speicher_env.observation.figures`), and have layers that
read every column alike (see `columns`). What it reads is given as `numbers`: (rows, `shape.numbers`) float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.shape import ACTIVATIONS, STACKS, Shape
from speicher_agents.baselines.tensors import BadTensors, Tensors
from speicher_env.messages import must_be, one_of, shown

__all__ = ["Layer", "Network", "Stack"]

LARGEST = 1e30
"""A network whose numbers could exceed this in some layer is refused: float32 ends at 3e38."""
INPUT = 100.0
"""More than any number that is read: observations lie in 0..1, figures nearly so."""
_ILLEGAL = np.float32(-np.inf)


def _relu(numbers: np.ndarray) -> np.ndarray:
    np.maximum(numbers, 0.0, out=numbers)
    return numbers


def _tanh(numbers: np.ndarray) -> np.ndarray:
    np.tanh(numbers, out=numbers)
    return numbers


_ACTIVATE: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {"relu": _relu, "tanh": _tanh}
"""The activations; each works in place."""
assert set(_ACTIVATE) == set(ACTIVATIONS)


class Layer(NamedTuple):
    """A dense layer."""

    weight: np.ndarray
    """(inputs, outputs) float32."""
    bias: np.ndarray
    """(outputs,) float32."""


Stack = tuple[Layer, ...]


class Network:
    """Logits for the actions and a value for the seat whose observation it is, for many observations at once."""

    def __init__(self, shape: Shape, policy: Stack, value: Stack, columns: Stack = (), shared: Stack = ()) -> None:
        """Put a network together.

        Args:
            shape: What the network reads, and how wide its layers are.
            policy: Layers that end in the 184 logits.
            value: Layers that end in one number.
            columns: Layers that read every column alike, if the shape has any.
            shared: Layers that policy and value share, if the shape has any.

        Raises:
            BadTensors: If the layers do not have that shape.
        """
        if shape.activation not in ACTIVATIONS:
            raise BadTensors(must_be("activation", shape.activation, one_of(shape.activation, ACTIVATIONS)))
        self.shape = shape
        self.policy, self.value, self.columns, self.shared = policy, value, columns, shared
        stacks = {f"{stack}.{place}": layer for stack in STACKS for place, layer in enumerate(self.stack(stack))}
        weights = {f"{name}.weight": layer.weight.shape[::-1] for name, layer in stacks.items()}
        _check(shape, weights | {f"{name}.bias": layer.bias.shape for name, layer in stacks.items()})
        self._activate = _ACTIVATE[shape.activation]
        self._places = column_places(shape.size, shape.figures).ravel()

    @classmethod
    def zeros(cls, shape: Shape) -> Network:
        """A network that has learned nothing: every legal action equally likely, every value 0."""
        zeros = {name: np.zeros(dimensions, np.float32) for name, dimensions in shape.tensors().items()}
        return cls.from_tensors(shape, zeros)

    @classmethod
    def from_tensors(cls, shape: Shape, tensors: Mapping[str, np.ndarray]) -> Network:
        """The network with the weights of a file.

        Raises:
            BadTensors: If they do not have that shape, or are so large that the network would overflow.
        """
        _check(shape, {name: array.shape for name, array in tensors.items()})
        stacks = {
            stack: tuple(
                Layer(
                    np.ascontiguousarray(tensors[f"{stack}.{place}.weight"].T, dtype=np.float32),
                    np.asarray(tensors[f"{stack}.{place}.bias"], dtype=np.float32),
                )
                for place, _ in enumerate(pairwise(shape.widths(stack)))
            )
            for stack in STACKS
        }
        network = cls(shape, stacks["policy"], stacks["value"], stacks["columns"], stacks["shared"])
        network._refuse_overflow()
        return network

    @property
    def parameters(self) -> int:
        """Numbers that were learned."""
        return sum(array.size for stack in STACKS for layer in self.stack(stack) for array in layer)

    def stack(self, name: str) -> Stack:
        """The layers of a stack by its name, see `STACKS`."""
        stack: Stack = getattr(self, name)
        return stack

    def tensors(self) -> Tensors:
        """The weights by name, as a file holds them: matrices with a row for each output."""
        found: Tensors = {}
        for stack in STACKS:
            for place, layer in enumerate(self.stack(stack)):
                found[f"{stack}.{place}.weight"] = np.ascontiguousarray(layer.weight.T)
                found[f"{stack}.{place}.bias"] = layer.bias
        return found

    def logits(self, numbers: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(rows, 184) float32: finite for each legal action, minus infinity for illegal ones."""
        (policy,) = self._heads(numbers, ("policy",))
        return _masked(policy, masks)

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """(rows,) float32: the payoff that the network predicts for the observing seat, not clipped to -1..1."""
        (value,) = self._heads(numbers, ("value",))
        return _finite(value[:, 0])

    def logits_and_values(self, numbers: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both, with everything they share computed once."""
        policy, value = self._heads(numbers, ("policy", "value"))
        return _masked(policy, masks), _finite(value[:, 0])

    def column_outputs(self, numbers: np.ndarray) -> np.ndarray:
        """(rows, outputs): what the layers for columns say of all columns; `numbers` are observations with figures."""
        rows, columns, width = len(numbers), self.shape.seats + 1, self.shape.column_numbers
        first = self.columns[0]
        outputs = numbers.take(self._places, axis=1).reshape(-1, width) @ first.weight[:width]
        of_all = numbers @ first.weight[width:] + first.bias  # the same for every column
        outputs.reshape(rows, columns, outputs.shape[1])[:] += of_all[:, None]
        outputs = self._activate(self._run(self.columns[1:], outputs))
        return outputs.reshape(rows, columns * outputs.shape[1])

    def _heads(self, numbers: np.ndarray, heads: Sequence[str]) -> list[np.ndarray]:
        """The outputs of policy, of value or of both."""
        if self.columns:
            numbers = np.concatenate([numbers, self.column_outputs(numbers)], axis=1)
        if self.shared:
            numbers = self._activate(self._run(self.shared[1:], _apply(self.shared[0], numbers)))
        return [self._run(layers[1:], _apply(layers[0], numbers)) for layers in map(self.stack, heads)]

    def _run(self, layers: Stack, numbers: np.ndarray) -> np.ndarray:
        """Further layers of a stack, each after an activation; changes `numbers`."""
        for layer in layers:
            numbers = _apply(layer, self._activate(numbers))
        return numbers

    def _refuse_overflow(self) -> None:
        """Raise `BadTensors` if some numbers that can be read would overflow."""
        numbers = np.full(self.shape.numbers, INPUT)
        outputs = _bound(self.columns, np.full(self.shape.widths("columns")[0], INPUT)) if self.columns else numbers[:0]
        read = np.concatenate([numbers, np.tile(outputs, self.shape.seats + 1)])
        read = _bound(self.shared, read)
        for head in (self.policy, self.value):
            _bound(head, read)

    def __reduce__(self) -> tuple[type[Network], tuple[Shape, Stack, Stack, Stack, Stack]]:
        return Network, (self.shape, self.policy, self.value, self.columns, self.shared)


def _apply(layer: Layer, numbers: np.ndarray) -> np.ndarray:
    sums: np.ndarray = numbers @ layer.weight
    sums += layer.bias
    return sums


def _bound(layers: Stack, largest: np.ndarray) -> np.ndarray:
    """The largest absolute values that layers can give, if they read none larger than these."""
    for weight, bias in layers:
        largest = np.abs(bias.astype(np.float64)) + largest @ np.abs(weight.astype(np.float64))
        if largest.max() > LARGEST:
            raise BadTensors("its weights are so large that the network would overflow")
    return largest


def _finite(numbers: np.ndarray) -> np.ndarray:
    """The numbers, with 0 for those that are none and the largest for infinite ones: weights may have overflowed."""
    return numbers if math.isfinite(numbers.sum()) else np.nan_to_num(numbers)


def _masked(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Logits in which nothing but a legal action can be the largest, whatever the weights are."""
    return np.where(masks, _finite(logits), _ILLEGAL)


def _check(shape: Shape, found: Mapping[str, tuple[int, ...]]) -> None:
    """Raise `BadTensors` unless these are the dimensions of the arrays of the shape."""
    expected = shape.tensors()
    for name in found:
        if name not in expected:
            raise BadTensors(f"{shown(name)} belongs to no layer of a network with {shape}")
    for name, dimensions in expected.items():
        if name not in found:
            raise BadTensors(f"{name} is missing for a network with {shape}")
        if found[name] != dimensions:
            size = " x ".join(map(str, found[name])) or "one number"
            raise BadTensors(f"{name} is {size}; must be {' x '.join(map(str, dimensions))} for a network with {shape}")
