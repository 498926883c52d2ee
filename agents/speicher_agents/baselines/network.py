"""A policy and a value network computed with NumPy: two stacks of dense layers over the same observation.

A network may also read the figures that follow from an observation (see `figures`), and have layers that read every
column alike (see `columns`); it works both out by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import figures_size, seats_of, with_figures
from speicher_agents.baselines.tensors import BadTensors, Tensors
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

FORBIDDEN = np.float32(-1e9)
"""The logit of an illegal action; its probability is 0 in float32."""

HEADS = ("policy", "value")
STACKS = (*HEADS, "columns")


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

    def __init__(
        self, policy: Stack, value: Stack, activation: str = "tanh", figures: bool = False, columns: Stack = ()
    ) -> None:
        """Put a network together.

        Args:
            policy: Layers from what is read to the 184 logits.
            value: Layers from what is read to one number.
            activation: "tanh" or "relu", behind each layer but the last of policy and value.
            figures: Whether it also reads the figures of an observation.
            columns: Layers that read every column alike: its own numbers, then all numbers. What they say about each
                column is read by policy and value behind all else.
        """
        if activation not in ACTIVATIONS:
            raise BadTensors(f"the activation is {activation!r}, must be one of {', '.join(ACTIVATIONS)}")
        self.activation = activation
        self.figures = figures
        self.policy = _checked("policy", policy, N_ACTIONS)
        self.value = _checked("value", value, 1)
        self.columns = _checked("columns", columns) if columns else ()
        self.inputs = int(self.policy[0].weight.shape[0])
        """Numbers that policy and value read."""
        if self.inputs != self.value[0].weight.shape[0]:
            raise BadTensors("policy and value do not take the same observation")
        self.size = self._find_size()
        """Length of the observation."""

    def _find_size(self) -> int:
        if not self.figures and not self.columns:
            return self.inputs
        for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1):
            size = observation_size(seats)
            if self.inputs == inputs_of(size, self.figures, self._column_widths) and (
                not self.columns or len(self.columns[0].weight) == column_inputs_of(size, self.figures)
            ):
                return size
        raise BadTensors(f"it takes {self.inputs} numbers, which are no observation with what its card adds to it")

    @property
    def _column_widths(self) -> list[int]:
        return [len(layer.bias) for layer in self.columns]

    @property
    def hidden(self) -> dict[str, list[int]]:
        """Widths of the hidden layers of each head, and of those that read columns, if there are any."""
        found = {head: [len(layer.bias) for layer in getattr(self, head)[:-1]] for head in HEADS}
        return {**found, "columns": self._column_widths} if self.columns else found

    @property
    def parameters(self) -> int:
        """Numbers that were learned."""
        return sum(array.size for stack in STACKS for layer in getattr(self, stack) for array in layer)

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(rows, 184) float32: what speaks for each legal action; illegal ones have `FORBIDDEN`."""
        return np.where(masks, self._run(self.policy, self.read(observations)), FORBIDDEN)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """(rows,) float32: the payoff that the observing seat may expect, not cut off at -1 and 1."""
        values: np.ndarray = self._run(self.value, self.read(observations))[:, 0]
        return values

    def logits_and_values(self, observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both, with what they share worked out once."""
        numbers = self.read(observations)
        return np.where(masks, self._run(self.policy, numbers), FORBIDDEN), self._run(self.value, numbers)[:, 0]

    def read(self, observations: np.ndarray) -> np.ndarray:
        """What policy and value read: observations, figures, and what there is to say about each column."""
        numbers = with_figures(observations) if self.figures else observations
        if not self.columns:
            return numbers
        places = column_places(self.size, self.figures)
        activate = ACTIVATIONS[self.activation]
        (weight, bias), *others = self.columns
        columns, apart = places.shape
        told = numbers[:, places.ravel()].reshape(-1, apart) @ weight[:apart]
        told += np.repeat(numbers @ weight[apart:] + bias, columns, axis=0)
        told = activate(told)
        for layer in others:
            told = told @ layer.weight
            told += layer.bias
            told = activate(told)
        return np.concatenate([numbers, told.reshape(len(numbers), -1)], axis=1)

    def _run(self, stack: Stack, numbers: np.ndarray) -> np.ndarray:
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
        for stack in STACKS:
            for place, layer in enumerate(getattr(self, stack)):
                found[f"{stack}.{place}.weight"] = np.ascontiguousarray(layer.weight.T)
                found[f"{stack}.{place}.bias"] = layer.bias
        return found


def network_from(tensors: Mapping[str, np.ndarray], activation: str, figures: bool = False) -> Network:
    """The network of the weights in a file."""
    stacks: dict[str, Stack] = {}
    names = set(tensors)
    for stack in STACKS:
        layers: list[Layer] = []
        while (weight := f"{stack}.{len(layers)}.weight") in names and (bias := f"{stack}.{len(layers)}.bias") in names:
            names -= {weight, bias}
            matrix = np.ascontiguousarray(np.atleast_2d(tensors[weight]).T, dtype=np.float32)
            layers.append(Layer(matrix, np.asarray(tensors[bias], dtype=np.float32)))
        stacks[stack] = tuple(layers)
    if names:
        raise BadTensors(f"{min(names)} belongs to no layer of policy, value or columns")
    return Network(stacks["policy"], stacks["value"], activation, figures, stacks["columns"])


def inputs_of(size: int, figures: bool = False, columns: Sequence[int] = ()) -> int:
    """Numbers that policy and value read of an observation of that length; `columns` are widths of layers."""
    numbers = _numbers_of(size, figures)
    return numbers + columns[-1] * (seats_of(size) + 1) if columns else numbers


def column_inputs_of(size: int, figures: bool = False) -> int:
    """Numbers that the layers for columns read: those of one column, then all."""
    return column_places(size, figures).shape[1] + _numbers_of(size, figures)


def _numbers_of(size: int, figures: bool) -> int:
    return size + figures_size(seats_of(size)) if figures else size


def _checked(head: str, stack: Stack, outputs: int | None = None) -> Stack:
    """A stack whose layers fit each other and end in so many outputs, if told how many."""
    if not stack:
        raise BadTensors(f"{head}.0.weight or {head}.0.bias is missing")
    width = stack[0].weight.shape[0]
    for place, layer in enumerate(stack):
        if layer.weight.ndim != 2 or layer.weight.shape != (width, *layer.bias.shape):
            raise BadTensors(f"{head}.{place}.weight and {head}.{place}.bias do not fit each other or the layer before")
        width = len(layer.bias)
    if outputs is not None and width != outputs:
        raise BadTensors(f"{head} ends in {width} outputs, must be {outputs}")
    return stack
