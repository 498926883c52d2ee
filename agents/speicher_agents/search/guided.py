"""Tree search led by an evaluator: its priors say where to look, its values stand in for playouts.

The searches of many games go side by side: each walks to a leaf, all leaves are judged in one call, and each adds
what was said to its tree. Where to look follows PUCT, the rule of AlphaZero, with a value for each seat in place of
one number, and chance drawn anew in each iteration as in `tree`.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.determinize import begin_stream, conceal_root, outcome_key, redeal_concealed
from speicher_agents.search.evaluators import Evaluator
from speicher_agents.search.player import Position, Search, one_position
from speicher_agents.search.playouts import write_payoffs
from speicher_agents.search.report import SearchReport
from speicher_agents.search.tree import (
    NODE,
    ROOT,
    Tree,
    back_up,
    best_child,
    choose_by_prior,
    clear_tree,
    expand,
    outcome_child,
    outcome_slots,
    report_on,
    room,
)
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, OVER, STATE
from speicher_env.rules.turn import apply
from speicher_env.views import Views

ITERATIONS = 200
EXPLORATION = 1.5
NODES_PER_ITERATION = 24
"""Room in a tree; each leaf brings all its actions."""
ITERATIONS_IN_A_TIME = 8000
"""For how many a search with a time makes room."""


class Forest(NamedTuple):
    """The memory of searches side by side, a row each: that of a `Tree`, stacked."""

    nodes: np.ndarray
    outcomes: np.ndarray
    used: np.ndarray
    games: np.ndarray
    payoffs: np.ndarray
    roots: np.ndarray
    """(rows,) STATE, concealed."""
    streams: np.ndarray
    """(rows, 4) int64."""
    leaves: np.ndarray
    """(rows,) int64: the node that waits to be judged, EMPTY for none."""
    left: np.ndarray
    """(rows,) int64: iterations that are still to begin."""


def make_forest(rows: int, capacity: int) -> Forest:
    """Room for so many trees with so many nodes each."""
    return Forest(
        nodes=np.zeros((rows, capacity), dtype=NODE),
        outcomes=np.zeros((rows, outcome_slots(capacity)), dtype=np.int32),
        used=np.zeros((rows, 2), dtype=np.int64),
        games=np.zeros(rows, dtype=STATE),
        payoffs=np.zeros((rows, 2, MAX_PLAYERS)),
        roots=np.zeros(rows, dtype=STATE),
        streams=np.zeros((rows, 4), dtype=np.int64),
        leaves=np.full(rows, EMPTY, dtype=np.int64),
        left=np.zeros(rows, dtype=np.int64),
    )


@jit
def tree_in(forest: Forest, row: int) -> Tree:
    """One row as a tree."""
    return Tree(
        forest.nodes[row],
        forest.outcomes[row],
        forest.used[row],
        forest.games[row : row + 1],
        forest.payoffs[row],
    )


@jit
def begin_rows(forest: Forest, states: np.ndarray, seed: int) -> None:
    """Begin a search from each state; every root waits to be judged."""
    for row in range(states.size):
        roots = forest.roots[row : row + 1]
        roots[0] = states[row]
        conceal_root(roots)
        begin_stream(roots, seed, forest.streams[row])
        clear_tree(tree_in(forest, row))
        forest.games[row] = roots[0]
        forest.leaves[row] = ROOT


@jit
def walk(tree: Tree, game: np.void, c: float) -> int:
    """Walk from the root to a node that has not been judged, or to the end of the game."""
    index = ROOT
    while tree.nodes[index]["children"] > 0:
        index = choose_by_prior(tree, index, c)
        pile_next = game["pile_next"]
        apply(game, np.int64(tree.nodes[index]["action"]))
        if game["phase"] == OVER:
            return index
        if game["pile_next"] != pile_next:
            outcome = outcome_child(tree, index, outcome_key(game))
            if outcome == EMPTY:
                return index
            index = outcome
    return index


@jit
def walk_rows(forest: Forest, rows: int, c: float) -> int:
    """Let every row walk until it has a leaf to be judged or no iterations left; how many have a leaf.

    Ends of games need no judge: their payoffs are added at once.
    """
    waiting = 0
    for row in range(rows):
        tree = tree_in(forest, row)
        game = forest.games[row]
        forest.leaves[row] = EMPTY
        while forest.left[row] > 0 and forest.leaves[row] == EMPTY:
            forest.left[row] -= 1
            forest.games[row] = forest.roots[row]
            redeal_concealed(game, forest.streams[row])
            leaf = walk(tree, game, c)
            if game["phase"] == OVER:
                write_payoffs(game, 0.0, tree.payoffs)
                back_up(tree, leaf, tree.payoffs[0], game["players"])
            else:
                forest.leaves[row] = leaf
                waiting += 1
    return waiting


@jit
def add_judgement(
    forest: Forest, judged: np.ndarray, priors: np.ndarray, values: np.ndarray, temperature: float
) -> None:
    """Give each judged row's leaf its actions with their priors, and add the values along its path.

    The first judgement of a root is no iteration: it counts no visit.
    """
    power = 1.0 / temperature
    for place in range(judged.size):
        row = judged[place]
        tree = tree_in(forest, row)
        leaf = forest.leaves[row]
        node = tree.nodes[leaf]
        if expand(tree, leaf, forest.games[row], forest.streams[row]):
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


class GuidedSearch(Search):
    """A tree search that asks an evaluator at its leaves, for many games at once."""

    name = "guided"

    def __init__(
        self,
        evaluator: Evaluator,
        iterations: int | None = None,
        ms: float | None = None,
        c: float = EXPLORATION,
        padded: bool = False,
        seed: int = 0,
        clock: Clock = time.perf_counter,
        temperature: float = 1.0,
    ) -> None:
        """Make ready; memory is made with the first views.

        Args:
            evaluator: Judges leaves, see `Evaluator`.
            iterations: For each decision; 200 where no time is given either.
            ms: Milliseconds for each decision, instead of iterations; games side by side put theirs together.
            c: Exploration: the weight of priors against values.
            padded: Whether the evaluator's observations have room for 5 seats.
            seed: Of all that is drawn.
            clock: Seconds, for a search with a time.
            temperature: Of the priors: 1 takes them as they are, more makes them more even.
        """
        super().__init__(Budget(ITERATIONS if iterations is None and ms is None else iterations, ms), seed, clock)
        self.c = check_weight("c", c)
        self.temperature = _check_temperature(temperature)
        self.padded = padded
        self._evaluator = evaluator
        self._forest = make_forest(0, 0)

    def act(self, views: Views) -> np.ndarray:
        """The best action of each row; all rows are searched side by side."""
        self._search_rows(views.states)
        return np.array([self._best_in(row) for row in range(len(views.states))], dtype=np.int64)

    def action(self, game: Game) -> int:
        """See `Agent.action`."""
        self._search_rows(one_position(game))
        return self._best_in(0)

    def search(self, position: Position) -> SearchReport:
        """Search one position and tell all about it. What is hidden in the position is not looked at."""
        self._search_rows(one_position(position))
        return report_on(tree_in(self._forest, 0), int(self._forest.roots["players"][0]))

    def _best_in(self, row: int) -> int:
        tree = tree_in(self._forest, row)
        return int(tree.nodes["action"][best_child(tree, ROOT)])

    def _search_rows(self, states: np.ndarray) -> None:
        rows = len(states)
        if rows > len(self._forest.left):
            self._forest = make_forest(rows, room(self.budget.iterations or ITERATIONS_IN_A_TIME, NODES_PER_ITERATION))
        self._rows = rows
        self._players = int(states["players"][0])
        begin_rows(self._forest, states, self._seed)
        self._judge(np.arange(rows))
        self.budget.spend(self._run, self._clock, rows)

    def _run(self, iterations: int) -> None:
        """Search on in every row."""
        self._forest.left[: self._rows] = iterations
        while walk_rows(self._forest, self._rows, self.c):
            self._judge(np.flatnonzero(self._forest.leaves[: self._rows] != EMPTY))

    def _judge(self, rows: np.ndarray) -> None:
        """Have the leaves of some rows judged, all in one call."""
        seats = MAX_PLAYERS if self.padded else self._players
        views = Views.of(self._forest.games, rows, seats)
        priors, values = self._evaluator.evaluate(views)
        add_judgement(
            self._forest,
            rows,
            _checked("priors", priors, (len(rows), N_ACTIONS)),
            _checked("values", values, (len(rows), self._players)),
            self.temperature,
        )


def _check_temperature(temperature: float) -> float:
    number = check_weight("temperature", temperature)
    if number == 0.0:
        raise ArgumentError("temperature: found 0, must be above 0")
    return number


def _checked(what: str, array: object, shape: tuple[int, int]) -> np.ndarray:
    """What an evaluator gave, as the numbers that the search reads."""
    numbers = np.ascontiguousarray(array, dtype=np.float64)
    if numbers.shape != shape:
        raise ArgumentError(f"evaluator: found {what} of shape {numbers.shape}, must be {shape}")
    if not np.isfinite(numbers).all() or (what == "priors" and (numbers < 0).any()):
        wanted = "numbers from 0 up" if what == "priors" else "numbers"
        raise ArgumentError(f"evaluator: found {what} that are negative or not finite, must be {wanted}")
    return numbers
