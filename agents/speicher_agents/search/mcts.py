"""Monte Carlo tree search for any number of players, with chance."""

from __future__ import annotations

import time

import numpy as np

from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.leaves import PlayoutLeaves
from speicher_agents.search.player import Search
from speicher_agents.search.playouts import prior_from_spec, rollout_from_spec
from speicher_agents.search.report import SearchReport
from speicher_agents.search.results import best_action, report_on
from speicher_agents.search.selection import ByPrior, UpperBounds
from speicher_agents.search.tree import MOST_NODES, begin_searches, make_trees, room
from speicher_agents.search.walk import Rules, grow
from speicher_env.views import CompiledPlayer

__all__ = ["EXPLORATION", "ITERATIONS", "MARGIN", "PRIOR", "ROLLOUT", "TRUST", "TreeSearch"]

ITERATIONS = 1000
EXPLORATION = 1.5
MARGIN = 0.5
ROLLOUT = "casual"
PRIOR = "merchant"
TRUST = 0.5
NODES_PER_ITERATION = 12
"""Room in the tree. A search uses one to three nodes for an iteration; where loading has many choices, more."""
LEAST_NODES = 4096


class TreeSearch(Search):
    """`mcts`: grows a tree where actions do well or a player thinks that they would, and plays each new leaf out."""

    name = "mcts"

    def __init__(
        self,
        iterations: int | None = None,
        ms: float | None = None,
        c: float = EXPLORATION,
        margin: float = MARGIN,
        rollout: str | CompiledPlayer = ROLLOUT,
        prior: str | CompiledPlayer = PRIOR,
        trust: float = TRUST,
        seed: int = 0,
        clock: Clock = time.perf_counter,
    ) -> None:
        """Make room for the tree.

        Args:
            iterations: Playouts for each decision; 1000 where no time is given either.
            ms: Milliseconds for each decision, instead of iterations.
            c: Exploration: how much more than the best an action may promise, by how seldom it was tried.
            margin: The part (0..1) of points ahead in a payoff; the rest is the outcome.
            rollout: Who plays the playouts, for all seats: "casual", "random" or a scripted player.
            prior: Whose choice is looked at first, for all seats: a scripted player, or "none".
            trust: The prior (0..1) of that choice; the rest is shared by all actions alike.
            seed: Of all that is drawn.
            clock: Seconds, for a search with a time.
        """
        super().__init__(Budget(ITERATIONS if iterations is None and ms is None else iterations, ms), seed, clock)
        self.c = check_weight("c", c)
        self.margin = check_weight("margin", margin, most=1)
        self.trust = check_weight("trust", trust, most=1)
        self._rollout = rollout_from_spec(rollout)
        self._prior = prior_from_spec(prior)

    def _search(self, states: np.ndarray) -> None:
        if self._memory is None:
            iterations = self.budget.iterations
            nodes = MOST_NODES if iterations is None else room(iterations, NODES_PER_ITERATION, LEAST_NODES)
            self._memory = make_trees(1, nodes)
        begin_searches(self._memory, states, self._seed)
        self.budget.spend(self._run, self._clock)

    def _run(self, iterations: int) -> None:
        """Grow the tree by that many iterations."""
        self._memory.left[0] = iterations
        grow(self._memory, 1, self._rules, self._leaves)

    @property
    def _rules(self) -> Rules:
        selection = UpperBounds(self.c) if self._prior.function is None else ByPrior(self.c)
        return Rules(selection, selection, futures=0)

    @property
    def _leaves(self) -> PlayoutLeaves:
        return PlayoutLeaves(*self._rollout.arguments, *self._prior.arguments, self.trust, self.margin)

    def _best(self, row: int) -> int:
        return best_action(self._rules.root, self._memory, row)

    def _report(self, row: int) -> SearchReport:
        return report_on(self._rules.root, self._memory, row)
