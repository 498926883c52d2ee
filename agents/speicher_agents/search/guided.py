"""Tree search led by an evaluator: its priors say where to look, its values stand in for playouts.

The searches of many games go side by side: each walks to a leaf, all leaves are judged in one call, and each adds
the judgement to its tree. Where to look follows PUCT, the rule of AlphaZero, with a value for each seat in place of
one number, and each supply drawn where a walk meets it, as in `tree`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.evaluators import Evaluator
from speicher_agents.search.player import Search
from speicher_agents.search.report import SearchReport
from speicher_agents.search.tree import (
    Rules,
    Trees,
    add_judgement,
    begin_searches,
    best_action,
    grow,
    make_trees,
    report_on,
    room,
)
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation import RowFormat
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import EMPTY, MAX_PLAYERS
from speicher_env.views import Views

__all__ = ["EXPLORATION", "ITERATIONS", "GuidedSearch"]

ITERATIONS = 200
EXPLORATION = 1.5
NODES_PER_ITERATION = 24
"""Room in a tree: each leaf adds all its actions."""
ITERATIONS_IN_A_TIME = 8000
"""Iterations that a search with a time makes room for."""


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

    def row_format(self, players: int) -> RowFormat:
        """The observations that the evaluator is given: those that it asks for, if it has a `row_format`."""
        asks_for: Callable[[int], RowFormat] | None = getattr(self._evaluator, "row_format", None)
        return RowFormat(MAX_PLAYERS if self.padded else players) if asks_for is None else asks_for(players)

    def act(self, views: Views) -> np.ndarray:
        """The best action of each row; all rows are searched side by side."""
        rows = len(views.states)
        if rows:
            self._search(views.states)
        return np.array([self._best(row) for row in range(rows)], dtype=np.int64)

    def _search(self, states: np.ndarray) -> None:
        rows = len(states)
        if self._memory is None or rows > len(self._memory.left):
            self._memory = make_trees(rows, room(self.budget.iterations or ITERATIONS_IN_A_TIME, NODES_PER_ITERATION))
        trees: Trees = self._memory
        self._rows, self._players = rows, int(states["players"][0])
        self._format = self.row_format(self._players)
        begin_searches(trees, states, self._seed)
        self._judge(np.arange(rows))
        self.budget.spend(self._run, self._clock, rows)

    def _run(self, iterations: int) -> None:
        """Grow the tree of every row by that many iterations."""
        trees: Trees = self._memory
        rules = Rules(self.c, 0.0, by_prior=True, outside=True)
        trees.left[: self._rows] = iterations
        while grow(trees, self._rows, rules, None, 0, None, 0, 0.0):
            self._judge(np.flatnonzero(trees.leaves[: self._rows] != EMPTY))

    def _judge(self, rows: np.ndarray) -> None:
        """Have the leaves of some rows judged, all in one call."""
        priors, values = self._evaluator.evaluate(Views.unchecked(self._memory.games, rows, self._format))
        add_judgement(
            self._memory,
            rows,
            _checked("priors", priors, (len(rows), N_ACTIONS)),
            _checked("values", values, (len(rows), self._players)),
            self.temperature,
        )

    def _best(self, row: int) -> int:
        return best_action(self._memory, row)

    def _report(self) -> SearchReport:
        return report_on(self._memory, 0)


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
