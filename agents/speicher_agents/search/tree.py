"""The memory of searches: trees of actions and of what chance brings.

A node below the root stands for an action of the seat that decides at its parent, or for what chance brought after
one. It holds the payoffs of every seat, summed over all iterations that went through it.

Several searches grow side by side, each in a row of its own. All memory is made beforehand. A tree that is full grows
no further; the iterations continue from its leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.determinize import begin_stream, conceal_root
from speicher_env._machine import borrow
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, STATE
from speicher_env.rules.stream import below

__all__ = [
    "CONSIDERED", "IN_PHASE", "MOST_NODES", "PLANNED", "ROOT", "Tree", "Trees", "back_up", "begin_searches", "borrowed",
    "expand", "make_trees", "outcome_child", "room", "tree_in",
]  # fmt: skip

ROOT = 0
MOST_NODES = 1 << 21
"""150 MB, of which the system takes as much as is used."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_TOP = np.uint64(20)
NODE = np.dtype(
    [
        ("value", np.float64, (MAX_PLAYERS,)),  # payoffs of each seat, summed over the visits
        ("key", np.uint64),  # of what chance brought, see `determinize.outcome_key`; 0 where an action did
        ("first", np.int32),  # index of the first of the actions below, which lie side by side
        ("parent", np.int32),  # EMPTY for the root
        ("visits", np.int32),  # iterations that went through
        ("prior", np.float32),  # probability that an evaluator or a player gave the action, 0 without either
        ("children", np.int16),  # number of actions below; 0 in a leaf, and where chance follows
        ("tried", np.int16),  # of these actions, the first ones that have been visited
        ("action", np.int16),  # 0..183, EMPTY for the root and for what chance brought
        ("seat", np.int8),  # the seat that chooses among the actions below; EMPTY in a leaf
    ],
    align=True,
)
# Places in `Trees.halving`.
CONSIDERED, IN_PHASE, PLANNED = 0, 1, 2


class Tree(NamedTuple):
    """The memory of one search, a row of `Trees`."""

    nodes: np.ndarray
    """(capacity,) NODE."""
    outcomes: np.ndarray
    """(a power of two,) int32: hash table of the nodes that chance brought, 0 if free; at most half of it is used."""
    used: np.ndarray
    """(2,) int64: nodes in use, and how many of them chance brought."""
    own: np.ndarray
    """(5,) float64: what the root was evaluated to, for each seat."""
    noise: np.ndarray
    """(184,) float32: what is added to the logarithm of each root action's prior."""
    candidates: np.ndarray
    """(184,) int32: the nodes of the root's actions that sequential halving considers, the best so far first."""
    halving: np.ndarray
    """(3,) int64: candidates still considered, iterations in this phase, iterations planned in all."""


class Trees(NamedTuple):
    """The memory of searches side by side, a row each; see `Tree`."""

    nodes: np.ndarray
    outcomes: np.ndarray
    used: np.ndarray
    own: np.ndarray
    noise: np.ndarray
    candidates: np.ndarray
    halving: np.ndarray
    roots: np.ndarray
    """(rows,) STATE, concealed."""
    games: np.ndarray
    """(rows,) STATE: the games of the running iterations."""
    streams: np.ndarray
    """(rows, 4) int64: the random numbers of each search."""
    futures: np.ndarray
    """(rows,) int64: the seed of the supplies that root actions share."""
    leaves: np.ndarray
    """(rows,) int64: the node that waits to be evaluated from outside, EMPTY for none."""
    left: np.ndarray
    """(rows,) int64: iterations that are still to begin."""
    payoffs: np.ndarray
    """(2, 5) float64: see `playouts.write_payoffs`."""


def outcome_slots(capacity: int) -> int:
    """Slots of the hash table for a tree of that many nodes, of which chance brings a quarter at the very most."""
    return 1 << (capacity // 2).bit_length()


def room(iterations: int, nodes_per_iteration: int, least: int) -> int:
    """Nodes to make room for."""
    return min(max(nodes_per_iteration * iterations, least), MOST_NODES)


def make_trees(rows: int, capacity: int) -> Trees:
    """Room for some trees with that many nodes each. Memory is taken as nodes come into use."""
    return Trees(
        nodes=np.zeros((rows, capacity), dtype=NODE),
        outcomes=np.zeros((rows, outcome_slots(capacity)), dtype=np.int32),
        used=np.zeros((rows, 2), dtype=np.int64),
        own=np.zeros((rows, MAX_PLAYERS)),
        noise=np.zeros((rows, N_ACTIONS), dtype=np.float32),
        candidates=np.zeros((rows, N_ACTIONS), dtype=np.int32),
        halving=np.zeros((rows, 3), dtype=np.int64),
        roots=np.zeros(rows, dtype=STATE),
        games=np.zeros(rows, dtype=STATE),
        streams=np.zeros((rows, 4), dtype=np.int64),
        futures=np.zeros(rows, dtype=np.int64),
        leaves=np.full(rows, EMPTY, dtype=np.int64),
        left=np.zeros(rows, dtype=np.int64),
        payoffs=np.zeros((2, MAX_PLAYERS)),
    )


@jit
def borrowed(trees: Trees) -> Trees:
    """The same trees without reference counts, see `borrow`."""
    return Trees(
        borrow(trees.nodes), borrow(trees.outcomes), borrow(trees.used), borrow(trees.own), borrow(trees.noise),
        borrow(trees.candidates), borrow(trees.halving), borrow(trees.roots), borrow(trees.games),
        borrow(trees.streams), borrow(trees.futures), borrow(trees.leaves), borrow(trees.left), borrow(trees.payoffs),
    )  # fmt: skip


@jit
def tree_in(trees: Trees, row: int) -> Tree:
    """One row as a tree."""
    return Tree(
        trees.nodes[row], trees.outcomes[row], trees.used[row], trees.own[row], trees.noise[row],
        trees.candidates[row], trees.halving[row],
    )  # fmt: skip


@jit
def begin_searches(trees: Trees, states: np.ndarray, seed: np.uint64) -> None:
    """Begin a search from each state; every root waits to be evaluated."""
    trees = borrowed(trees)
    for row in range(states.size):
        roots = trees.roots[row : row + 1]
        roots[0] = states[row]
        conceal_root(roots)
        begin_stream(roots, seed, trees.streams[row])
        trees.futures[row] = trees.streams[row, 0] ^ (trees.streams[row, 1] << 31)
        clear_tree(tree_in(trees, row))
        trees.games[row] = roots[0]
        trees.leaves[row] = ROOT


@jit
def blank_node(node: np.void, parent: int, action: int) -> None:
    """A node that has not been visited."""
    for seat in range(MAX_PLAYERS):
        node["value"][seat] = 0.0
    node["key"] = 0
    node["first"] = 0
    node["parent"] = parent
    node["visits"] = 0
    node["prior"] = 0.0
    node["children"] = 0
    node["tried"] = 0
    node["action"] = action
    node["seat"] = EMPTY


@jit
def clear_tree(tree: Tree) -> None:
    """Only the root is left, as a leaf."""
    tree.outcomes[:] = 0
    tree.used[0] = 1
    tree.used[1] = 0
    blank_node(tree.nodes[ROOT], EMPTY, EMPTY)


@jit
def expand(tree: Tree, index: int, game: np.void, stream: np.ndarray) -> bool:
    """Add a node for each legal action, in random order, below a leaf; False if there is no room."""
    count = count_legal(game)
    first = tree.used[0]
    if first + count > tree.nodes.size:
        return False
    drawn = (stream[0], stream[1], stream[2], stream[3])
    for place in range(count):
        pick, drawn = below(drawn, place + 1)
        blank_node(tree.nodes[first + place], index, EMPTY)
        tree.nodes[first + place]["action"] = tree.nodes[first + pick]["action"]
        tree.nodes[first + pick]["action"] = nth_legal(game, place)
    stream[0], stream[1], stream[2], stream[3] = drawn
    node = tree.nodes[index]
    node["first"] = first
    node["children"] = count
    node["seat"] = game["player"]
    tree.used[0] = first + count
    return True


@jit
def outcome_child(tree: Tree, parent: int, key: np.uint64) -> int:
    """The node below `parent` for what chance brought, made if it is new; EMPTY if there is no room."""
    mask = tree.outcomes.size - 1
    slot = np.int64((key + np.uint64(parent) * _SPREAD) >> _TOP) & mask
    while tree.outcomes[slot] != 0:
        node = tree.nodes[tree.outcomes[slot]]
        if node["parent"] == parent and node["key"] == key:
            return tree.outcomes[slot]
        slot = (slot + 1) & mask
    index = tree.used[0]
    if index == tree.nodes.size or 2 * tree.used[1] == tree.outcomes.size:
        return EMPTY
    blank_node(tree.nodes[index], parent, EMPTY)
    tree.nodes[index]["key"] = key
    tree.outcomes[slot] = index
    tree.used[0] = index + 1
    tree.used[1] += 1
    return index


@jit
def back_up(tree: Tree, index: int, payoffs: np.ndarray, players: int) -> None:
    """Add one visit and its payoffs to a node and to all above it."""
    while index != EMPTY:
        node = tree.nodes[index]
        node["visits"] += 1
        for seat in range(players):
            node["value"][seat] += payoffs[seat]
        index = node["parent"]
