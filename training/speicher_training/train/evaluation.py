"""Evaluations during training, as a callback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Baseline, Card
from speicher_training.train.export import network_of
from speicher_training.train.metrics import MetricsFile
from speicher_training.train.probe import Probe, probe_all


class EvaluationCallback(BaseCallback):
    """Every so many decisions, and at the end, probe the learner and write down what came of it.

    It draws nothing from the run's random streams: a run with other evaluations learns the same.
    """

    def __init__(
        self,
        card: Card,
        opponents: Sequence[str],
        deals: int,
        steps: int,
        metrics: MetricsFile | None = None,
        deck: Any = "standard",
        seconds: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Make ready.

        Args:
            card: Of the learner.
            opponents: Who sits in all other seats, one after the other.
            deals: Development deals, each played from every seat.
            steps: Decisions of the learner between two evaluations.
            metrics: Where lines of what was found are added.
            deck: What is dealt from.
            seconds: That the run has taken so far; every line tells it.
        """
        super().__init__()
        self.card, self.opponents, self.deals, self.steps, self.metrics, self.deck, self.seconds = (
            card, opponents, deals, steps, metrics, deck, seconds,
        )  # fmt: skip
        self.last = 0
        """Decisions at the last evaluation."""
        self.found: list[Probe] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps // self.steps > self.last // self.steps:
            self.evaluate()

    def _on_training_end(self) -> None:
        if self.num_timesteps != self.last:
            self.evaluate()

    def evaluate(self) -> None:
        """Probe the learner as it is."""
        self.last = self.num_timesteps
        seconds = round(self.seconds(), 2)
        player = Baseline((self.card, network_of(self.model.policy)))  # type: ignore[arg-type]
        self.found = probe_all(player, self.opponents, self.card.players, self.deals, self.deck)
        for one in self.found:
            self.logger.record(f"evaluation/{one.players}p {one.opponent}", one.win_share)
            if self.metrics is not None:
                about = {"kind": "evaluation", "steps": self.num_timesteps, "seconds": seconds}
                self.metrics.add(about | one.told())
