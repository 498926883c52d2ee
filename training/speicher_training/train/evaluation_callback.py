"""Evaluations of the learner while it learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Baseline, Card
from speicher_env.deal import DeckArgument
from speicher_training.train.evaluation import PlaySeats, WinShare, evaluate_all, play_seats
from speicher_training.train.export import network_of

__all__ = ["EvaluationCallback"]


class EvaluationCallback(BaseCallback):
    """Evaluates the learner at regular intervals and at the end.

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
        play: PlaySeats = play_seats,
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
            play: Plays the games.
        """
        super().__init__()
        self.card, self.opponents, self.deals, self.steps, self.deck = card, opponents, deals, steps, deck
        self.on_result, self.seconds, self.play = on_result, seconds, play
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
        self.results = evaluate_all(player, self.opponents, self.card.players, self.deals, self.deck, self.play)
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
