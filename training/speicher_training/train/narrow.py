"""A network for all numbers of players, made into one for a single number of players.

A padded observation has places for seats and columns that a smaller table does not have. What stands there hardly
changes, so the first layers take its mean into their biases, and the network reads the smaller observation instead.
The result plays much as before (a figure that compares with the worst seat no longer counts the empty ones), and
learns faster: it reads less.
"""

from __future__ import annotations

import numpy as np

from speicher_agents.baselines import Baseline, Card, Layer, Network
from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import figure_places, figures_size, seats_of
from speicher_env.batch import Batch
from speicher_env.observation import observation_size
from speicher_env.observation.pieces import PIECES, places

GAMES, ROUNDS, EVERY = 64, 256, 8
"""Means are of every eighth of so many decisions in so many games."""
SEED = 1


def narrowed(card: Card, network: Network, players: int) -> Network:
    """The network of a padded baseline for tables of `players`, with observations that are not padded."""
    size, figures = observation_size(players), network.figures
    kept = _same_numbers(network.size, size, figures)
    read = network.read(_observations(card, network, players))
    numbers = network.size + (figures_size(seats_of(network.size)) if figures else 0)
    stacks = {"columns": network.columns}
    if network.columns:
        everything = read[:, :numbers]
        wide, small = column_places(network.size, figures), column_places(size, figures)
        own = np.array([np.flatnonzero(wide[0] == kept[place])[0] for place in small[0]])
        per_column = everything[:, wide[: players + 1]].mean(axis=(0, 1))
        apart = wide.shape[1]
        means = np.concatenate([per_column, everything.mean(axis=0)])
        first = _without(network.columns[0], np.concatenate([own, apart + kept]), means)
        stacks["columns"] = (first, *network.columns[1:])
        told = len(network.columns[-1].bias) * (players + 1)
        kept = np.concatenate([kept, numbers + np.arange(told)])
    for head in ("policy", "value"):
        first, *others = getattr(network, head)
        stacks[head] = (_without(first, kept, read.mean(axis=0)), *others)
    return Network(stacks["policy"], stacks["value"], network.activation, figures, stacks["columns"])


def _without(layer: Layer, kept: np.ndarray, means: np.ndarray) -> Layer:
    """A layer that reads only some of its inputs; the mean of the others is part of its bias."""
    gone = np.setdiff1d(np.arange(len(means)), kept)
    bias = layer.bias + means[gone].astype(np.float32) @ layer.weight[gone]
    return Layer(np.ascontiguousarray(layer.weight[kept]), bias.astype(np.float32))


def _same_numbers(wide: int, small: int, figures: bool) -> np.ndarray:
    """For each place of the smaller observation, with its figures, the place of the same number in the larger one."""
    seats, fewer = seats_of(wide), seats_of(small)
    pairs = [(places(piece.name, seats), places(piece.name, fewer)) for piece in PIECES]
    if figures:
        others = figure_places(fewer)
        pairs += [(wide + array, small + others[name]) for name, array in figure_places(seats).items()]
    found = np.empty(sum(array.size for _, array in pairs), dtype=np.int64)
    for larger, smaller in pairs:
        found[smaller.ravel()] = larger[tuple(slice(0, length) for length in smaller.shape)].ravel()
    return found


def _observations(card: Card, network: Network, players: int) -> np.ndarray:
    """Padded observations of games that the network plays against itself."""
    batch = Batch(GAMES, players, padded=True)
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
