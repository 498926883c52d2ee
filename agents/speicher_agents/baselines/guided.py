"""A tree search led by a trained network."""

from __future__ import annotations

from speicher_agents.baselines.player import Baseline, Suited
from speicher_agents.search.guided import CONSIDERED, ROOTS, SCALE, GuidedSearch

__all__ = ["EXPLORATION", "TEMPERATURE", "GuidedByBaseline"]

EXPLORATION = 1.0
TEMPERATURE = 2.0
"""Of the prior. A trained policy is surer of itself than it ought to be for a search to find anything else."""


class GuidedByBaseline(GuidedSearch):
    """A guided search with a baseline's policy as its prior and its value at the leaves."""

    name = "guided"

    def __init__(
        self,
        judge: Baseline | Suited,
        iterations: int | None = None,
        ms: float | None = None,
        c: float = EXPLORATION,
        temperature: float = TEMPERATURE,
        seed: int = 0,
        root: str = ROOTS[0],
        considered: int = CONSIDERED,
        scale: float = SCALE,
        futures: int = 0,
    ) -> None:
        """Make ready; see `GuidedSearch`."""
        super().__init__(
            judge, iterations, ms, c, judge.padded, seed, temperature=temperature, root=root, considered=considered,
            scale=scale, futures=futures,
        )  # fmt: skip
        self._baseline = judge

    def check_players(self, players: int) -> None:
        """Refuse a table that the baseline does not play at."""
        self._baseline.check_players(players)
