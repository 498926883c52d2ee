"""How strong an agent of any framework is, on deals that no training uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from speicher_env.batch import Batch
from speicher_env.views import Views

FIRST_DEAL = 1_000_000_000
"""Where the arena's range of held-out seeds begins, `speicher_training.arena.RANGES["evaluation"]`; needs no extra."""

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(observations float32 [n, size], masks bool [n, 184]) -> action ids [n]."""


class WinShare(NamedTuple):
    """The mean share of the win: 1 for a win, 1/n where n seats share it, 0 for a loss."""

    win_share: float
    low: float
    high: float
    """Ends of a 95 % interval over deals; the seatings of a deal count as one observation."""
    opponent: str
    players: int


class _Chooser:
    """A player of the batch that asks a function."""

    name = "the agent under test"

    def __init__(self, choose: Choose) -> None:
        self.choose = choose

    def act(self, views: Views) -> np.ndarray:
        actions = np.asarray(self.choose(views.observations, views.masks.astype(np.bool_)))
        return actions.astype(np.int64)


def win_share(
    choose: Choose,
    players: int = 2,
    opponent: str = "random",
    deals: int = 200,
    padded: bool = False,
    figures: bool = False,
) -> WinShare:
    """Play held-out deals, each once from every seat, with `opponent` in all other seats.

    An illegal action raises, so this also shows that the agent heeds its masks.

    Args:
        choose: The agent.
        players: Number of players.
        opponent: The spec of a player.
        deals: Number of deals.
        padded: Whether the agent's observations have room for 5 seats.
        figures: Whether figures follow the agent's observations.
    """
    seeds = np.arange(FIRST_DEAL, FIRST_DEAL + deals)
    shares = np.empty((players, deals))
    for seat in range(players):
        table: list[object] = [opponent] * players
        table[seat] = _Chooser(choose)
        batch = Batch(
            deals, players, seat="none", opponents=table, padded=padded, autoreset="disabled", figures=figures
        )
        batch.reset(seeds)
        shares[seat] = (batch.rewards[:, seat] * (players - 1) + 1) / players
    by_deal = shares.mean(axis=0)
    half = 1.96 * by_deal.std(ddof=1) / np.sqrt(deals)
    mean = float(by_deal.mean())
    return WinShare(mean, max(0.0, mean - half), min(1.0, mean + half), opponent, players)
