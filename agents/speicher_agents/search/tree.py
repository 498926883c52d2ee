"""The trees of a search, and the walk through them: max^n with chance.

A node below the root stands for an action of the seat that decides at its parent, or for what chance brought after
one. It holds the payoffs of every seat, summed over all iterations that went through it, and each seat chooses by its
own. Each iteration draws every supply that it meets, as `Game.next_supply` describes it: where an action ends a round
and new cards are dealt, the walk continues in the child for exactly these cards. So no seat ever chooses by the average
over cards that it would see, and with enough iterations the values approach those of the true game.

Several searches grow side by side, each in a row of its own. A leaf is judged in one of two ways: at once, by a
playout, or by somebody outside, who is asked about the leaves of all rows together.

All memory is made beforehand. A tree that is full grows no further; the iterations continue from its leaves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.determinize import (
    begin_stream,
    conceal_root,
    draw_next_supply,
    outcome_key,
    redeal_concealed,
)
from speicher_agents.search.playouts import Choose, play_out, write_payoffs
from speicher_agents.search.report import SearchReport
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, OVER, STATE
from speicher_env.rules.stream import below
from speicher_env.rules.turn import apply

__all__ = [
    "ROOT", "Rules", "Trees", "add_judgement", "begin_searches", "best_action", "grow", "make_trees", "report_on",
    "room",
]  # fmt: skip

ROOT = 0
LEAST_NODES = 4096
MOST_NODES = 1 << 21
"""170 MB, of which the system takes as much as is used."""
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


class Tree(NamedTuple):
    """The memory of one search, a row of `Trees`."""

    nodes: np.ndarray
    """(capacity,) NODE."""
    outcomes: np.ndarray
    """(a power of two,) int32: hash table of the nodes that chance brought, 0 if free; at most half of it is used."""
    used: np.ndarray
    """(2,) int64: nodes in use, and how many of them chance brought."""


class Trees(NamedTuple):
    """The memory of searches side by side, a row each."""

    nodes: np.ndarray
    """(rows, capacity) NODE."""
    outcomes: np.ndarray
    """(rows, slots) int32."""
    used: np.ndarray
    """(rows, 2) int64."""
    roots: np.ndarray
    """(rows,) STATE, concealed."""
    games: np.ndarray
    """(rows,) STATE: the games of the running iterations."""
    streams: np.ndarray
    """(rows, 4) int64: the random numbers of each search."""
    leaves: np.ndarray
    """(rows,) int64: the node that waits to be judged from outside, EMPTY for none."""
    left: np.ndarray
    """(rows,) int64: iterations that are still to begin."""
    payoffs: np.ndarray
    """(2, 5) float64: see `playouts.write_payoffs`."""


class Rules(NamedTuple):
    """How a search grows its trees."""

    c: float
    """Exploration."""
    margin: float
    """The part (0..1) of points ahead in a payoff; the rest is the outcome."""
    by_prior: bool
    """Whether actions are chosen by their priors (`choose_by_prior`), else by `choose_child`."""
    outside: bool
    """Whether leaves are judged from outside, else by playouts."""


def outcome_slots(capacity: int) -> int:
    """Slots of the hash table for a tree of so many nodes, of which chance brings a quarter at the very most."""
    return 1 << (capacity // 2).bit_length()


def room(iterations: int | None, nodes_per_iteration: int) -> int:
    """Nodes to make room for, None where the number of iterations is not known."""
    if iterations is None:
        return MOST_NODES
    return min(max(nodes_per_iteration * iterations, LEAST_NODES), MOST_NODES)


def make_trees(rows: int, capacity: int) -> Trees:
    """Room for some trees with so many nodes each. Memory is taken as nodes come into use."""
    return Trees(
        nodes=np.zeros((rows, capacity), dtype=NODE),
        outcomes=np.zeros((rows, outcome_slots(capacity)), dtype=np.int32),
        used=np.zeros((rows, 2), dtype=np.int64),
        roots=np.zeros(rows, dtype=STATE),
        games=np.zeros(rows, dtype=STATE),
        streams=np.zeros((rows, 4), dtype=np.int64),
        leaves=np.full(rows, EMPTY, dtype=np.int64),
        left=np.zeros(rows, dtype=np.int64),
        payoffs=np.zeros((2, MAX_PLAYERS)),
    )


@jit
def tree_in(trees: Trees, row: int) -> Tree:
    """One row as a tree."""
    return Tree(trees.nodes[row], trees.outcomes[row], trees.used[row])


@jit
def begin_searches(trees: Trees, states: np.ndarray, seed: np.uint64) -> None:
    """Begin a search from each state; every root waits to be judged."""
    for row in range(states.size):
        roots = trees.roots[row : row + 1]
        roots[0] = states[row]
        conceal_root(roots)
        begin_stream(roots, seed, trees.streams[row])
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
def walk(
    tree: Tree, game: np.void, rules: Rules, stream: np.ndarray, prior: Choose, prior_code: int, trust: float
) -> int:
    """Walk from the root to a leaf, or to the end of the game; plays `game` alongside. The index of that node.

    A leaf that is judged from outside gets its actions then. With playouts a leaf gets them when the walk comes to it
    for the second time; if `prior` is a player, its choice among them gets the prior `trust`.
    """
    index = ROOT
    draw_next_supply(game, stream)
    while True:
        node = tree.nodes[index]
        if node["children"] == 0:
            if rules.outside or (index != ROOT and node["visits"] == 0):
                return index
            if not expand(tree, index, game, stream):
                return index
            if prior is not None:
                trust_one(tree, index, prior(game, prior_code, stream), trust)
        index = choose_by_prior(tree, index, rules.c) if rules.by_prior else choose_child(tree, index, rules.c)
        pile_next = game["pile_next"]
        apply(game, int(tree.nodes[index]["action"]))
        if game["phase"] == OVER:
            return index
        if game["pile_next"] != pile_next:
            if not rules.outside and tree.nodes[index]["visits"] == 0:
                return index
            outcome = outcome_child(tree, index, outcome_key(game))
            if outcome == EMPTY:
                return index
            index = outcome
            draw_next_supply(game, stream)


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
def grow(
    trees: Trees, rows: int, rules: Rules, choose: Choose, code: int, prior: Choose, prior_code: int, trust: float
) -> int:
    """Let every row iterate until it has a leaf to be judged from outside or no iterations left; how many have a leaf.

    Args:
        trees: The searches.
        rows: How many of them there are.
        rules: How they grow.
        choose: Who plays the playouts, with `code`; not asked where leaves are judged from outside.
        code: See `choose`.
        prior: Whose choice gets the prior `trust`, or None; with `prior_code`.
        prior_code: See `prior`.
        trust: See `prior`.
    """
    waiting = 0
    for row in range(rows):
        tree = tree_in(trees, row)
        game = trees.games[row]
        stream = trees.streams[row]
        trees.leaves[row] = EMPTY
        while trees.left[row] > 0:
            trees.left[row] -= 1
            trees.games[row] = trees.roots[row]
            leaf = walk(tree, game, rules, stream, prior, prior_code, trust)
            if rules.outside and game["phase"] != OVER:
                trees.leaves[row] = leaf
                waiting += 1
                break
            redeal_concealed(game, stream)
            play_out(game, choose, code, stream)
            write_payoffs(game, rules.margin, trees.payoffs)
            back_up(tree, leaf, trees.payoffs[0], game["players"])
    return waiting


@jit
def add_judgement(trees: Trees, judged: np.ndarray, priors: np.ndarray, values: np.ndarray, temperature: float) -> None:
    """Give each judged row's leaf its actions with their priors, and add the values along its path.

    The first judgement of a root is not an iteration: it counts no visit.
    """
    power = 1.0 / temperature
    for place in range(judged.size):
        row = judged[place]
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
        if leaf != ROOT:
            back_up(tree, leaf, values[place], values.shape[1])


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


@jit
def best_action(trees: Trees, row: int) -> int:
    """The action that the search of a row plays."""
    tree = tree_in(trees, row)
    return int(tree.nodes[best_child(tree, ROOT)]["action"])


def report_on(trees: Trees, row: int) -> SearchReport:
    """What the search of a row found."""
    tree = tree_in(trees, row)
    nodes, players = tree.nodes, int(trees.roots[row]["players"])
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
