"""Tree search led by an evaluator: its priors say where to look, its values stand in for playouts.

The searches of many games go side by side: each walks to a leaf, all leaves are evaluated in one call, and each adds
the answer to its tree. An evaluator that compiled code can call is asked within the walk instead.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from speicher_agents.baselines.network import Network
from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.evaluators import Evaluator
from speicher_agents.search.leaves import (
    NetworkLeaves,
    OutsideLeaves,
    add_evaluations,
    evaluate_roots,
    network_leaves,
)
from speicher_agents.search.player import Search
from speicher_agents.search.report import SearchReport
from speicher_agents.search.results import SearchTargets, best_action, report_on, targets_of
from speicher_agents.search.selection import ByPrior, Halving, begin_halving
from speicher_agents.search.tree import PLANNED, Trees, begin_searches, make_trees, room
from speicher_agents.search.walk import Rules, grow
from speicher_env.arguments import check_choice, check_count, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation import RowFormat
from speicher_env.observation.rows import checked_states
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, MIN_PLAYERS, OVER
from speicher_env.views import Views

__all__ = ["CONSIDERED", "EXPLORATION", "ITERATIONS", "ROOTS", "SCALE", "GuidedSearch"]

ITERATIONS = 200
EXPLORATION = 1.5
ROOTS = ("halving", "puct")
"""How the root can choose; see `selection`."""
CONSIDERED = 8
"""Actions that sequential halving considers at first."""
SCALE = 3.0
"""How much a payoff of 1 adds to a logit, times the visits of the most visited action and 50."""
NODES_PER_ITERATION = 24
"""Room in a tree: each leaf adds all its actions."""
LEAST_NODES = 512
ITERATIONS_IN_A_TIME = 8000
"""Iterations that a search with a time makes room for."""
ROWS = 64
"""Searches side by side where leaves are evaluated within the walk: few, so that their trees stay in the cache."""
UNKNOWN = 1 << 40
"""Iterations planned, before a search with a time knows how many it can make."""


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
        root: str = ROOTS[0],
        considered: int = CONSIDERED,
        scale: float = SCALE,
        futures: int = 0,
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
            root: How the root chooses: "puct", or "halving" for sequential halving (Gumbel).
            considered: Actions that sequential halving considers at first.
            scale: How much a payoff adds to a logit in sequential halving and in `targets`, see `selection.sharpness`.
            futures: Supplies that the root's actions share, each in turn; 0 draws another one for each iteration.
        """
        super().__init__(Budget(ITERATIONS if iterations is None and ms is None else iterations, ms), seed, clock)
        self.c = check_weight("c", c)
        self.temperature = _check_temperature(temperature)
        self.padded = padded
        self.scale = check_weight("scale", scale)
        if not is_whole(futures) or futures < 0:
            raise ArgumentError(must_be("futures", futures, "a whole number, 0 or more"))
        halving = Halving(check_count("considered", considered), self.scale)
        chosen = halving if check_choice("root", root, ROOTS) == "halving" else ByPrior(self.c)
        self._rules = Rules(chosen, ByPrior(self.c), int(futures))
        self._evaluator = evaluator
        self._compiled: tuple[Network, NetworkLeaves] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_compiled": None}

    def row_format(self, players: int) -> RowFormat:
        """The observations that the evaluator is given: those that it asks for, if it has a `row_format`."""
        asks_for: Callable[[int], RowFormat] | None = getattr(self._evaluator, "row_format", None)
        return RowFormat(MAX_PLAYERS if self.padded else players) if asks_for is None else asks_for(players)

    def act(self, views: Views) -> np.ndarray:
        """The best action of each row; all rows are searched side by side."""
        return self._targets(views.states, noise=False).actions

    def targets(self, states: np.ndarray, noise: bool = True) -> SearchTargets:
        """Search many positions side by side, and return what a network may learn from them.

        Args:
            states: An array of STATE: running games of the same number of players.
            noise: Whether the root considers a sample of the actions, drawn by their priors, as self-play needs it;
                else it considers those of the highest priors. It makes no difference to a root that chooses by PUCT.
        """
        games = checked_states(states)
        over = np.flatnonzero(games["phase"] == OVER)
        if over.size:
            raise ArgumentError(f"game {over[0]} is over, so there is no decision to search.")
        if (games["players"] != games["players"][:1]).any():
            raise ArgumentError("states: games of different numbers of players; search each number by itself.")
        return self._targets(games, noise)

    def _targets(self, states: np.ndarray, noise: bool) -> SearchTargets:
        side_by_side = self._side_by_side(states)
        parts = []
        for begin in range(0, max(1, len(states)), side_by_side):
            part = states[begin : begin + side_by_side]
            self._search(part, noise)
            parts.append(targets_of(self._rules.root, self.scale, self._memory, len(part), self._players))
        return SearchTargets(*map(np.concatenate, zip(*parts, strict=True)))

    def _network_leaves(self, states: np.ndarray) -> NetworkLeaves | None:
        """The evaluator's network for the walk to ask, if it has one that predicts the payoff of every seat."""
        network_for: Callable[[np.ndarray], Network] | None = getattr(self._evaluator, "network_for", None)
        network = None if network_for is None else network_for(states)
        if network is None or not network.shape.every_seat:
            return None
        if self._compiled is None or self._compiled[0] is not network:
            self._compiled = network, network_leaves(network, self.temperature)
        return self._compiled[1]

    def _search(self, states: np.ndarray, noise: bool = False) -> None:
        rows = len(states)
        if self._memory is None or rows > len(self._memory.left):
            nodes = room(self.budget.iterations or ITERATIONS_IN_A_TIME, NODES_PER_ITERATION, LEAST_NODES)
            self._memory = make_trees(rows, nodes)
        trees: Trees = self._memory
        self._rows, self._players = rows, int(states["players"][0]) if rows else MIN_PLAYERS
        if not rows:
            return
        self._leaves = self._network_leaves(states)
        begin_searches(trees, states, self._seed)
        if self._leaves is not None:
            evaluate_roots(self._leaves, trees, rows)
        else:
            self._format = self.row_format(self._players)
            self._ask(np.arange(rows))
        if isinstance(self._rules.root, Halving):
            begin_halving(trees, rows, self._rules.root, noise)
        self._expect(self.budget.iterations or UNKNOWN)
        self.budget.spend(self._run, self._clock, rows, self._expect)

    def _expect(self, iterations: int) -> None:
        """Plan for that many iterations of each row."""
        self._memory.halving[: self._rows, PLANNED] = iterations

    def _run(self, iterations: int) -> None:
        """Grow the tree of every row by that many iterations."""
        trees: Trees = self._memory
        trees.left[: self._rows] = iterations
        if self._leaves is not None:
            grow(trees, self._rows, self._rules, self._leaves)
        else:
            self._run_and_ask(trees)

    def _run_and_ask(self, trees: Trees) -> None:
        while grow(trees, self._rows, self._rules, OutsideLeaves(0.0)):
            self._ask(np.flatnonzero(trees.leaves[: self._rows] != EMPTY))

    def _ask(self, rows: np.ndarray) -> None:
        """Have the leaves of some rows evaluated, all in one call."""
        priors, values = self._evaluator.evaluate(Views.unchecked(self._memory.games, rows, self._format))
        add_evaluations(
            self._memory,
            rows,
            _checked("priors", priors, (len(rows), N_ACTIONS)),
            _checked("values", values, (len(rows), self._players)),
            self.temperature,
        )

    def _best(self, row: int) -> int:
        return best_action(self._rules.root, self._memory, row)

    def _report(self, row: int) -> SearchReport:
        return report_on(self._rules.root, self._memory, row)

    def _side_by_side(self, states: np.ndarray) -> int:
        return max(1, len(states)) if self._network_leaves(states) is None else ROWS


def _check_temperature(temperature: float) -> float:
    number = check_weight("temperature", temperature)
    if number == 0.0:
        raise ArgumentError(must_be("temperature", temperature, "a number above 0"))
    return number


def _checked(what: str, array: object, shape: tuple[int, int]) -> np.ndarray:
    """The answer of an evaluator, as the numbers that the search reads."""
    numbers = np.ascontiguousarray(array, dtype=np.float64)
    if numbers.shape != shape:
        raise ArgumentError(must_be(what, numbers, f"an array of shape {shape}", "evaluator"))
    if not math.isfinite(numbers.sum()) or (what == "priors" and numbers.min() < 0):
        raise ArgumentError(f"evaluator: {what} must be finite numbers{', 0 or more' * (what == 'priors')}.")
    return numbers
