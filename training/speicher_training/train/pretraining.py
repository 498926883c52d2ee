"""Imitation pretraining: before it learns from its own games, the learner learns to act as a teacher does.

The teacher plays half of the games and the learner, as it is by then, the other half; in every position of both the
teacher's action is the one to learn (DAgger: Ross, Gordon and Bagnell 2011). A learner that only sees the teacher's
games does not know what to do in positions that the teacher avoids. The value learns what each game paid at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.agent import Agent
from speicher_agents.baselines import Baseline, Card
from speicher_agents.specs import load_agent
from speicher_env.views import Views
from speicher_training.train.export import network_of
from speicher_training.train.selfplay import batches_for, play_games

__all__ = ["ImitationData", "PretrainingProgress", "imitation_data", "pretrain"]


@dataclass(frozen=True)
class PretrainingProgress:
    """How far pretraining is."""

    decisions: int
    agreement: float
    """Mean probability that the learner gave to the teacher's action, before it learned from these games."""
    value_error: float
    """Mean square of the predicted value minus the payoff."""


class ImitationData(NamedTuple):
    """Decisions of whole games, with the actions to imitate."""

    rows: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    """The teacher's actions; without a teacher those that the learner took."""
    payoffs: np.ndarray
    """Of the deciding seat, at the end of its game."""


def imitation_data(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decks: Sequence[str],
    decisions: int,
    rng: np.random.Generator,
    teacher: Agent | None = None,
) -> Iterator[ImitationData]:
    """Games to learn from, without end, with each number of players in turn.

    Args:
        policy: Plays half of the games, or all of them without a teacher, as it is when they begin.
        card: Says which games, and what they pay.
        decks: Dealt from in turn.
        decisions: Needed in all; the fewer, the fewer games at a time.
        rng: Draws deals and moves.
        teacher: Plays the other half.
    """
    batches = batches_for(card, decks, decisions)
    while True:
        for batch in batches:
            learner = Baseline((card, network_of(policy)), temperature=1.0, seed=int(rng.integers(2**31)))
            if teacher is not None:
                teacher.reset(int(rng.integers(2**31)))
            with_teacher = rng.permutation(batch.num_games) < batch.num_games // 2

            def choose(
                views: Views, learner: Baseline = learner, with_teacher: np.ndarray = with_teacher
            ) -> tuple[np.ndarray, ...]:
                actions = np.asarray(learner.act(views), dtype=np.int64)
                if teacher is None:
                    return actions, actions
                to_imitate = np.asarray(teacher.act(views), dtype=np.int64)
                return np.where(with_teacher, to_imitate, actions), to_imitate

            games = play_games(batch, rng, choose)
            yield ImitationData(games.rows, games.masks, games.choices[1], games.returns)


def pretrain(
    policy: MaskableActorCriticPolicy,
    card: Card,
    teacher: str,
    decisions: int,
    *,
    decks: Sequence[str],
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
    value_weight: float = 0.5,
    masked: bool = True,
    seed: int = 0,
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
        batch_size: Decisions in a minibatch.
        learning_rate: Adam's at the beginning; it falls linearly to a tenth.
        value_weight: Weight of the value's error in the loss.
        masked: Whether the policy is given the mask. If not, it learns from the teacher which actions are legal, too.
        seed: Of games, draws and order.
        watch: Called after the decisions of every `GAMES` games at most.
        stop: Asked at the same times; True ends pretraining.
    """
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x7EAC4E])
    policy.set_training_mode(True)
    done = 0
    games = imitation_data(policy, card, decks, decisions, rng, load_agent(teacher))
    while done < decisions and not stop():
        data = next(games)
        count = len(data.actions)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - 0.9 * done / decisions)
        agreement = error = 0.0
        for part in np.array_split(rng.permutation(count), -(-count // batch_size)):
            rows, masks, actions, payoffs = (torch.as_tensor(array[part]) for array in data)
            values, logs, _ = policy.evaluate_actions(rows, actions, masks if masked else None)
            value_loss = (values[:, 0] - payoffs).square().mean()
            loss = value_weight * value_loss - logs.mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            agreement += float(logs.detach().exp().sum())
            error += float(value_loss.detach()) * len(part)
        done += count
        watch(PretrainingProgress(done, agreement / count, error / count))
    return done
