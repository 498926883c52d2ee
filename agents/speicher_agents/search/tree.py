"""The tree of a search, and the walk through it: max^n with chance.

A node below the root stands for an action of the seat that decides at its parent, or for what chance brought after
one. It holds the payoffs of every seat, summed over all iterations that went through it, and each seat chooses by its
own. Chance is drawn anew in each iteration, before the walk: where an action ends a round and new cards are
laid out, the walk goes on in the child for exactly these cards. So no seat ever chooses by the average over cards that
it would see, and with enough iterations the values approach those of the true game.

All memory is made beforehand. A tree that is full grows no further; the iterations go on from its leaves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.determinize import outcome_key, redeal_concealed
from speicher_agents.search.playouts import Choose, play_out, write_payoffs
from speicher_agents.search.report import SearchReport
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, OVER, STATE
from speicher_env.rules.stream import below
from speicher_env.rules.turn import apply

ROOT = 0
LEAST_NODES = 4096
MOST_NODES = 1 << 21
"""170 MB, and as much as is used of it is taken."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_TOP = np.uint64(20)
NODE = np.dtype(
    [
        ("value", np.float64, (MAX_PLAYERS,)),  # payoffs of each seat, summed over the visits
        ("key", np.uint64),  # of what chance brought, see `chance.outcome_key`; 0 where an action did
        ("first", np.int32),  # index of the first of the actions below, which lie side by side
        ("parent", np.int32),  # EMPTY for the root
        ("visits", np.int32),  # iterations that went through
        ("prior", np.float32),  # probability that an evaluator or a player gave the action, 0 without either
        ("children", np.int16),  # number of actions below; 0 in a leaf, and where chance follows
        ("tried", np.int16),  # of these actions, the first ones that have been visited
        ("action", np.int16),  # 0..183, EMPTY for the root and for what chance brought
        ("seat", np.int8),  # who chooses among the actions below; EMPTY in a leaf
    ],
    align=True,
)


class Tree(NamedTuple):
    """The memory of one search."""

    nodes: np.ndarray
    """(capacity,) NODE."""
    outcomes: np.ndarray
    """(a power of two,) int32: hash table of the nodes that chance brought, 0 if free; at most half of it is used."""
    used: np.ndarray
    """(2,) int64: nodes in use, and how many of them chance brought."""
    game: np.ndarray
    """(1,) STATE: the game of the running iteration."""
    payoffs: np.ndarray
    """(2, 5) float64: see `playout.write_payoffs`."""


def outcome_slots(capacity: int) -> int:
    """Slots of the hash table for a tree of so many nodes, of which chance brings a quarter at the very most."""
    return 1 << (capacity // 2).bit_length()


def room(iterations: int | None, nodes_per_iteration: int) -> int:
    """Nodes to make room for, None where the number of iterations is not known."""
    if iterations is None:
        return MOST_NODES
    return min(max(nodes_per_iteration * iterations, LEAST_NODES), MOST_NODES)


def make_tree(capacity: int) -> Tree:
    """A tree with room for so many nodes. Memory is taken as nodes come into use."""
    return Tree(
        nodes=np.zeros(capacity, dtype=NODE),
        outcomes=np.zeros(outcome_slots(capacity), dtype=np.int32),
        used=np.zeros(2, dtype=np.int64),
        game=np.zeros(1, dtype=STATE),
        payoffs=np.zeros((2, MAX_PLAYERS)),
    )


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
def choose_child(tree: Tree, index: int, c: float) -> int:
    """The action to follow: each once, then the one with the highest upper confidence bound for the deciding seat."""
    node = tree.nodes[index]
    first = node["first"]
    if node["tried"] < node["children"]:
        node["tried"] += 1
        return first + node["tried"] - 1
    seat = node["seat"]
    spread = c * math.sqrt(math.log(node["visits"]))
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
def choose_by_prior(tree: Tree, index: int, c: float) -> int:
    """The action with the best sum of its mean and of what its prior still promises (PUCT).

    An action not tried counts with the mean of its parent.
    """
    node = tree.nodes[index]
    seat = node["seat"]
    visits = node["visits"]
    parent_mean = node["value"][seat] / visits if visits > 0 else 0.0
    spread = c * math.sqrt(visits + 1.0)
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


@jit
def trust_one(tree: Tree, index: int, trusted: int, trust: float) -> None:
    """Give the new actions below a node their priors: a part `trust` to one of them, the rest to all alike."""
    node = tree.nodes[index]
    for child in range(node["first"], node["first"] + node["children"]):
        tree.nodes[child]["prior"] = (1.0 - trust) / node["children"]
        if tree.nodes[child]["action"] == trusted:
            tree.nodes[child]["prior"] += trust
    node["tried"] = node["children"]


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
def descend(
    tree: Tree, game: np.void, c: float, stream: np.ndarray, prior: Choose, prior_code: int, trust: float
) -> int:
    """Walk from the root to a node that has not been visited, or to the end of the game; plays `game` on alongside.

    Where `prior` is a player, its choice gets the prior `trust` wherever actions are added, and priors guide the walk.
    """
    index = ROOT
    while True:
        node = tree.nodes[index]
        if node["children"] == 0:
            if index != ROOT and node["visits"] == 0:
                return index
            if not expand(tree, index, game, stream):
                return index
            if prior is not None:
                trust_one(tree, index, prior(game, prior_code, stream), trust)
        index = choose_child(tree, index, c) if prior is None else choose_by_prior(tree, index, c)
        pile_next = game["pile_next"]
        apply(game, np.int64(tree.nodes[index]["action"]))
        if game["phase"] == OVER:
            return index
        if game["pile_next"] != pile_next:
            if tree.nodes[index]["visits"] == 0:
                return index
            outcome = outcome_child(tree, index, outcome_key(game))
            if outcome == EMPTY:
                return index
            index = outcome


@jit
def back_up(tree: Tree, index: int, payoffs: np.ndarray, players: int) -> None:
    """Add one visit and its payoffs to a node and to all above it."""
    while index != EMPTY:
        node = tree.nodes[index]
        node["visits"] += 1
        for seat in range(players):
            node["value"][seat] += payoffs[seat]
        index = node["parent"]


@jit
def iterate(
    tree: Tree,
    roots: np.ndarray,
    stream: np.ndarray,
    iterations: int,
    c: float,
    margin: float,
    choose: Choose,
    code: int,
    prior: Choose,
    prior_code: int,
    trust: float,
) -> None:
    """Grow the tree of the concealed game roots[0] by some iterations."""
    game = tree.game[0]
    for _ in range(iterations):
        tree.game[0] = roots[0]
        redeal_concealed(game, stream)
        leaf = descend(tree, game, c, stream, prior, prior_code, trust)
        play_out(game, choose, code, stream)
        write_payoffs(game, margin, tree.payoffs)
        back_up(tree, leaf, tree.payoffs[0], game["players"])


@jit
def best_child(tree: Tree, index: int) -> int:
    """The most visited action below a node; among equals the one with the better mean for who decides, then by id."""
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


def report_on(tree: Tree, players: int) -> SearchReport:
    """What the tree says about its root."""
    nodes = tree.nodes
    root = nodes[ROOT]
    below = nodes[root["first"] : root["first"] + root["children"]]
    below = below[np.argsort(below["action"])]
    visits = below["visits"].astype(np.int64)
    with np.errstate(invalid="ignore"):
        values = below["value"][:, :players] / visits[:, None]
    line = []
    index = ROOT
    while nodes["tried"][index]:
        index = best_child(tree, index)
        if nodes["visits"][index] == 0:
            break
        line.append(int(nodes["action"][index]))
    return SearchReport(int(root["seat"]), tuple(below["action"].tolist()), visits, values, line[0], tuple(line))
