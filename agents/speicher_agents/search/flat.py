"""Plain Monte Carlo: every legal action gets its equal share of playouts, and the best mean is played."""

from __future__ import annotations

import time

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.determinize import redeal_concealed
from speicher_agents.search.mcts import ITERATIONS, MARGIN, ROLLOUT
from speicher_agents.search.player import Search
from speicher_agents.search.playouts import Choose, play_out, write_payoffs
from speicher_agents.search.report import SearchReport
from speicher_agents.search.rollout import rollout_from_spec
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import MAX_PLAYERS, STATE
from speicher_env.rules.turn import apply
from speicher_env.views import CompiledPlayer


@jit
def play_share(
    roots: np.ndarray,
    games: np.ndarray,
    stream: np.ndarray,
    begin: int,
    iterations: int,
    margin: float,
    choose: Choose,
    code: int,
    visits: np.ndarray,
    sums: np.ndarray,
    payoffs: np.ndarray,
) -> None:
    """Playouts begin, begin + 1, ... from the concealed game roots[0]; each takes the next legal action in turn."""
    game = games[0]
    count = count_legal(roots[0])
    for iteration in range(begin, begin + iterations):
        row = iteration % count
        games[0] = roots[0]
        redeal_concealed(game, stream)
        apply(game, nth_legal(game, row))
        play_out(game, choose, code, stream)
        write_payoffs(game, margin, payoffs)
        visits[row] += 1
        for seat in range(game["players"]):
            sums[row, seat] += payoffs[0, seat]


class FlatSearch(Search):
    """`flat`: the yardstick for tree search, with the same playouts and no tree."""

    name = "flat"
    visits_prefer = False

    def __init__(
        self,
        iterations: int | None = None,
        ms: float | None = None,
        margin: float = MARGIN,
        rollout: str | CompiledPlayer = ROLLOUT,
        seed: int = 0,
        clock: Clock = time.perf_counter,
    ) -> None:
        """The arguments mean what they mean in `TreeSearch`."""
        super().__init__(Budget(ITERATIONS if iterations is None and ms is None else iterations, ms), seed, clock)
        self.margin = check_weight("margin", margin, most=1)
        self._rollout = rollout_from_spec(rollout)
        self._games = np.zeros(1, dtype=STATE)
        self._visits = np.zeros(N_ACTIONS, dtype=np.int64)
        self._sums = np.zeros((N_ACTIONS, MAX_PLAYERS))
        self._payoffs = np.zeros((2, MAX_PLAYERS))

    def _begin(self) -> None:
        self._visits[:] = 0
        self._sums[:] = 0.0

    def _run(self, iterations: int) -> None:
        play_share(
            self._roots, self._games, self._stream, int(self._visits.sum()), iterations, self.margin, *self._rollout,
            self._visits, self._sums, self._payoffs,
        )  # fmt: skip

    def _best(self) -> int:
        return self._report().best

    def _report(self) -> SearchReport:
        root = self._roots[0]
        actions = np.flatnonzero(np.unpackbits(root["legal"].view(np.uint8), bitorder="little"))
        seat = int(root["player"])
        visits = self._visits[: len(actions)].copy()
        with np.errstate(invalid="ignore"):
            values = self._sums[: len(actions), : root["players"]] / visits[:, None]
        best = int(actions[np.nanargmax(values[:, seat])])
        return SearchReport(seat, tuple(actions.tolist()), visits, values, best, (best,))
