"""How a search evaluates its leaves: by a playout, by a network in compiled code, or by an evaluator in Python.

Each way is a named tuple with what it needs, and the walk takes any of them. Where a leaf is evaluated by a playout,
it gets its actions when a walk comes to it for the second time, as most leaves are never visited again. A network says
both what a leaf is worth and which actions look good, so its leaves get their actions at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines.forward import (
    Room,
    Weights,
    borrowed_room,
    borrowed_weights,
    logit_of,
    make_room,
    read_row,
)
from speicher_agents.baselines.network import Network
from speicher_agents.search._jit import by_class, jit
from speicher_agents.search.determinize import redeal_concealed
from speicher_agents.search.playouts import Choose, play_out, write_payoffs
from speicher_agents.search.tree import ROOT, Tree, Trees, back_up, borrowed, expand, tree_in
from speicher_env._machine import borrow
from speicher_env.observation.rows import write_row
from speicher_env.rules.state import OVER

__all__ = [
    "Leaves", "NetworkLeaves", "OutsideLeaves", "PlayoutLeaves", "add_evaluations", "borrowed_leaves", "evaluate_leaf",
    "evaluate_roots", "may_descend", "network_leaves", "stops_before_chance", "write_expected_payoffs",
]  # fmt: skip

LARGEST = 1e30
"""What an infinite output of a network counts as."""


class PlayoutLeaves(NamedTuple):
    """A player plays each leaf to the end of its game."""

    choose: Choose
    """Who plays, with `code`; see `playouts.Choose`."""
    code: int
    prior: Choose
    """Whose choice among the actions of a leaf gets the prior `trust`, with `prior_code`; None for no priors."""
    prior_code: int
    trust: float
    margin: float
    """The part (0..1) of points ahead in a payoff; the rest is the outcome."""


class NetworkLeaves(NamedTuple):
    """A network that predicts the payoff of every seat, asked in compiled code."""

    weights: Weights
    room: Room
    row: np.ndarray
    """float32: room for what it reads."""
    seats: int
    """Seats that its rows have room for."""
    figures: bool | None
    """True if its rows have figures, else None."""
    temperature: float
    """Of the priors."""


class OutsideLeaves(NamedTuple):
    """An evaluator in Python, asked about the leaves of all rows together."""

    margin: float
    """See `PlayoutLeaves`; of games that end within the tree."""


def network_leaves(network: Network, temperature: float) -> NetworkLeaves:
    """What the walk needs to ask a network with `shape.every_seat`."""
    shape, weights = network.shape, network.weights
    row = np.zeros(shape.numbers, dtype=np.float32)
    figures = shape.figures or None
    return NetworkLeaves(weights, make_room(weights), row, shape.seats, figures, temperature)


@jit
def borrowed_network(leaves: NetworkLeaves) -> NetworkLeaves:
    """The same network without reference counts, see `borrow`."""
    return NetworkLeaves(
        borrowed_weights(leaves.weights), borrowed_room(leaves.room), borrow(leaves.row), leaves.seats, leaves.figures,
        leaves.temperature,
    )  # fmt: skip


@jit
def as_it_is(leaves: PlayoutLeaves | OutsideLeaves) -> PlayoutLeaves | OutsideLeaves:
    """Without arrays there is nothing to borrow."""
    return leaves


borrowed_leaves = by_class({PlayoutLeaves: as_it_is, NetworkLeaves: borrowed_network, OutsideLeaves: as_it_is})
"""`borrowed_leaves(leaves)`: the same without reference counts."""

Leaves = PlayoutLeaves | NetworkLeaves | OutsideLeaves


@jit
def expand_on_return(leaves: PlayoutLeaves, tree: Tree, index: int, game: np.void, stream: np.ndarray) -> bool:
    """Give a leaf its actions if the walk comes to it again; False if it goes no further."""
    if index != ROOT and tree.nodes[index]["visits"] == 0:
        return False
    if not expand(tree, index, game, stream):
        return False
    advise(tree, index, game, leaves.prior, leaves.prior_code, leaves.trust, stream)
    return True


@jit
def advise(tree: Tree, index: int, game: np.void, prior: Choose, code: int, trust: float, stream: np.ndarray) -> None:
    """Give the new actions below a node their priors: a part `trust` to a player's choice, the rest to all alike."""
    if prior is not None:
        node = tree.nodes[index]
        trusted = prior(game, code, stream)
        for child in range(node["first"], node["first"] + node["children"]):
            tree.nodes[child]["prior"] = (1.0 - trust) / node["children"]
            if tree.nodes[child]["action"] == trusted:
                tree.nodes[child]["prior"] += trust
        node["tried"] = node["children"]


@jit
def stop_at_leaf(leaves: Leaves, tree: Tree, index: int, game: np.void, stream: np.ndarray) -> bool:
    """A leaf that has been evaluated has actions, unless the tree is full."""
    return False


may_descend = by_class({PlayoutLeaves: expand_on_return, NetworkLeaves: stop_at_leaf, OutsideLeaves: stop_at_leaf})
"""`may_descend(leaves, tree, index, game, stream)`: whether the walk goes on below a node without actions."""


@jit
def if_not_visited(leaves: PlayoutLeaves, tree: Tree, index: int) -> bool:
    """A playout tells as much of an action as of what chance brings after it."""
    return tree.nodes[index]["visits"] == 0


@jit
def never(leaves: Leaves, tree: Tree, index: int) -> bool:
    """A node between an action and chance is not evaluated."""
    return False


stops_before_chance = by_class({PlayoutLeaves: if_not_visited, NetworkLeaves: never, OutsideLeaves: never})
"""`stops_before_chance(leaves, tree, index)`: whether an action is a leaf itself, not what chance brings after it."""


@jit
def play_leaf_out(leaves: PlayoutLeaves, trees: Trees, row: int, leaf: int) -> bool:
    """Add the payoffs of a playout along the path of a leaf."""
    game = trees.games[row]
    redeal_concealed(game, trees.streams[row])
    play_out(game, leaves.choose, leaves.code, trees.streams[row])
    write_payoffs(game, leaves.margin, trees.payoffs)
    back_up(tree_in(trees, row), leaf, trees.payoffs[0], game["players"])
    return True


@jit
def finish(trees: Trees, row: int, leaf: int, margin: float) -> None:
    """Add the payoffs of a finished game along the path to its last action."""
    game = trees.games[row]
    write_payoffs(game, margin, trees.payoffs)
    back_up(tree_in(trees, row), leaf, trees.payoffs[0], game["players"])


@jit
def ask_network(leaves: NetworkLeaves, trees: Trees, row: int, leaf: int) -> bool:
    """Let the network say what a leaf is worth, and give the leaf its actions with their priors."""
    game = trees.games[row]
    if game["phase"] == OVER:
        finish(trees, row, leaf, 0.0)
        return True
    tree = tree_in(trees, row)
    viewer, players = game["player"], game["players"]
    write_row(game, viewer, leaves.seats, leaves.figures, leaves.row)
    read_row(leaves.weights, leaves.row, leaves.room)
    if expand(tree, leaf, game, trees.streams[row]):
        node = tree.nodes[leaf]
        for child in range(node["first"], node["first"] + node["children"]):
            action = tree.nodes[child]["action"]
            tree.nodes[child]["prior"] = finite(logit_of(leaves.weights, leaves.room, action))
        logits_to_priors(tree, leaf, leaves.temperature)
    write_expected_payoffs(leaves.room.values, viewer, players, trees.payoffs[0])
    keep(tree, leaf, trees.payoffs[0], players)
    return True


@jit
def finite(number: float) -> float:
    """The number, 0 for one that is not a number, and a very large one for an infinite one."""
    return 0.0 if number != number else min(max(number, -LARGEST), LARGEST)


@jit
def logits_to_priors(tree: Tree, index: int, temperature: float) -> None:
    """Turn the logits that the actions below a node have as priors into probabilities."""
    node = tree.nodes[index]
    actions = range(node["first"], node["first"] + node["children"])
    highest = -math.inf
    for child in actions:
        highest = max(highest, tree.nodes[child]["prior"])
    total = 0.0
    for child in actions:
        weight = math.exp((tree.nodes[child]["prior"] - highest) / temperature)
        tree.nodes[child]["prior"] = weight
        total += weight
    for child in actions:
        tree.nodes[child]["prior"] /= total
    node["tried"] = node["children"]


@jit
def write_expected_payoffs(outputs: np.ndarray, viewer: int, players: int, payoffs: np.ndarray) -> None:
    """Write the payoff of each seat from the outputs of a network's value layers, see `Shape.values`."""
    highest = -math.inf
    for step in range(players):
        highest = max(highest, finite(outputs[1 + step]))
    total = 0.0
    for step in range(players):
        total += math.exp(finite(outputs[1 + step]) - highest)
    for step in range(players):
        share = math.exp(finite(outputs[1 + step]) - highest) / total
        payoffs[(viewer + step) % players] = (players * share - 1.0) / (players - 1.0)


@jit
def keep(tree: Tree, leaf: int, payoffs: np.ndarray, players: int) -> None:
    """Add an evaluation along the path of a leaf; that of the root is kept by itself and counts no visit."""
    if leaf == ROOT:
        for seat in range(players):
            tree.own[seat] = payoffs[seat]
    else:
        back_up(tree, leaf, payoffs, players)


@jit
def ask_outside(leaves: OutsideLeaves, trees: Trees, row: int, leaf: int) -> bool:
    """Let a leaf wait for `add_evaluations`."""
    if trees.games[row]["phase"] == OVER:
        finish(trees, row, leaf, leaves.margin)
        return True
    trees.leaves[row] = leaf
    return False


evaluate_leaf = by_class({PlayoutLeaves: play_leaf_out, NetworkLeaves: ask_network, OutsideLeaves: ask_outside})
"""`evaluate_leaf(leaves, trees, row, leaf)`: evaluate where the walk has ended; False if it waits for that."""


@jit
def evaluate_roots(leaves: NetworkLeaves, trees: Trees, rows: int) -> None:
    """Evaluate the roots of the first rows."""
    trees, leaves = borrowed(trees), borrowed_network(leaves)
    for row in range(rows):
        ask_network(leaves, trees, row, ROOT)


@jit
def add_evaluations(
    trees: Trees, waiting: np.ndarray, priors: np.ndarray, values: np.ndarray, temperature: float
) -> None:
    """Give each waiting row's leaf its actions with their priors, and add the values along its path.

    Args:
        trees: The searches.
        waiting: The rows.
        priors: (waiting rows, 184), at least 0; those of a row need not sum to 1.
        values: (waiting rows, players).
        temperature: Of the priors.
    """
    trees = borrowed(trees)
    power = 1.0 / temperature
    for place in range(waiting.size):
        row = waiting[place]
        tree = tree_in(trees, row)
        leaf = trees.leaves[row]
        node = tree.nodes[leaf]
        if expand(tree, leaf, trees.games[row], trees.streams[row]):
            total = 0.0
            for child in range(node["first"], node["first"] + node["children"]):
                total += priors[place, tree.nodes[child]["action"]] ** power
            for child in range(node["first"], node["first"] + node["children"]):
                if total > 0.0:
                    tree.nodes[child]["prior"] = priors[place, tree.nodes[child]["action"]] ** power / total
                else:
                    tree.nodes[child]["prior"] = 1.0 / node["children"]
            node["tried"] = node["children"]
        keep(tree, leaf, values[place], values.shape[1])
