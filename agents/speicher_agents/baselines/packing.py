"""The layers of a network laid out for compiled code: all weights in one array, rows padded to whole vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.forward import Weights
from speicher_agents.baselines.products import LANES
from speicher_agents.baselines.shape import STACKS, Shape

__all__ = ["packed"]


def packed(shape: Shape, stacks: Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]) -> Weights:
    """The weights of a network; `stacks` has matrix (inputs, outputs) and biases of each layer."""
    parts: list[np.ndarray] = []
    layers: list[tuple[int, int, int, int, int]] = []
    counts: list[tuple[int, int]] = []
    size = 0
    for stack in STACKS:
        counts.append((len(layers), len(stacks[stack])))
        for number, (weight, bias) in enumerate(stacks[stack]):
            inputs, outputs = weight.shape
            by_action = stack == "policy" and number == len(stacks[stack]) - 1
            matrix = _padded(weight.T if by_action else weight)
            biases = _padded(bias[None])[0]
            layers.append((inputs, outputs, matrix.shape[1], size, size + matrix.size))
            parts += [matrix.ravel(), biases]
            size += matrix.size + biases.size
    places = column_places(shape.size, shape.figures) if stacks["columns"] else np.empty((0, 0), dtype=np.int64)
    return Weights(
        np.concatenate(parts), np.array(layers, dtype=np.int64), np.array(counts, dtype=np.int64),
        np.ascontiguousarray(places, dtype=np.int64), shape.activation == "relu",
    )  # fmt: skip


def _padded(matrix: np.ndarray) -> np.ndarray:
    """With columns of zeros up to a multiple of `LANES`."""
    rows, columns = matrix.shape
    padded = np.zeros((rows, -(-columns // LANES) * LANES), dtype=np.float32)
    padded[:, :columns] = matrix
    return padded
