"""A policy and a value network: stacks of dense layers over the same observation.

A network may also read figures after each observation (see `speicher_env.observation.figures`), and have layers that
read every column alike (see `columns`). What it reads is given as `numbers`: (rows, `shape.numbers`) float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.forward import Weights, draw_actions, evaluate_rows
from speicher_agents.baselines.packing import packed
from speicher_agents.baselines.shape import ACTIVATIONS, STACKS, Shape
from speicher_agents.baselines.tensors import BadTensors, Tensors
from speicher_env.messages import must_be, one_of, shown

__all__ = ["POINTS_SCALE", "Layer", "Network", "Stack"]

LARGEST = 1e30
"""A network whose numbers could exceed this in some layer is refused: float32 ends at 3e38."""
INPUT = 100.0
"""More than any number that is read: observations lie in 0..1, figures nearly so."""


POINTS_SCALE = 30.0
"""The points that an output of 1 of the value layers means."""


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
        return self._evaluated(numbers, masks, values=0)[0]

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """(rows,) float32: the payoff that the network predicts for the observing seat, not clipped to -1..1."""
        return self._evaluated(numbers, values=1)[1][:, 0]

    def logits_and_values(self, numbers: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both, with everything they share computed once."""
        logits, values = self._evaluated(numbers, masks, values=1)
        return logits, values[:, 0]

    def logits_and_seat_values(
        self, numbers: np.ndarray, masks: np.ndarray, players: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Logits, and (rows, players) float32: the payoff of every seat, clockwise from the observing one.

        For networks with `shape.every_seat`. The payoffs are those of the reward "outcome" and sum to 0.
        """
        logits, values = self._evaluated(numbers, masks, values=self.shape.values)
        return logits, outcome_payoffs(values[:, 1 : 1 + players])

    def payoffs(self, numbers: np.ndarray, players: int) -> np.ndarray:
        """(rows, players) float32, -1..1: the payoff of every seat by "outcome", clockwise from the observing one.

        A network that predicts its own seat's payoff alone leaves the difference to the other seats alike.
        """
        if self.shape.every_seat:
            values = self._evaluated(numbers, values=self.shape.values)[1]
            return outcome_payoffs(values[:, 1 : 1 + players])
        own = np.clip(self.values(numbers), -1.0, 1.0)[:, None]
        return np.concatenate([own, np.repeat(-own / (players - 1), players - 1, axis=1)], axis=1)

    def points(self, numbers: np.ndarray, players: int) -> np.ndarray:
        """(rows, players) float32: the points of every seat at the end, clockwise from the observing one.

        For networks with `shape.every_seat`.
        """
        begin = 1 + self.shape.seats
        values = self._evaluated(numbers, values=self.shape.values)[1]
        return values[:, begin : begin + players] * np.float32(POINTS_SCALE)

    def drawn(
        self, numbers: np.ndarray, masks: np.ndarray, uniform: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """An action for each row by the policy's probabilities, their logarithms, and `values`.

        Args:
            numbers: (rows, `shape.numbers`).
            masks: (rows, 184).
            uniform: (rows,) random numbers in 0..1, which decide.
        """
        rows = len(numbers)
        actions, logs, values = np.empty(rows, dtype=np.int64), np.empty(rows), np.empty(rows)
        read = np.ascontiguousarray(numbers, dtype=np.float32)
        draw_actions(self.weights, read, np.asarray(masks, dtype=bool), uniform, actions, logs, values)
        return actions, logs, values

    @cached_property
    def weights(self) -> Weights:
        """The network as compiled code reads it."""
        return packed(self.shape, {stack: self.stack(stack) for stack in STACKS})

    def _evaluated(
        self, numbers: np.ndarray, masks: np.ndarray | None = None, values: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Logits, without masks none, and the first of the value layers' outputs."""
        rows = len(numbers)
        logits = np.empty((rows, 0 if masks is None else masks.shape[1]), dtype=np.float32)
        answers = np.empty((rows, values), dtype=np.float32)
        read = np.ascontiguousarray(numbers, dtype=np.float32)
        legal = np.empty((rows, 0), dtype=bool) if masks is None else np.asarray(masks, dtype=bool)
        evaluate_rows(self.weights, read, legal, logits, answers)
        return _finite(logits, legal), _finite(answers)

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


def _bound(layers: Stack, largest: np.ndarray) -> np.ndarray:
    """The largest absolute values that layers can give, if they read none larger than these."""
    for weight, bias in layers:
        largest = np.abs(bias.astype(np.float64)) + largest @ np.abs(weight.astype(np.float64))
        if largest.max() > LARGEST:
            raise BadTensors("its weights are so large that the network would overflow")
    return largest


def outcome_payoffs(logits: np.ndarray) -> np.ndarray:
    """(rows, players) float32: what each seat is paid by "outcome", given the logits of their wins."""
    players = logits.shape[1]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    payoffs: np.ndarray = (players * shares - 1.0) / (players - 1.0)
    return payoffs


def _finite(numbers: np.ndarray, wanted: np.ndarray | None = None) -> np.ndarray:
    """The numbers, with 0 for those that are none and the largest for infinite ones: weights may have overflowed.

    Those that are not wanted stay as they are.
    """
    bad = ~np.isfinite(numbers) if wanted is None else wanted & ~np.isfinite(numbers)
    if bad.any():
        numbers[bad] = np.nan_to_num(numbers[bad])
    return numbers


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
