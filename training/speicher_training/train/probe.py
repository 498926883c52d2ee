"""How strong a network is now: on fixed development deals, from every seat, with one opponent in all other seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from speicher_agents.baselines import Baseline
from speicher_env.batch import Batch
from speicher_env.batch.opponents import OpponentSpec
from speicher_training.arena.seeds import RANGES

CONFIDENT = 1.96
"""Standard errors on each side of a 95 % interval."""


@dataclass(frozen=True)
class Probe:
    """The share of the win against one opponent."""

    opponent: str
    players: int
    deals: int
    win_share: float
    low: float
    high: float
    """Of a 95 % interval, with each deal, whatever the seats, as one observation."""

    def told(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def probe(learner: Baseline, opponent: OpponentSpec, players: int, deals: int, deck: Any = "standard") -> Probe:
    """Play every deal once from every seat; deals come from the arena's range for development."""
    seeds = np.arange(RANGES["development"].start, RANGES["development"].start + deals)
    shares = np.empty((players, deals))
    for seat in range(players):
        table: list[OpponentSpec] = [opponent] * players
        table[seat] = learner
        batch = Batch(deals, players, deck, "none", table, "outcome", learner.padded, "disabled")
        batch.reset(seeds)
        shares[seat] = (batch.rewards[:, seat] * (players - 1) + 1) / players
    each = shares.mean(axis=0)
    half = CONFIDENT * float(each.std(ddof=1)) / deals**0.5
    mean = float(each.mean())
    name = opponent if isinstance(opponent, str) else getattr(opponent, "name", type(opponent).__name__)
    return Probe(name, players, deals, mean, max(0.0, mean - half), min(1.0, mean + half))


def probe_all(
    learner: Baseline, opponents: Sequence[str], players: Sequence[int], deals: int, deck: Any = "standard"
) -> list[Probe]:
    """Against each opponent, with each number of players."""
    return [probe(learner, opponent, count, deals, deck) for count in players for opponent in opponents]
