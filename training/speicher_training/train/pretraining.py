"""Imitation pretraining: before it learns from its own games, the learner learns to act as a teacher does.

The teacher plays half of the games and the learner, as it is by then, the other half; in every position of both the
teacher's action is the one to learn (DAgger: Ross, Gordon and Bagnell 2011). A learner that only sees the teacher's
games does not know what to do in positions that the teacher avoids. Of a teacher that is a network the learner learns
all probabilities: they also say which decisions are close. The value learns what each game paid at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from speicher_agents.baselines import Card
from speicher_training.executor import Executor, InProcess
from speicher_training.executor.luggage import pack_luggage
from speicher_training.train.export import network_of
from speicher_training.train.gradients import Gradients
from speicher_training.train.losses import Examples, entropies, value_losses
from speicher_training.train.policy import SparsePolicy
from speicher_training.train.selfplay import WHOLE, Games, SelfPlay, clockwise, stream_of_games

__all__ = ["PretrainingProgress", "pretrain"]


@dataclass(frozen=True)
class PretrainingProgress:
    """How far pretraining is."""

    decisions: int
    agreement: float
    """Mean probability that the learner gave to the teacher's action, before it learned from these games. For a teacher
    with probabilities: a number that is 1 where the learner has the same ones, from the relative entropy."""
    value_error: float
    """Mean square of the predicted value minus the payoff."""


def pretrain(
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
    watch: Callable[[PretrainingProgress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Train a policy to act as a player does, and its value to predict the payoffs; return the decisions learned from.

    Args:
        policy: The policy to train.
        card: Says which games.
        teacher: The player's spec.
        decisions: To learn from, each once; whole games are played, so a few more.
        decks: Dealt from in turn.
        executor: Has the games played; None for this process.
        batch_size: Decisions in a minibatch.
        learning_rate: Adam's at the beginning; it falls linearly to a tenth.
        value_weight: Weight of the value's errors in the loss.
        masked: Whether the policy is given the mask. If not, it learns from the teacher which actions are legal, too.
        taught: Decks on which the teacher is imitated; on others the policy learns to stay as it is now. None for all.
        seed: Of games, draws and order.
        gradients: Computes them; None for this thread alone.
        watch: Called after the decisions of every `GAMES` games at most.
        stop: Asked at the same times; True ends pretraining.
    """
    executor, gradients = executor or InProcess(), gradients or Gradients()
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x7EAC4E])
    policy.set_training_mode(True)
    done = 0
    before = None if taught is None else deepcopy(policy)
    job = SelfPlay(
        card, seed, teacher, None if taught is None else tuple(taught), luggage=pack_luggage(executor, [teacher])
    )
    with closing(stream_of_games(executor, job, decks, decisions, lambda: network_of(policy))) as rounds:
        while done < decisions and not stop():
            games = next(rounds)
            data = _imitation_data(games, card.shape.seats)
            count = len(data.actions)
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1.0 - 0.9 * done / decisions)
            agreement = error = 0.0
            for chosen in np.array_split(rng.permutation(count), -(-count // batch_size)):
                loss = partial(_loss, policy, before, data.some(chosen), games.policy[chosen], value_weight, masked)
                numbers = gradients.fill(policy, len(chosen), loss)
                optimizer.step()
                agreement += numbers["agreement"] * len(chosen)
                error += numbers["value_error"] * len(chosen)
            done += count
            watch(PretrainingProgress(done, agreement / count, error / count))
    return done


def _loss(
    policy: SparsePolicy, before: SparsePolicy | None, minibatch: Examples[np.ndarray], teachers: np.ndarray,
    value_weight: float, masked: bool, part: slice,
) -> tuple[torch.Tensor, dict[str, float]]:  # fmt: skip
    """How far policy and value are from the teacher and the payoffs, in a part of a minibatch.

    Where the teacher was not asked, the policy as it was before is the teacher.
    """
    examples, wanted = minibatch.tensors(part), torch.from_numpy(teachers[part])
    masks = examples.masks if masked else None
    if before is not None:
        with torch.no_grad():
            own = before.logits_and_values(examples.rows, masks)[0].softmax(dim=1)
        wanted = torch.where((wanted > 0).any(dim=1, keepdim=True), wanted / WHOLE, own)
    judgement = policy.judge(examples.rows, masks, wanted)
    losses = value_losses(judgement.values, examples)
    loss = value_weight * torch.stack(list(losses.values())).sum() - judgement.logs.mean()
    agreement = float(np.exp(judgement.logs.detach().numpy() + entropies(wanted.numpy())).mean())
    return loss, {"agreement": agreement, "value_error": losses["value_loss"].item()}


def _imitation_data(games: Games, seats: int) -> Examples[np.ndarray]:
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
