"""The two layers of a network that need not be computed in full, for PyTorch: the first one, and the policy's last one.

About a sixth of what a network reads is not 0, and of 184 actions three to five are legal. Both layers are compiled
loops that add up rows of weights, forward and backward. The numbers are those of dense layers up to rounding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from speicher_agents.baselines.forward import SOURCES
from speicher_agents.baselines.products import LANES, add_scaled_rows, inner_product
from speicher_env._jit import COMPILED, Compiler

__all__ = ["ChosenActions", "chosen_actions", "multiply_rows"]

jit = Compiler(*COMPILED, *SOURCES, Path(__file__), what="the layers of training", seconds=5)

BLOCK = 256
"""Rows of which a gradient is summed at a time; what they need fits the cache."""


def multiply_rows(rows: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """``((rows - offset) * scale) @ matrix``, which is quick where most rows are equal to the offset.

    Args:
        rows: (rows, inputs) uint8 or float32; no gradient flows to them.
        scale: (inputs,) float32, without gradient.
        offset: (inputs,) of the rows' type.
        matrix: (inputs, outputs) float32.
    """
    outputs = matrix.shape[1]
    padded = torch.nn.functional.pad(matrix, (0, -outputs % LANES))
    product: torch.Tensor = _Product.apply(rows, scale, offset, padded)  # type: ignore[no-untyped-call]
    return product[:, :outputs]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, rows: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor, matrix: torch.Tensor
    ) -> torch.Tensor:
        ctx.arrays = [np.ascontiguousarray(tensor.numpy()) for tensor in (rows, scale, offset)]
        product = np.zeros((len(rows), matrix.shape[1]), dtype=np.float32)
        weights = matrix.detach().contiguous().numpy().reshape(-1)
        read, factors, zeros = ctx.arrays
        _multiply(read, factors, zeros, weights, product.shape[1], product.reshape(-1))
        return torch.from_numpy(product)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[None, None, None, torch.Tensor]:
        gradient = gradients[0].contiguous().numpy()
        rows, scale, offset = ctx.arrays
        of_matrix = np.zeros((rows.shape[1], gradient.shape[1]), dtype=np.float32)
        _sum_gradient(rows, scale, offset, gradient.reshape(-1), gradient.shape[1], of_matrix.reshape(-1))
        return None, None, None, torch.from_numpy(of_matrix)


@jit
def _multiply(
    rows: np.ndarray, scale: np.ndarray, offset: np.ndarray, matrix: np.ndarray, width: int, product: np.ndarray
) -> None:
    inputs = rows.shape[1]
    places, factors = np.empty(inputs + 1, np.int32), np.empty(inputs + 1, np.float32)
    for row in range(len(rows)):
        count = 0
        for place in range(inputs):
            number = np.float32(rows[row, place]) - np.float32(offset[place])
            places[count] = place
            factors[count] = number * scale[place]
            count += number != 0.0
        add_scaled_rows(matrix, 0, width, places, factors, 0, count, product, row * width)


@jit
def _sum_gradient(
    rows: np.ndarray, scale: np.ndarray, offset: np.ndarray, gradient: np.ndarray, width: int, of_matrix: np.ndarray
) -> None:
    """Add to each row of the matrix's gradient: over some rows at a time, ordered by input."""
    inputs = rows.shape[1]
    starts = np.empty(inputs + 2, np.int64)
    places, factors = np.empty(BLOCK * inputs, np.int32), np.empty(BLOCK * inputs, np.float32)
    for first in range(0, len(rows), BLOCK):
        last = min(first + BLOCK, len(rows))
        starts[:] = 0
        for row in range(first, last):
            for place in range(inputs):
                starts[place + 2] += rows[row, place] != offset[place]
        for place in range(inputs):
            starts[place + 2] += starts[place + 1]
        for row in range(first, last):
            for place in range(inputs):
                if rows[row, place] != offset[place]:
                    here = starts[place + 1]
                    places[here] = row - first
                    factors[here] = (np.float32(rows[row, place]) - np.float32(offset[place])) * scale[place]
                    starts[place + 1] += 1
        part = gradient[first * width :]
        for place in range(inputs):
            begin, end = starts[place], starts[place + 1]
            add_scaled_rows(part, 0, width, places, factors, begin, end - begin, of_matrix, place * width)


class ChosenActions(NamedTuple):
    """What a policy says of the actions that were chosen, a number for each row."""

    logs: torch.Tensor
    """Logarithms of their probabilities; the mean of them where actions have shares."""
    entropies: torch.Tensor
    """Of the probabilities of all legal actions."""


def chosen_actions(
    latent: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
) -> ChosenActions:
    """A policy's last layer for the legal actions alone, its softmax, and what it says of the chosen actions.

    Args:
        latent: (rows, inputs) float32: what the layer reads.
        weight: (184, inputs).
        bias: (184,).
        masks: (rows, 184), 1 = legal.
        actions: (rows,) the chosen ones, legal; or (rows, 184) the share of each, 0 for illegal ones.
    """
    missing = -latent.shape[1] % LANES
    padded = [torch.nn.functional.pad(tensor, (0, missing)) for tensor in (latent, weight)]
    return ChosenActions(*_Choice.apply(*padded, bias, masks, actions))  # type: ignore[no-untyped-call]


class _Choice(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, latent: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, masks: torch.Tensor,
        actions: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        rows, width = latent.shape
        ctx.read, ctx.weight = (tensor.detach().contiguous().numpy().reshape(-1) for tensor in (latent, weight))
        ctx.width, ctx.shape = width, weight.shape
        begins, legal = _legal_actions(np.ascontiguousarray(masks.numpy()))
        ctx.shares = _shares(begins, legal, actions.numpy())
        chances, logs, entropies = (np.empty(size, np.float32) for size in (len(legal), rows, rows))
        _choose(ctx.read, ctx.weight, bias.detach().numpy(), width, begins, legal, ctx.shares, chances, logs, entropies)
        ctx.begins, ctx.legal, ctx.chances, ctx.entropies = begins, legal, chances, entropies
        return torch.from_numpy(logs), torch.from_numpy(entropies)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None, None]:
        of_logs, of_entropies = (gradient.contiguous().numpy() for gradient in gradients)
        of_logits = np.empty(len(ctx.legal), dtype=np.float32)
        of_read, of_weight = np.zeros(len(ctx.read), np.float32), np.zeros(len(ctx.weight), np.float32)
        of_bias = np.zeros(ctx.shape[0], np.float32)
        _choose_backward(
            ctx.read, ctx.weight, ctx.width, ctx.begins, ctx.legal, ctx.shares, ctx.chances, ctx.entropies, of_logs,
            of_entropies, of_logits, of_read, of_weight, of_bias,
        )  # fmt: skip
        return (
            torch.from_numpy(of_read).reshape(-1, ctx.width), torch.from_numpy(of_weight).reshape(ctx.shape),
            torch.from_numpy(of_bias), None, None,
        )  # fmt: skip


@jit
def _legal_actions(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the legal actions of each row begin, with the end of the last one's, and all of them, row by row."""
    begins = np.zeros(len(masks) + 1, np.int64)
    for row in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action] != 0
        begins[row + 1] = begins[row] + count
    legal = np.empty(begins[-1], np.int32)
    for row in range(len(masks)):
        place = begins[row]
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                legal[place] = action
                place += 1
    return begins, legal


def _shares(begins: np.ndarray, legal: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """(legal actions,) float32: the share of each legal action of a row in what was chosen there; they sum to 1."""
    rows = np.repeat(np.arange(len(actions)), np.diff(begins))
    if actions.ndim == 1:
        return np.asarray(legal == actions[rows], dtype=np.float32)
    shares = actions[rows, legal].astype(np.float32)
    return np.asarray(shares / np.add.reduceat(shares, begins[:-1])[rows])


@jit
def _choose(
    read: np.ndarray, weight: np.ndarray, bias: np.ndarray, width: int, begins: np.ndarray, legal: np.ndarray,
    shares: np.ndarray, chances: np.ndarray, logs: np.ndarray, entropies: np.ndarray,
) -> None:  # fmt: skip
    """Fill the chances of legal actions, the logarithms of those of the chosen ones, and the entropies."""
    for row in range(len(logs)):
        begin, end = begins[row], begins[row + 1]
        highest = np.float32(-np.inf)
        for place in range(begin, end):
            action = legal[place]
            chances[place] = inner_product(weight, action * width, width, read[row * width :]) + bias[action]
            highest = max(highest, chances[place])
        total = np.float32(0.0)
        log = np.float32(0.0)
        for place in range(begin, end):
            chances[place] -= highest
            log += shares[place] * chances[place]
            total += np.exp(chances[place])
        normalizer = np.log(total)
        entropy = np.float32(0.0)
        for place in range(begin, end):
            log_chance = chances[place] - normalizer
            chances[place] = np.exp(log_chance)
            entropy -= chances[place] * log_chance
        logs[row] = log - normalizer
        entropies[row] = entropy


@jit
def _choose_backward(
    read: np.ndarray, weight: np.ndarray, width: int, begins: np.ndarray, legal: np.ndarray, shares: np.ndarray,
    chances: np.ndarray, entropies: np.ndarray, of_logs: np.ndarray, of_entropies: np.ndarray, of_logits: np.ndarray,
    of_read: np.ndarray, of_weight: np.ndarray, of_bias: np.ndarray,
) -> None:  # fmt: skip
    rows, actions = len(of_logs), len(of_bias)
    counts = np.zeros(actions + 2, np.int64)
    for row in range(rows):
        begin, end = begins[row], begins[row + 1]
        for place in range(begin, end):
            action = legal[place]
            chance = chances[place]
            gradient = -of_logs[row] * chance + of_logs[row] * shares[place]
            if chance > 0.0:
                gradient -= of_entropies[row] * chance * (np.log(chance) + entropies[row])
            of_logits[place] = gradient
            of_bias[action] += gradient
            counts[action + 2] += 1
        add_scaled_rows(weight, 0, width, legal, of_logits, begin, end - begin, of_read, row * width)
    for action in range(actions):
        counts[action + 2] += counts[action + 1]
    places, factors = np.empty(len(legal), np.int32), np.empty(len(legal), np.float32)
    for row in range(rows):
        for place in range(begins[row], begins[row + 1]):
            here = counts[legal[place] + 1]
            places[here] = row
            factors[here] = of_logits[place]
            counts[legal[place] + 1] += 1
    for action in range(actions):
        begin, end = counts[action], counts[action + 1]
        add_scaled_rows(read, 0, width, places, factors, begin, end - begin, of_weight, action * width)
