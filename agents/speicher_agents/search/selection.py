"""Which action a walk follows, and which one the search plays in the end.

Each rule is a named tuple with its settings. Every seat chooses by its own payoffs (max^n).

- `UpperBounds`: each action once, then the one with the highest upper confidence bound (UCB1).
- `ByPrior`: the mean, and what the prior still promises (PUCT).
- `Halving`: for the root, sequential halving over a sample of the actions, from
  Danihelka et al., "Policy improvement by planning with Gumbel" (2022).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import by_class, jit
from speicher_agents.search.tree import CONSIDERED, IN_PHASE, PLANNED, ROOT, Tree, Trees, borrowed, tree_in
from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.rules.stream import draw

__all__ = [
    "ByPrior", "Halving", "Selection", "UpperBounds", "begin_halving", "best_at_root", "best_child",
    "completed_value", "select", "sharpness", "write_mixed_values",
]  # fmt: skip

TINY = 1e-30
"""The least prior that a logarithm is taken of."""
VISITS = 50.0
"""What is added to the most visits of an action before they are multiplied by a scale."""


class UpperBounds(NamedTuple):
    """UCB1."""

    c: float
    """Exploration."""


class ByPrior(NamedTuple):
    """PUCT."""

    c: float
    """Exploration."""


class Halving(NamedTuple):
    """Sequential halving at the root; the score of an action is its logit with its noise and its scaled value."""

    considered: int
    """Actions that are considered at first."""
    scale: float
    """See `sharpness`."""


Selection = UpperBounds | ByPrior | Halving


@jit
def highest_bound(rule: UpperBounds, tree: Tree, index: int) -> int:
    """Each action once, then the one with the highest upper confidence bound for the deciding seat."""
    node = tree.nodes[index]
    first = node["first"]
    if node["tried"] < node["children"]:
        node["tried"] += 1
        return first + node["tried"] - 1
    seat = node["seat"]
    spread = rule.c * math.sqrt(math.log(node["visits"]))
    best = first
    highest = -math.inf
    for child in range(first, first + node["children"]):
        visits = tree.nodes[child]["visits"]
        bound = tree.nodes[child]["value"][seat] / visits + spread / math.sqrt(visits)
        if bound > highest:
            highest = bound
            best = child
    return best


@jit
def highest_promise(rule: ByPrior, tree: Tree, index: int) -> int:
    """The action with the best sum of its mean and of what its prior still promises.

    An action not tried counts with the mean of its parent.
    """
    node = tree.nodes[index]
    seat = node["seat"]
    visits = node["visits"]
    parent_mean = node["value"][seat] / visits if visits > 0 else 0.0
    spread = rule.c * math.sqrt(visits + 1.0)
    best = node["first"]
    highest = -math.inf
    for place in range(node["first"], node["first"] + node["children"]):
        child = tree.nodes[place]
        mean = child["value"][seat] / child["visits"] if child["visits"] > 0 else parent_mean
        bound = mean + spread * child["prior"] / (1.0 + child["visits"])
        if bound > highest:
            highest = bound
            best = place
    return best


# Sequential halving at the root


@jit
def begin_halving(trees: Trees, rows: int, rule: Halving, noise: bool) -> None:
    """Choose the actions that are considered at each root, which must have been evaluated.

    With noise from the Gumbel distribution they are a sample by the prior without replacement, without it the actions
    of the highest priors.
    """
    trees = borrowed(trees)
    for row in range(rows):
        tree = tree_in(trees, row)
        root = tree.nodes[ROOT]
        stream = (trees.streams[row, 0], trees.streams[row, 1], trees.streams[row, 2], trees.streams[row, 3])
        for place in range(root["children"]):
            tree.candidates[place] = root["first"] + place
            tree.noise[place] = 0.0
            if noise:
                bits, stream = draw(stream)
                tree.noise[place] = -math.log(-math.log((bits + 0.5) / 4294967296.0))
        trees.streams[row, 0], trees.streams[row, 1], trees.streams[row, 2], trees.streams[row, 3] = stream
        rank_candidates(tree, rule, root["children"])
        tree.halving[CONSIDERED] = min(rule.considered, root["children"])
        tree.halving[IN_PHASE] = 0


@jit
def next_candidate(rule: Halving, tree: Tree, index: int) -> int:
    """The candidates in turn; after each phase only the better half of them is considered further, down to two."""
    considered = tree.halving[CONSIDERED]
    if considered > 2 and tree.halving[IN_PHASE] >= phase_length(rule, tree):
        rank_candidates(tree, rule, considered)
        considered = max(2, considered // 2)
        tree.halving[CONSIDERED] = considered
        tree.halving[IN_PHASE] = 0
    turn = tree.halving[IN_PHASE] % considered
    tree.halving[IN_PHASE] += 1
    return tree.candidates[turn]


@jit
def phase_length(rule: Halving, tree: Tree) -> int:
    """Iterations of the phase: an equal part of those planned, rounded to as many for each action considered."""
    phases = 0
    left = min(rule.considered, tree.nodes[ROOT]["children"])
    while left > 1:
        left = (left + 1) // 2
        phases += 1
    considered = tree.halving[CONSIDERED]
    return max(1, tree.halving[PLANNED] // (phases * considered)) * considered


@jit
def write_mixed_values(tree: Tree, values: np.ndarray) -> None:
    """Write what an action at the root counts as that was not tried, for each seat.

    That is the root's own evaluation, and the mean of the actions tried, each by its prior.
    """
    root = tree.nodes[ROOT]
    visits = 0
    total = 0.0
    values[:] = 0.0
    for place in range(root["first"], root["first"] + root["children"]):
        child = tree.nodes[place]
        if child["visits"] > 0:
            visits += child["visits"]
            prior = max(child["prior"], TINY)
            total += prior
            for seat in range(values.size):
                values[seat] += prior * child["value"][seat] / child["visits"]
    for seat in range(values.size):
        tried = visits * values[seat] / total if visits > 0 else 0.0
        values[seat] = (tree.own[seat] + tried) / (1.0 + visits)


@jit
def completed_value(tree: Tree, place: int, seat: int, mixed: np.ndarray) -> float:
    """The mean payoff of a seat after an action at the root; the mixed one if it was not tried."""
    child = tree.nodes[place]
    return child["value"][seat] / child["visits"] if child["visits"] > 0 else mixed[seat]


@jit
def sharpness(tree: Tree, scale: float) -> float:
    """How much a payoff of 1 adds to the logit of an action at the root: the more, the more its actions were tried."""
    return (VISITS + most_visits(tree)) * scale


@jit
def most_visits(tree: Tree) -> int:
    """Visits of the action at the root that has most."""
    root = tree.nodes[ROOT]
    most = 0
    for place in range(root["first"], root["first"] + root["children"]):
        most = max(most, tree.nodes[place]["visits"])
    return most


@jit
def write_scores(tree: Tree, rule: Halving, scores: np.ndarray) -> None:
    """Write what the root's actions are compared by: logit, noise and scaled value of each."""
    root = tree.nodes[ROOT]
    mixed = np.empty(MAX_PLAYERS)
    write_mixed_values(tree, mixed)
    factor = sharpness(tree, rule.scale)
    for number in range(root["children"]):
        place = root["first"] + number
        value = completed_value(tree, place, root["seat"], mixed)
        scores[number] = math.log(max(tree.nodes[place]["prior"], TINY)) + tree.noise[number] + factor * value


@jit
def rank_candidates(tree: Tree, rule: Halving, count: int) -> None:
    """Sort the first candidates by their scores, the best first; among equals the lower id is first."""
    first = tree.nodes[ROOT]["first"]
    scores = np.empty(tree.nodes[ROOT]["children"])
    write_scores(tree, rule, scores)
    for end in range(1, count):
        moved = tree.candidates[end]
        place = end
        while place > 0 and comes_before(tree, scores, moved - first, tree.candidates[place - 1] - first):
            tree.candidates[place] = tree.candidates[place - 1]
            place -= 1
        tree.candidates[place] = moved


@jit
def comes_before(tree: Tree, scores: np.ndarray, one: int, other: int) -> bool:
    """Whether one of the root's actions has the higher score, or the same and the lower id."""
    if scores[one] != scores[other]:
        return bool(scores[one] > scores[other])
    first = tree.nodes[ROOT]["first"]
    return bool(tree.nodes[first + one]["action"] < tree.nodes[first + other]["action"])


select = by_class({UpperBounds: highest_bound, ByPrior: highest_promise, Halving: next_candidate})
"""`select(rule, tree, index)`: the node of the action to follow from a node."""


# The choice


@jit
def best_by_visits(rule: UpperBounds | ByPrior, tree: Tree) -> int:
    """The most visited action at the root."""
    return best_child(tree, ROOT)


@jit
def best_by_score(rule: Halving, tree: Tree) -> int:
    """The action with the highest score among those tried at the root, or among all if none was tried."""
    root = tree.nodes[ROOT]
    scores = np.empty(root["children"])
    write_scores(tree, rule, scores)
    needed = min(1, most_visits(tree))
    best = -1
    for number in range(root["children"]):
        if tree.nodes[root["first"] + number]["visits"] >= needed and (
            best < 0 or comes_before(tree, scores, number, best)
        ):
            best = number
    return int(root["first"] + best)


best_at_root = by_class({UpperBounds: best_by_visits, ByPrior: best_by_visits, Halving: best_by_score})
"""`best_at_root(rule, tree)`: the node of the action that the search plays."""


@jit
def best_child(tree: Tree, index: int) -> int:
    """The most visited action below a node; among equals the one with the better mean for its seat, then by id."""
    node = tree.nodes[index]
    first = node["first"]
    seat = node["seat"]
    best = first
    for place in range(first + 1, first + node["tried"]):
        child = tree.nodes[place]
        leader = tree.nodes[best]
        if child["visits"] != leader["visits"]:
            better = child["visits"] > leader["visits"]
        elif child["value"][seat] != leader["value"][seat]:
            better = child["value"][seat] > leader["value"][seat]
        else:
            better = child["action"] < leader["action"]
        if better:
            best = place
    return best
