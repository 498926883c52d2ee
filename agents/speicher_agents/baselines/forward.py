"""The forward pass of a network, compiled: one observation at a time, without any call of a library.

It uses what is special about these networks. Of the hundreds of numbers that they read, about a sixth are not 0, so the
first layers add up rows of their weights. Of the 184 logits, those of the few legal actions are computed. A search can
ask for one position without leaving compiled code.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.products import add_scaled_rows, inner_product
from speicher_env._jit import COMPILED, Compiler
from speicher_env._machine import borrow

__all__ = [
    "SOURCES", "Room", "Weights", "borrowed_room", "borrowed_weights", "draw_actions", "evaluate_rows", "jit",
    "logit_of", "make_room", "read_row",
]  # fmt: skip

SOURCES = (Path(__file__), Path(__file__).with_name("products.py"))
"""What code that calls this is compiled from, beside its own files."""

jit = Compiler(*COMPILED, *SOURCES, what="the networks", seconds=5)

# Rows of `Weights.stacks`, in the order of `shape.STACKS`.
COLUMNS, SHARED, POLICY, VALUE = 0, 1, 2, 3
# Columns of `Weights.layers`.
INPUTS, OUTPUTS, WIDTH, WEIGHT, BIAS = 0, 1, 2, 3, 4


class Weights(NamedTuple):
    """A network as compiled code reads it. Rows of matrices are padded with zeros to a multiple of 16 numbers."""

    numbers: np.ndarray
    """All weights, flat float32."""
    layers: np.ndarray
    """(layers, 5) int64: inputs, outputs, length of a row of the matrix, where matrix and biases begin in `numbers`.

    A matrix has a row for each input; that of the policy's last layer has a row for each action.
    """
    stacks: np.ndarray
    """(4, 2) int64: the first layer of each stack in `layers`, and how many it has."""
    places: np.ndarray
    """(columns, numbers) int64: see `columns.column_places`; no columns if there are no layers for them."""
    relu: bool
    """Whether the activation is relu, else tanh."""


class Room(NamedTuple):
    """Memory for one forward pass."""

    rows: np.ndarray
    """int32: places of the inputs that are not 0."""
    factors: np.ndarray
    """float32: these inputs."""
    own_rows: np.ndarray
    """The same of a layer within a stack."""
    own_factors: np.ndarray
    common: np.ndarray
    """float32: what the first layer for columns says of all columns alike."""
    sums: np.ndarray
    """float32: outputs of a layer."""
    policy: np.ndarray
    """float32: the policy's last hidden layer, all of it."""
    values: np.ndarray
    """float32: the outputs of the value layers."""
    counts: np.ndarray
    """(1,) int64: how many of `rows` and `factors` there are."""


@jit
def make_room(weights: Weights) -> Room:
    """Memory for forward passes by these weights."""
    most = np.int64(16)
    for layer in range(len(weights.layers)):
        most = max(most, weights.layers[layer, INPUTS] + 16, weights.layers[layer, WIDTH])
    return Room(
        np.empty(most, np.int32), np.empty(most, np.float32), np.empty(most, np.int32), np.empty(most, np.float32),
        np.zeros(most, np.float32), np.zeros(most, np.float32), np.zeros(most, np.float32), np.zeros(most, np.float32),
        np.zeros(1, np.int64),
    )  # fmt: skip


@jit
def borrowed_weights(weights: Weights) -> Weights:
    """The same weights without reference counts, which cost as much as a layer; see `borrow`."""
    return Weights(
        borrow(weights.numbers), borrow(weights.layers), borrow(weights.stacks), borrow(weights.places), weights.relu
    )


@jit
def borrowed_room(room: Room) -> Room:
    """The same memory without reference counts."""
    return Room(
        borrow(room.rows), borrow(room.factors), borrow(room.own_rows), borrow(room.own_factors), borrow(room.common),
        borrow(room.sums), borrow(room.policy), borrow(room.values), borrow(room.counts),
    )  # fmt: skip


@jit
def begin_layer(weights: Weights, layer: int, sums: np.ndarray) -> None:
    """Put the biases of a layer where its outputs will be."""
    bias = weights.layers[layer, BIAS]
    for output in range(weights.layers[layer, WIDTH]):
        sums[output] = weights.numbers[bias + output]


@jit
def keep_activated(
    weights: Weights, sums: np.ndarray, width: int, begin: int, rows: np.ndarray, factors: np.ndarray, count: int
) -> int:
    """Append the outputs of a layer after their activation, but for zeros, as inputs from `begin` on; the new count."""
    for output in range(width):
        number = sums[output]
        if not weights.relu:
            number = np.tanh(number)
        rows[count] = begin + output
        factors[count] = number
        count += number > 0.0 if weights.relu else 1
    return count


@jit
def run_stack(weights: Weights, stack: int, done: int, stop: int, room: Room) -> None:
    """Compute layers `done`..`stop` - 1 of a stack, the first of which reads `room.rows`; the outputs go to `sums`.

    `room.sums` holds the outputs of layer `done` - 1 if that is not -1.
    """
    first = weights.stacks[stack, 0]
    count = room.counts[0]
    for number in range(done, stop):
        layer = first + number
        width = weights.layers[layer, WIDTH]
        if number == 0:
            begin_layer(weights, layer, room.sums)
            add_scaled_rows(
                weights.numbers, weights.layers[layer, WEIGHT], width, room.rows, room.factors, 0, count, room.sums, 0
            )
        else:
            inputs = weights.layers[layer, INPUTS]
            count = keep_activated(weights, room.sums, inputs, 0, room.own_rows, room.own_factors, 0)
            begin_layer(weights, layer, room.sums)
            add_scaled_rows(
                weights.numbers, weights.layers[layer, WEIGHT], width, room.own_rows, room.own_factors, 0, count,
                room.sums, 0,
            )  # fmt: skip


@jit
def read_columns(weights: Weights, row: np.ndarray, room: Room) -> None:
    """Append what the layers for columns say of each column to the inputs."""
    first, layers = weights.stacks[COLUMNS]
    own = weights.places.shape[1]
    width = weights.layers[first, WIDTH]
    matrix = weights.layers[first, WEIGHT]
    last = weights.layers[first + layers - 1, OUTPUTS]
    count = room.counts[0]
    begin_layer(weights, first, room.common)
    add_scaled_rows(weights.numbers, matrix + own * width, width, room.rows, room.factors, 0, count, room.common, 0)
    for column in range(len(weights.places)):
        here = 0
        for place in range(own):
            number = row[weights.places[column, place]]
            room.own_rows[here] = place
            room.own_factors[here] = number
            here += number != 0.0
        for output in range(width):
            room.sums[output] = room.common[output]
        add_scaled_rows(weights.numbers, matrix, width, room.own_rows, room.own_factors, 0, here, room.sums, 0)
        run_stack(weights, COLUMNS, 1, layers, room)
        count = keep_activated(weights, room.sums, last, len(row) + column * last, room.rows, room.factors, count)
    room.counts[0] = count


@jit
def read_row(weights: Weights, row: np.ndarray, room: Room) -> None:
    """Compute everything but the logits for what one seat sees: `logit_of` and `room.values` give the answers."""
    count = 0
    for place in range(row.size):
        room.rows[count] = place
        room.factors[count] = row[place]
        count += row[place] != 0.0
    room.counts[0] = count
    if weights.stacks[COLUMNS, 1] > 0:
        read_columns(weights, row, room)
    shared = weights.stacks[SHARED, 1]
    if shared > 0:
        run_stack(weights, SHARED, 0, shared, room)
        width = weights.layers[weights.stacks[SHARED, 0] + shared - 1, OUTPUTS]
        room.counts[0] = keep_activated(weights, room.sums, width, 0, room.rows, room.factors, 0)
    run_stack(weights, VALUE, 0, weights.stacks[VALUE, 1], room)
    for output in range(weights.layers[weights.stacks[VALUE, 0] + weights.stacks[VALUE, 1] - 1, OUTPUTS]):
        room.values[output] = room.sums[output]
    read_for_policy(weights, room)


@jit
def read_for_policy(weights: Weights, room: Room) -> None:
    """Keep what the policy's last layer reads, with the zeros among it."""
    layers = weights.stacks[POLICY, 1]
    width = weights.layers[weights.stacks[POLICY, 0] + layers - 1, WIDTH]
    inputs = weights.layers[weights.stacks[POLICY, 0] + layers - 1, INPUTS]
    for output in range(width):
        room.policy[output] = 0.0
    if layers == 1:
        for k in range(room.counts[0]):
            room.policy[room.rows[k]] = room.factors[k]
    else:
        run_stack(weights, POLICY, 0, layers - 1, room)
        for output in range(inputs):
            number = room.sums[output]
            room.policy[output] = max(number, np.float32(0.0)) if weights.relu else np.tanh(number)


@jit
def logit_of(weights: Weights, room: Room, action: int) -> float:
    """The logit of an action for what `read_row` has read."""
    layer = weights.stacks[POLICY, 0] + weights.stacks[POLICY, 1] - 1
    width = weights.layers[layer, WIDTH]
    product = inner_product(weights.numbers, weights.layers[layer, WEIGHT] + action * width, width, room.policy)
    logit: float = product + weights.numbers[weights.layers[layer, BIAS] + action]
    return logit


@jit
def evaluate_rows(
    weights: Weights, rows: np.ndarray, masks: np.ndarray, logits: np.ndarray, values: np.ndarray
) -> None:
    """Logits, minus infinity for illegal actions, and the outputs of the value layers, for each row.

    Either of `logits` and `values` may have no columns, and is left out then.
    """
    _evaluate_rows(weights, make_room(weights), rows, masks, logits, values)


@jit
def _evaluate_rows(
    weights: Weights, room: Room, rows: np.ndarray, masks: np.ndarray, logits: np.ndarray, values: np.ndarray
) -> None:
    weights, room = borrowed_weights(weights), borrowed_room(room)
    for place in range(len(rows)):
        read_row(weights, rows[place], room)
        for action in range(logits.shape[1]):
            if masks[place, action]:
                logits[place, action] = logit_of(weights, room, action)
            else:
                logits[place, action] = -np.inf
        for output in range(values.shape[1]):
            values[place, output] = room.values[output]


@jit
def draw_actions(
    weights: Weights,
    rows: np.ndarray,
    masks: np.ndarray,
    uniform: np.ndarray,
    actions: np.ndarray,
    logs: np.ndarray,
    values: np.ndarray,
) -> None:
    """An action for each row by the policy's probabilities, the logarithm of its own, and the value of the seat.

    Args:
        weights: Of the network.
        rows: (rows, numbers) float32: what the seats see.
        masks: (rows, 184), not 0 = legal.
        uniform: (rows,) random numbers in 0..1, which decide.
        actions: (rows,) int64, filled.
        logs: (rows,) float64, filled.
        values: (rows,) float64, filled.
    """
    _draw_actions(weights, make_room(weights), rows, masks, uniform, actions, logs, values)


@jit
def _draw_actions(
    weights: Weights,
    room: Room,
    rows: np.ndarray,
    masks: np.ndarray,
    uniform: np.ndarray,
    actions: np.ndarray,
    logs: np.ndarray,
    values: np.ndarray,
) -> None:
    weights, room = borrowed_weights(weights), borrowed_room(room)
    legal, logits = np.empty(masks.shape[1], np.int64), np.empty(masks.shape[1])
    for place in range(len(rows)):
        read_row(weights, rows[place], room)
        values[place] = room.values[0]
        count = 0
        highest = -np.inf
        for action in range(masks.shape[1]):
            if masks[place, action]:
                legal[count] = action
                logits[count] = logit_of(weights, room, action)
                highest = max(highest, logits[count])
                count += 1
        total = 0.0
        for number in range(count):
            total += np.exp(logits[number] - highest)
        left = uniform[place] * total
        chosen = 0
        for number in range(count):
            chance = np.exp(logits[number] - highest)
            if chance > 0.0:
                chosen = number
                left -= chance
                if left < 0.0:
                    break
        actions[place] = legal[chosen]
        logs[place] = logits[chosen] - highest - np.log(total)
