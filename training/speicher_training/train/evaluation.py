"""Evaluations: how strong a network is on fixed development deals, with one opponent in all other seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Baseline, Card
from speicher_env.batch import Batch
from speicher_env.batch.opponents import OpponentSpec
from speicher_env.deal import DeckArgument
from speicher_training.arena.seeds import RANGES
from speicher_training.intervals import mean_interval, within
from speicher_training.train.export import network_of

__all__ = ["EvaluationCallback", "WinShare", "evaluate", "evaluate_all"]


@dataclass(frozen=True)
class WinShare:
    """The share of the win against one opponent: 1 for every win, 1/n for every win shared by n, 0 for the rest."""

    opponent: str
    players: int
    deals: int
    win_share: float
    low: float
    high: float
    """Ends of a 95 % interval over deals; the seatings of a deal count as one observation."""


def evaluate(
    player: Baseline, opponent: OpponentSpec, players: int, deals: int, deck: DeckArgument = "standard"
) -> WinShare:
    """Play the first development deals of the arena, each once from every seat.

    Args:
        player: The network to evaluate.
        opponent: Sits in all other seats.
        players: Number of players.
        deals: Number of deals.
        deck: Dealt from.
    """
    seeds = np.arange(RANGES["development"].start, RANGES["development"].start + deals)
    shares = np.empty((players, deals))
    for seat in range(players):
        table: list[OpponentSpec] = [opponent] * players
        table[seat] = player
        batch = Batch(deals, players, deck, "none", table, "outcome", player.padded, "disabled",
                      figures=player.network.shape.figures)  # fmt: skip
        batch.reset(seeds)
        shares[seat] = (batch.rewards[:, seat] * (players - 1) + 1) / players
    by_deal = shares.mean(axis=0)
    share = within(mean_interval(by_deal), 0.0, 1.0)
    name = opponent if isinstance(opponent, str) else getattr(opponent, "name", type(opponent).__name__)
    return WinShare(name, players, deals, share["estimate"], share["low"], share["high"])


def evaluate_all(
    player: Baseline, opponents: Sequence[str], players: Sequence[int], deals: int, deck: DeckArgument = "standard"
) -> list[WinShare]:
    """Evaluate a network with each number of players against each opponent."""
    return [evaluate(player, opponent, count, deals, deck) for count in players for opponent in opponents]


class EvaluationCallback(BaseCallback):
    """Evaluates the learner every so many decisions and at the end.

    It draws nothing from the run's random streams: a run with other evaluations learns the same.
    """

    def __init__(
        self,
        card: Card,
        opponents: Sequence[str],
        deals: int,
        steps: int,
        deck: DeckArgument = "standard",
        on_result: Callable[[dict[str, Any]], None] = lambda line: None,
        seconds: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Make the callback.

        Args:
            card: The learner's card.
            opponents: One after the other in all other seats.
            deals: Development deals, each played from every seat.
            steps: Decisions of the learner between two evaluations.
            deck: Dealt from.
            on_result: Called with each result, as a line of metrics.
            seconds: Gives the time of the run, for these lines.
        """
        super().__init__()
        self.card, self.opponents, self.deals, self.steps, self.deck = card, opponents, deals, steps, deck
        self.on_result, self.seconds = on_result, seconds
        self.last = 0
        """Decisions of the learner at the last evaluation."""
        self.results: list[WinShare] = []
        """The last evaluation."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps // self.steps > self.last // self.steps:
            self.evaluate()

    def _on_training_end(self) -> None:
        if not self.results or self.num_timesteps != self.last:
            self.evaluate()

    def evaluate(self) -> None:
        """Evaluate the learner as it is now."""
        self.last = self.num_timesteps
        about = {"kind": "evaluation", "steps": self.num_timesteps, "seconds": round(self.seconds(), 3)}
        player = Baseline((self.card, network_of(self.model.policy)))  # type: ignore[arg-type]
        self.results = evaluate_all(player, self.opponents, self.card.players, self.deals, self.deck)
        for result in self.results:
            self.logger.record(f"evaluation/{result.players}p {result.opponent}", result.win_share)
            self.on_result(about | asdict(result))

    # For checkpoints

    def state(self) -> dict[str, Any]:
        """The last evaluation as plain values."""
        return {"last": self.last, "results": [asdict(result) for result in self.results]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self.last, self.results = state["last"], [WinShare(**result) for result in state["results"]]
