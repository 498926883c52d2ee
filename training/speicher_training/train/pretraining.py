"""A head start: before it learns from its own games, the learner is shown what another player would do.

Half of the games are played as the teacher plays, half as the learner does by now, and in every position of both the
teacher says what it would do (Ross, Gordon, Bagnell 2011: a learner that only sees the teacher's games is lost as soon
as it leaves them). The value learns what each game has paid in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.baselines import Card
from speicher_agents.specs import load_agent
from speicher_training.train.selfplay import lessons_of


@dataclass(frozen=True)
class Imitation:
    """How far a head start has come."""

    decisions: int
    agreement: float
    """Mean probability that the learner gave to what the teacher would do, before it learned from these games."""
    value_error: float
    """Mean square of what the learner expected less than what it was paid."""


def imitate(
    policy: MaskableActorCriticPolicy,
    card: Card,
    teacher: str,
    decisions: int,
    *,
    decks: list[str],
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
    value_weight: float = 0.5,
    masked: bool = True,
    seed: int = 0,
    watch: Callable[[Imitation], None] = lambda told: None,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Teach a policy what a player does and what comes of it; how many decisions it was shown.

    Args:
        policy: That learns.
        card: Which games it is for.
        teacher: The player's spec.
        decisions: To learn from, each once; whole games are played, so a few more.
        decks: Dealt from in turn.
        batch_size: Decisions in a minibatch.
        learning_rate: Of Adam at the beginning; it falls linearly to a tenth.
        value_weight: Weight of the value's error in the loss.
        masked: Whether it need only tell the teacher's action from other legal ones; if not, it learns from the teacher
            what is legal, too.
        seed: Of games, draws and order.
        watch: Told after the decisions of every `GAMES` games at most.
        stop: Asked at the same times; True ends it.
    """
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x7EAC4E])
    policy.set_training_mode(True)
    shown = 0
    lessons = lessons_of(policy, card, decks, decisions, rng, load_agent(teacher))
    while shown < decisions and not stop():
        lesson = next(lessons)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - 0.9 * shown / decisions)
        agreed = error = 0.0
        for part in np.array_split(rng.permutation(len(lesson.answers)), -(-len(lesson.answers) // batch_size)):
            rows, masks, answers, payoffs = (torch.as_tensor(array[part]) for array in lesson)
            values, logs, _ = policy.evaluate_actions(rows, answers, masks if masked else None)
            misjudged = (values[:, 0] - payoffs).square().mean()
            loss = value_weight * misjudged - logs.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            agreed += float(logs.detach().exp().sum())
            error += float(misjudged.detach()) * len(part)
        shown += len(lesson.answers)
        watch(Imitation(shown, agreed / len(lesson.answers), error / len(lesson.answers)))
    return shown
