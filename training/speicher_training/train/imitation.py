"""Imitation: the learner learns to act as a teacher does, before it learns from its own games or after that.

The teacher plays half of the games and the learner, as it is by then, the other half; in every position of both the
teacher's action is the one to learn (DAgger: Ross, Gordon and Bagnell 2011). A learner that only sees the teacher's
games does not know what to do in positions that the teacher avoids. Of a teacher that is a network the learner learns
all probabilities: they also say which decisions are close. The value learns what each game paid at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from speicher_agents.baselines import Card
from speicher_training.executor import Executor, InProcess
from speicher_training.executor.luggage import pack_luggage
from speicher_training.train.export import network_of
from speicher_training.train.gradients import Gradients
from speicher_training.train.losses import Examples, entropies, value_losses
from speicher_training.train.policy import SparsePolicy
from speicher_training.train.selfplay import WHOLE, Games, SelfPlay, SelfPlayRounds, clockwise

__all__ = ["Imitation", "ImitationProgress"]


@dataclass(frozen=True)
class ImitationProgress:
    """How far imitation is."""

    decisions: int
    agreement: float
    """Mean probability that the learner gave to the teacher's action, before it learned from these games. For a teacher
    with probabilities: a number that is 1 where the learner has the same ones, from the relative entropy."""
    value_error: float
    """Mean square of the predicted value minus the payoff."""


class Imitation:
    """The stage: games of teacher and learner, and the learning. It can be interrupted between two rounds."""

    def __init__(
        self,
        policy: SparsePolicy,
        card: Card,
        teacher: str,
        decisions: int,
        *,
        decks: Sequence[str],
        executor: Executor | None = None,
        batch_size: int = 1024,
        learning_rate: float = 1e-3,
        value_weight: float = 0.5,
        masked: bool = True,
        taught: Sequence[str] | None = None,
        seed: int = 0,
        gradients: Gradients | None = None,
    ) -> None:
        """Make ready; nothing is played yet.

        Args:
            policy: Learns to act as the player does; its value learns to predict the payoffs.
            card: Says which games.
            teacher: The player's spec.
            decisions: To learn from, each once; whole games are played, so a few more.
            decks: Dealt from in turn.
            executor: Has the games played; None for this process.
            batch_size: Decisions in a minibatch.
            learning_rate: Adam's at the beginning; it falls linearly to a tenth.
            value_weight: Weight of the value's errors in the loss.
            masked: Whether the policy is given the mask. If not, it learns from the teacher which actions are legal.
            taught: Decks on which the teacher is imitated; on others the policy learns to stay as it is now. None for
                all.
            seed: Of games, draws and order.
            gradients: Computes them; None for this thread alone.
        """
        self.policy, self.decisions = policy, decisions
        self.done = 0
        """Decisions that were learned from."""
        self._batch_size, self._learning_rate = batch_size, learning_rate
        self._value_weight, self._masked, self._seats = value_weight, masked, card.shape.seats
        self._gradients = gradients or Gradients()
        self._optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
        self._rng = np.random.default_rng([seed, 0x7EAC4E])
        self._before = None if taught is None else deepcopy(policy)
        executor = executor or InProcess()
        asked = None if taught is None else tuple(taught)
        job = SelfPlay(card, seed, teacher, asked, luggage=pack_luggage(executor, [teacher]))
        self._rounds = SelfPlayRounds(executor, job, decks, decisions)

    def learn(
        self,
        watch: Callable[[ImitationProgress], None] = lambda progress: None,
        stop: Callable[[], bool] = lambda: False,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        """Learn until all decisions are used up.

        Args:
            watch: Called after every round.
            stop: Asked a few times a second; True ends learning before the next round.
            between: Called before every round, where the state is whole.
        """
        self.policy.set_training_mode(True)
        try:
            while self.done < self.decisions and not stop():
                between()
                games = self._rounds.games(network_of(self.policy), stop)
                if games is None:
                    return
                watch(self._update(games))
        finally:
            self._rounds.close()

    def state(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return {
            "done": self.done, "rounds": self._rounds.state(), "stream": self._rng.bit_generator.state,
            "policy": self.policy.state_dict(), "optimizer": self._optimizer.state_dict(),
            "before": None if self._before is None else self._before.state_dict(),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a state: what was being played is played again."""
        self.done = state["done"]
        self._rng.bit_generator.state = state["stream"]
        self.policy.load_state_dict(state["policy"])
        self._optimizer.load_state_dict(state["optimizer"])
        if self._before is not None:
            self._before.load_state_dict(state["before"])
        self._rounds.restore(state["rounds"])

    def _update(self, games: Games) -> ImitationProgress:
        """Learn from all decisions of some games once."""
        data = _examples(games, self._seats)
        count = len(data.actions)
        for group in self._optimizer.param_groups:
            group["lr"] = self._learning_rate * (1.0 - 0.9 * self.done / self.decisions)
        agreement = error = 0.0
        for chosen in np.array_split(self._rng.permutation(count), -(-count // self._batch_size)):
            loss = partial(self._loss, data.some(chosen), games.policy[chosen])
            numbers = self._gradients.fill(self.policy, len(chosen), loss)
            self._optimizer.step()
            agreement += numbers["agreement"] * len(chosen)
            error += numbers["value_error"] * len(chosen)
        self.done += count
        return ImitationProgress(self.done, agreement / count, error / count)

    def _loss(
        self, minibatch: Examples[np.ndarray], teachers: np.ndarray, part: slice
    ) -> tuple[torch.Tensor, dict[str, float]]:
        """How far policy and value are from the teacher and the payoffs, in a part of a minibatch.

        Where the teacher was not asked, the policy as it was before is the teacher.
        """
        examples, wanted = minibatch.tensors(part), torch.from_numpy(teachers[part])
        masks = examples.masks if self._masked else None
        if self._before is not None:
            with torch.no_grad():
                own = self._before.logits_and_values(examples.rows, masks)[0].softmax(dim=1)
            wanted = torch.where((wanted > 0).any(dim=1, keepdim=True), wanted / WHOLE, own)
        judgement = self.policy.judge(examples.rows, masks, wanted)
        losses = value_losses(judgement.values, examples)
        loss = self._value_weight * torch.stack(list(losses.values())).sum() - judgement.logs.mean()
        agreement = float(np.exp(judgement.logs.detach().numpy() + entropies(wanted.numpy())).mean())
        return loss, {"agreement": agreement, "value_error": losses["value_loss"].item()}


def _examples(games: Games, seats: int) -> Examples[np.ndarray]:
    """All decisions of some games as arrays."""
    seen = games.decisions
    count = len(seen.actions)
    nothing = np.zeros(count, dtype=np.float32)
    payoffs = seen.rewards[games.game, seen.seats]
    return Examples(
        rows=seen.rows, masks=seen.masks, actions=seen.actions, log_probs=nothing,
        shares=clockwise(seen.shares[games.game], seen.seats, seats),
        points=clockwise(seen.points[games.game], seen.seats, seats),
        players=np.full(count, games.players, dtype=np.int8), advantages=nothing, returns=payoffs,
    )  # fmt: skip
