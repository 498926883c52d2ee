"""Plain Monte Carlo: every legal action gets its equal share of playouts, and the best mean is played."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.budget import Budget, Clock, check_weight
from speicher_agents.search.determinize import begin_stream, conceal_root, redeal_concealed
from speicher_agents.search.mcts import ITERATIONS, MARGIN, ROLLOUT
from speicher_agents.search.player import Search
from speicher_agents.search.playouts import Choose, play_out, rollout_from_spec, write_payoffs
from speicher_agents.search.report import SearchReport
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import MAX_PLAYERS, STATE
from speicher_env.rules.turn import apply
from speicher_env.views import CompiledPlayer

__all__ = ["FlatSearch"]


class Shares(NamedTuple):
    """The memory of the search of one root, a row for each legal action."""

    roots: np.ndarray
    """(1,) STATE, concealed."""
    games: np.ndarray
    """(1,) STATE: the game of the running playout."""
    stream: np.ndarray
    """(4,) int64: the random numbers."""
    visits: np.ndarray
    """(actions,) int64: playouts."""
    sums: np.ndarray
    """(actions, 5) float64: their payoffs for each seat, summed."""
    payoffs: np.ndarray
    """(2, 5) float64: see `playouts.write_payoffs`."""


def make_shares() -> Shares:
    """The memory, for the most actions that can be legal."""
    return Shares(
        roots=np.zeros(1, dtype=STATE),
        games=np.zeros(1, dtype=STATE),
        stream=np.zeros(4, dtype=np.int64),
        visits=np.zeros(N_ACTIONS, dtype=np.int64),
        sums=np.zeros((N_ACTIONS, MAX_PLAYERS)),
        payoffs=np.zeros((2, MAX_PLAYERS)),
    )


@jit
def play_shares(shares: Shares, begin: int, iterations: int, margin: float, choose: Choose, code: int) -> None:
    """Playouts begin, begin + 1, ... from the root; each takes the next legal action in turn."""
    game = shares.games[0]
    root = shares.roots[0]
    count = count_legal(root)
    for iteration in range(begin, begin + iterations):
        row = iteration % count
        shares.games[0] = shares.roots[0]
        redeal_concealed(game, shares.stream)
        apply(game, nth_legal(game, row))
        play_out(game, choose, code, shares.stream)
        write_payoffs(game, margin, shares.payoffs)
        shares.visits[row] += 1
        for seat in range(game["players"]):
            shares.sums[row, seat] += shares.payoffs[0, seat]


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

    def _search(self, states: np.ndarray) -> None:
        if self._memory is None:
            self._memory = make_shares()
        memory: Shares = self._memory
        memory.roots[0] = states[0]
        conceal_root(memory.roots)
        begin_stream(memory.roots, self._seed, memory.stream)
        memory.visits[:] = 0
        memory.sums[:] = 0.0
        self.budget.spend(self._run, self._clock)

    def _run(self, iterations: int) -> None:
        """Play that many games out."""
        begin = int(self._memory.visits.sum())
        play_shares(self._memory, begin, iterations, self.margin, *self._rollout.arguments)

    def _best(self, row: int) -> int:
        return self._report(row).best

    def _report(self, row: int) -> SearchReport:
        memory: Shares = self._memory
        root = memory.roots[0]
        actions = np.flatnonzero(np.unpackbits(root["legal"].view(np.uint8), bitorder="little"))
        seat = int(root["player"])
        visits = memory.visits[: len(actions)].copy()
        with np.errstate(invalid="ignore"):
            values = memory.sums[: len(actions), : root["players"]] / visits[:, None]
        best = int(actions[np.nanargmax(values[:, seat])])
        return SearchReport(seat, tuple(actions.tolist()), visits, values, visits / max(1, visits.sum()), best, (best,))
