"""Turn a padded network, which plays with every number of players, into one for a single number of players.

A padded observation has room for seats and columns that a smaller table does not have. The numbers there hardly
change, so the first layers take their mean into their biases, and the network reads the smaller observation instead.
The result plays much as before (a figure that compares with the worst seat no longer counts the empty ones), and
learns faster because it reads less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from speicher_agents.baselines.card import Card
from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.network import Layer, Network
from speicher_agents.baselines.player import Baseline
from speicher_agents.baselines.shape import Shape
from speicher_env.batch import Batch
from speicher_env.observation import PIECES, figure_places, places

__all__ = ["unpad"]

GAMES, ROUNDS, EVERY = 64, 256, 8
"""Means are over every eighth of this many decisions in this many games."""
SEED = 1


def unpad(card: Card, network: Network, players: int) -> Network:
    """The network of a padded baseline for games of `players`, with observations that are not padded."""
    wide, small = network.shape, replace(network.shape, seats=players)
    numbers = _numbers(card, network, players)
    mean, kept = numbers.mean(axis=0), _same_numbers(wide, small)
    columns, inputs = network.columns, kept
    if columns:
        wide_places = column_places(wide.size, wide.figures)
        small_places = column_places(small.size, small.figures)
        own = np.array([np.flatnonzero(wide_places[0] == kept[place])[0] for place in small_places[0]])
        per_column = numbers[:, wide_places[: players + 1]].mean(axis=(0, 1))
        both = np.concatenate([own, wide.column_numbers + kept])
        first = _without(columns[0], both, np.concatenate([per_column, mean]))
        columns = (first, *columns[1:])
        mean = np.concatenate([mean, _column_outputs(network, numbers).mean(axis=0)])
        inputs = np.concatenate([kept, wide.numbers + np.arange(wide.columns[-1] * (players + 1))])
    stacks = {"policy": network.policy, "value": network.value, "shared": network.shared}
    if wide.every_seat:
        present = np.arange(players)
        answers = np.concatenate([[0], 1 + present, 1 + wide.seats + present])
        *others, (weight, bias) = network.value
        stacks["value"] = (*others, Layer(np.ascontiguousarray(weight[:, answers]), bias[answers]))
    for stack in ("shared",) if network.shared else ("policy", "value"):
        first, *others = stacks[stack]
        stacks[stack] = (_without(first, inputs, mean), *others)
    return Network(small, columns=columns, **stacks)


def _column_outputs(network: Network, numbers: np.ndarray) -> np.ndarray:
    """(rows, outputs): what the layers for columns say of all columns."""
    outputs = []
    for column in column_places(network.shape.size, network.shape.figures):
        read = np.concatenate([numbers[:, column], numbers], axis=1)
        for weight, bias in network.columns:
            sums = read @ weight + bias
            read = np.tanh(sums) if network.shape.activation == "tanh" else np.maximum(sums, 0.0)
        outputs.append(read)
    return np.concatenate(outputs, axis=1)


def _without(layer: Layer, kept: np.ndarray, means: np.ndarray) -> Layer:
    """A layer that reads only some of its inputs; the mean of the others is part of its bias."""
    gone = np.setdiff1d(np.arange(len(means)), kept)
    bias = layer.bias + means[gone].astype(np.float32) @ layer.weight[gone]
    return Layer(np.ascontiguousarray(layer.weight[kept]), bias.astype(np.float32))


def _same_numbers(wide: Shape, small: Shape) -> np.ndarray:
    """For each place of the smaller observation, with its figures, the place of the same number in the larger one."""
    pairs = [(places(piece.name, wide.seats), places(piece.name, small.seats)) for piece in PIECES]
    if wide.figures:
        others = figure_places(small.seats)
        pairs += [(wide.size + array, small.size + others[name]) for name, array in figure_places(wide.seats).items()]
    found = np.empty(sum(array.size for _, array in pairs), dtype=np.int64)
    for larger, smaller in pairs:
        found[smaller.ravel()] = larger[tuple(slice(0, length) for length in smaller.shape)].ravel()
    return found


def _numbers(card: Card, network: Network, players: int) -> np.ndarray:
    """Padded observations, with figures if it reads them, of games that the network plays against itself."""
    batch = Batch(GAMES, players, padded=True, figures=network.shape.figures)
    batch.reset(np.random.default_rng(SEED).integers(2**31, size=GAMES))
    player = Baseline((card, network), temperature=1.0, seed=SEED)
    every = np.arange(GAMES)
    kept = []
    for number in range(ROUNDS):
        views = batch.views(every)
        if number % EVERY == 0:
            kept.append(views.observations.copy())
        batch.step(player.act(views))
    return np.concatenate(kept)
