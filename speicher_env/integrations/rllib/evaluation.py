"""A callback that evaluates a module against named players, on held-out deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback

from speicher_env.arguments import check_count
from speicher_env.batch import Batch
from speicher_env.batch.opponents import OpponentSpec
from speicher_env.deal import DeckArgument
from speicher_env.integrations.rllib.player import ModulePlayer, learned_module

__all__ = ["FIRST_DEAL", "WinShare", "WinShareCallback", "win_share"]

FIRST_DEAL = 2_000_000_000
"""Seed of the first held-out deal: the start of the arena's range `development`, which training does not use."""


class WinShare(NamedTuple):
    """The mean share of the win: 1 for a win, 1/n where n seats share it, 0 for a loss."""

    estimate: float
    low: float
    high: float
    """Ends of a 95 % interval over deals; the seatings of a deal count as one observation."""


def win_share(
    player: OpponentSpec,
    opponent: OpponentSpec,
    num_players: int = 2,
    deals: int = 100,
    deck: DeckArgument = "standard",
    first_deal: int = FIRST_DEAL,
) -> WinShare:
    """Play held-out deals, each once from every seat, with an opponent in all other seats.

    Args:
        player: The player to evaluate, or its spec.
        opponent: The player in all other seats, or its spec.
        num_players: 2..5.
        deals: Number of deals.
        deck: The deck to deal from.
        first_deal: Seed of the first deal; each further deal has the next seed.
    """
    seeds = np.arange(first_deal, first_deal + check_count("deals", deals), dtype=np.uint64)
    shares = np.empty((num_players, deals))
    for seat in range(num_players):
        table = [opponent] * num_players
        table[seat] = player
        batch = Batch(deals, num_players, deck, "none", table, "outcome", autoreset="disabled")
        batch.reset(seeds)
        shares[seat] = (batch.rewards[:, seat] * (num_players - 1) + 1) / num_players
    by_deal = shares.mean(axis=0)
    mean = float(by_deal.mean())
    half = 1.96 * float(by_deal.std(ddof=1)) / deals**0.5 if deals > 1 else 0.0
    return WinShare(mean, max(mean - half, 0.0), min(mean + half, 1.0))


class WinShareCallback(RLlibCallback):
    """Evaluates the learner against named players and reports its win shares.

    Self-play needs this, as `episode_return_mean` is always 0 there.

    Every result of `train` has ``win_share/NAME`` for each opponent, ``win_share_low`` and ``win_share_high``, the ends
    of a 95 % interval, and ``win_share_iteration``, the iteration that was evaluated. Par is 1 / players.

        config.callbacks(functools.partial(WinShareCallback, opponents=("random", "merchant"), every=10))
    """

    def __init__(
        self,
        opponents: Sequence[str] | Mapping[str, OpponentSpec] = ("random",),
        deals: int = 100,
        every: int = 10,
        module_id: str | None = None,
        num_players: int | None = None,
        deck: DeckArgument | None = None,
        first_deal: int = FIRST_DEAL,
    ) -> None:
        """Set up the evaluations.

        Args:
            opponents: Specs of players, or a mapping from names for the metrics to players or specs. Each of them is
                evaluated against by itself, in all other seats.
            deals: Number of deals of an evaluation, each played from every seat.
            every: Iterations between two evaluations. The first iteration is always evaluated.
            module_id: The module to evaluate; default: the first one that is trained.
            num_players: 2..5; default: that of `env_config`.
            deck: The deck to deal from; default: that of `env_config`.
            first_deal: Seed of the first deal.
        """
        names = opponents if isinstance(opponents, Mapping) else {spec: spec for spec in opponents}
        self.opponents = {name.replace("/", "_"): spec for name, spec in names.items()}  # Tune nests metrics at "/"
        self.deals = check_count("deals", deals)
        self.every = check_count("every", every)
        self.module_id = module_id
        self.num_players = num_players
        self.deck = deck
        self.first_deal = first_deal
        self.last: dict[str, Any] = {}
        """The metrics of the last evaluation."""

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **kwargs: Any) -> None:
        """Evaluate in every `every`-th iteration, and report the last evaluation."""
        iteration = algorithm.iteration
        if not self.last or iteration % self.every == 0:
            self.last = self.evaluate(algorithm) | {"win_share_iteration": iteration}
        result.update(self.last)

    def evaluate(self, algorithm: Any) -> dict[str, Any]:
        """Evaluate the module with its current weights; return the metrics."""
        settings = algorithm.config.env_config
        num_players = settings.get("num_players", 2) if self.num_players is None else self.num_players
        deck = settings.get("deck", "standard") if self.deck is None else self.deck
        player = ModulePlayer(learned_module(algorithm, self.module_id))
        shares = {
            name: win_share(player, spec, num_players, self.deals, deck, self.first_deal)
            for name, spec in self.opponents.items()
        }
        return {
            "win_share": {name: share.estimate for name, share in shares.items()},
            "win_share_low": {name: share.low for name, share in shares.items()},
            "win_share_high": {name: share.high for name, share in shares.items()},
        }
