"""Monte Carlo tree search for any number of players, with chance."""

from __future__ import annotations

import time

from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.player import Search
from speicher_agents.search.report import SearchReport
from speicher_agents.search.rollout import prior_from_spec, rollout_from_spec
from speicher_agents.search.tree import ROOT, best_child, clear_tree, iterate, make_tree, report_on, room
from speicher_env.views import CompiledPlayer

ITERATIONS = 1000
EXPLORATION = 1.5
MARGIN = 0.5
ROLLOUT = "casual"
PRIOR = "merchant"
TRUST = 0.5
NODES_PER_ITERATION = 12
"""Room in the tree. A search uses one to three nodes for an iteration; where loading has many choices, more."""


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
        self._tree = make_tree(room(self.budget.iterations, NODES_PER_ITERATION))

    def _begin(self) -> None:
        clear_tree(self._tree)

    def _run(self, iterations: int) -> None:
        iterate(
            self._tree, self._roots, self._stream, iterations, self.c, self.margin, *self._rollout,
            *self._prior, self.trust,
        )  # fmt: skip

    def _best(self) -> int:
        return int(self._tree.nodes["action"][best_child(self._tree, ROOT)])

    def _report(self) -> SearchReport:
        return report_on(self._tree, int(self._roots["players"][0]))
