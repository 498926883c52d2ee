"""The walk through a tree: max^n with chance.

Each iteration draws every supply that it meets, as `Game.next_supply` describes it: where an action ends a round and
new cards are dealt, the walk continues in the child for exactly these cards. So no seat ever chooses by the average
over cards that it would see, and with enough iterations the values approach those of the true game.
"""

from __future__ import annotations

from typing import NamedTuple

from speicher_agents.search._jit import jit
from speicher_agents.search.determinize import draw_future, draw_next_supply, outcome_key
from speicher_agents.search.leaves import Leaves, borrowed_leaves, evaluate_leaf, may_descend, stops_before_chance
from speicher_agents.search.selection import Selection, select
from speicher_agents.search.tree import ROOT, Trees, borrowed, outcome_child, tree_in
from speicher_env.rules.state import EMPTY, OVER
from speicher_env.rules.turn import apply

__all__ = ["Rules", "grow"]


class Rules(NamedTuple):
    """How a walk chooses its way."""

    root: Selection
    """At the root."""
    below: Selection
    """At every other node."""
    futures: int
    """How many supplies the root's actions share, the same for each of them in turn; 0 draws one for each iteration."""


@jit
def walk(trees: Trees, row: int, rules: Rules, leaves: Leaves) -> int:
    """Walk from the root of a row to a leaf, or to the end of the game; the row's game is played alongside.

    Returns:
        The node where the walk has ended.
    """
    tree, game, stream = tree_in(trees, row), trees.games[row], trees.streams[row]
    trees.games[row] = trees.roots[row]
    index = ROOT
    if rules.futures == 0:
        draw_next_supply(game, stream)
    while tree.nodes[index]["children"] > 0 or may_descend(leaves, tree, index, game, stream):
        if index == ROOT:
            index = select(rules.root, tree, index)
            if rules.futures > 0:
                draw_future(game, trees.futures[row] + tree.nodes[index]["visits"] % rules.futures)
        else:
            index = select(rules.below, tree, index)
        pile_next = game["pile_next"]
        apply(game, int(tree.nodes[index]["action"]))
        if game["phase"] == OVER:
            return index
        if game["pile_next"] != pile_next:
            if stops_before_chance(leaves, tree, index):
                return index
            outcome = outcome_child(tree, index, outcome_key(game))
            if outcome == EMPTY:
                return index
            index = outcome
            draw_next_supply(game, stream)
    return index


@jit
def grow(trees: Trees, rows: int, rules: Rules, leaves: Leaves) -> int:
    """Let every row iterate until none of its iterations is left, or it has a leaf to be evaluated from outside.

    Returns:
        How many rows wait with a leaf.
    """
    trees, leaves = borrowed(trees), borrowed_leaves(leaves)
    waiting = 0
    for row in range(rows):
        trees.leaves[row] = EMPTY
        while trees.left[row] > 0:
            trees.left[row] -= 1
            leaf = walk(trees, row, rules, leaves)
            if not evaluate_leaf(leaves, trees, row, leaf):
                waiting += 1
                break
    return waiting
