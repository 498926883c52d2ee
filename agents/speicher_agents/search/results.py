"""What searches have found: the action to play, a report, and targets to learn from."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import by_class, jit
from speicher_agents.search.report import SearchReport
from speicher_agents.search.selection import (
    ByPrior,
    Halving,
    Selection,
    UpperBounds,
    best_at_root,
    best_child,
    completed_value,
    sharpness,
    write_mixed_values,
)
from speicher_agents.search.tree import ROOT, Tree, Trees, borrowed, tree_in
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import MAX_PLAYERS

__all__ = ["SearchTargets", "best_action", "report_on", "targets_of", "write_preferences"]


class SearchTargets(NamedTuple):
    """What a network may learn from searches of some positions, a row for each."""

    actions: np.ndarray
    """(rows,) int64: the action that the search plays."""
    policy: np.ndarray
    """(rows, 184) float32: the improved policy; the sum of each row is 1, and only legal actions are above 0."""
    values: np.ndarray
    """(rows, players) float32, -1..1: the payoff of each seat by that policy; column k is seat k."""
    visits: np.ndarray
    """(rows, 184) int32: iterations that began with each action."""


@jit
def best_action(root: Selection, trees: Trees, row: int) -> int:
    """The action that the search of a row plays."""
    tree = tree_in(trees, row)
    return int(tree.nodes[best_at_root(root, tree)]["action"])


@jit
def write_improved_policy(tree: Tree, factor: float, policy: np.ndarray, values: np.ndarray) -> None:
    """Write the priors of the root's actions times the exponentials of their values, and the payoffs by that policy.

    Args:
        tree: A search.
        factor: How much a payoff of 1 adds to a logit.
        policy: Filled: a number for each child of the root.
        values: Filled: a number for each seat.
    """
    root = tree.nodes[ROOT]
    mixed = np.empty(MAX_PLAYERS)
    write_mixed_values(tree, mixed)
    highest = -math.inf
    for number in range(root["children"]):
        value = completed_value(tree, root["first"] + number, root["seat"], mixed)
        highest = max(highest, value)
    total = 0.0
    for number in range(root["children"]):
        place = root["first"] + number
        value = completed_value(tree, place, root["seat"], mixed)
        policy[number] = tree.nodes[place]["prior"] * math.exp(factor * (value - highest))
        total += policy[number]
    values[:] = 0.0
    for number in range(root["children"]):
        policy[number] = policy[number] / total if total > 0.0 else 1.0 / root["children"]
        for seat in range(values.size):
            values[seat] += policy[number] * completed_value(tree, root["first"] + number, seat, mixed)


@jit
def write_visit_shares(rule: UpperBounds | ByPrior, tree: Tree, preferences: np.ndarray) -> None:
    """Write the share of the visits that each of the root's actions has."""
    root = tree.nodes[ROOT]
    total = 0
    for place in range(root["first"], root["first"] + root["children"]):
        total += tree.nodes[place]["visits"]
    for number in range(root["children"]):
        visits = tree.nodes[root["first"] + number]["visits"]
        preferences[number] = visits / total if total > 0 else 1.0 / root["children"]


@jit
def write_improved_chances(rule: Halving, tree: Tree, preferences: np.ndarray) -> None:
    """Write the improved policy; visits tell little, as sequential halving shares them out evenly."""
    write_improved_policy(tree, sharpness(tree, rule.scale), preferences, np.empty(MAX_PLAYERS))


write_preferences = by_class(
    {UpperBounds: write_visit_shares, ByPrior: write_visit_shares, Halving: write_improved_chances}
)
"""`write_preferences(rule, tree, preferences)`: how much a search prefers each of the root's actions; the sum is 1."""


@jit
def preferences_in(root: Selection, trees: Trees, row: int, preferences: np.ndarray) -> None:
    """Write the preferences of the search of a row."""
    write_preferences(root, tree_in(trees, row), preferences)


@jit
def write_targets(
    root: Selection,
    scale: float,
    trees: Trees,
    actions: np.ndarray,
    policies: np.ndarray,
    values: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Write the arrays of `SearchTargets` for the first rows."""
    trees = borrowed(trees)
    policy = np.empty(N_ACTIONS)
    for row in range(actions.size):
        tree = tree_in(trees, row)
        actions[row] = tree.nodes[best_at_root(root, tree)]["action"]
        write_improved_policy(tree, sharpness(tree, scale), policy, values[row])
        top = tree.nodes[ROOT]
        for number in range(top["children"]):
            child = tree.nodes[top["first"] + number]
            policies[row, child["action"]] = policy[number]
            counts[row, child["action"]] = child["visits"]


def targets_of(root: Selection, scale: float, trees: Trees, rows: int, players: int) -> SearchTargets:
    """What the searches of the first rows have found."""
    found = SearchTargets(
        np.empty(rows, np.int64), np.zeros((rows, N_ACTIONS), np.float32), np.empty((rows, players), np.float32),
        np.zeros((rows, N_ACTIONS), np.int32),
    )  # fmt: skip
    write_targets(root, scale, trees, *found)
    return found


def report_on(root: Selection, trees: Trees, row: int) -> SearchReport:
    """What the search of a row found."""
    tree = tree_in(trees, row)
    nodes, players = tree.nodes, int(trees.roots[row]["players"])
    top = nodes[ROOT]
    below = nodes[top["first"] : top["first"] + top["children"]]
    preferences = np.empty(len(below))
    preferences_in(root, trees, row, preferences)
    order = np.argsort(below["action"])
    below, preferences = below[order], preferences[order]
    visits = below["visits"].astype(np.int64)
    with np.errstate(invalid="ignore"):
        values = below["value"][:, :players] / visits[:, None]
    index = best_at_root(root, tree)
    line = []
    while nodes["visits"][index] > 0:
        line.append(int(nodes["action"][index]))
        if not nodes["tried"][index]:
            break
        index = best_child(tree, index)
    actions = tuple(below["action"].tolist())
    return SearchReport(int(top["seat"]), actions, visits, values, preferences, line[0], tuple(line))
