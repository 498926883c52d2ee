"""Evaluations during training, as a callback."""

from __future__ import annotations

from collections.abc import Sequence
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
    ) -> None:
        super().__init__()
        self.card, self.opponents, self.deals, self.steps, self.metrics, self.deck = (
            card, opponents, deals, steps, metrics, deck,
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
        player = Baseline((self.card, network_of(self.model.policy)))  # type: ignore[arg-type]
        self.found = probe_all(player, self.opponents, self.card.players, self.deals, self.deck)
        for one in self.found:
            self.logger.record(f"evaluation/{one.players}p {one.opponent}", one.win_share)
            if self.metrics is not None:
                self.metrics.add({"kind": "evaluation", "steps": self.num_timesteps, **one.told()})
