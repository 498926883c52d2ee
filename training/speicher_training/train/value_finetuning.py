"""At the end of a run that was paid by points, the value learns who wins.

Points ahead teach faster than victory alone, but players, searches and hints want to know the payoff of the game. So
the finished policy plays itself, now and then astray, and a copy of its value learns what those games have paid; the
policy stays as it is. Who wins hangs on much that comes after a decision. So the value first learns from payoffs alone,
and then more and more from what it has come to expect a few decisions later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.baselines import Card
from speicher_training.train.astray import games_astray, worth_of


@dataclass(frozen=True)
class Judged:
    """How far the value has come."""

    decisions: int
    value_error: float
    """Mean square of what it expected less than what it was to learn, in games that it had not learned from yet."""


def learn_to_judge(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decisions: int,
    *,
    decks: list[str],
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
    astray: float = 0.05,
    trace: float = 0.95,
    seed: int = 0,
    watch: Callable[[Judged], None] = lambda told: None,
    stop: Callable[[], bool] = lambda: False,
) -> Card:
    """Teach the value of a policy what games pay that the policy plays against itself; the card that says so.

    Args:
        policy: Whose value learns.
        card: Which games it is for.
        decisions: To learn from, each once; whole games are played, so a few more.
        decks: Dealt from in turn.
        batch_size: Decisions in a minibatch.
        learning_rate: Of Adam at the beginning; it falls linearly to a tenth.
        astray: The chance of each decision to be drawn from all legal actions alike.
        trace: How far what it learns looks ahead in the end: 0 to the seat's next decision, 1 to the payoff. It falls
            linearly from 1.
        seed: Of games, draws and order.
        watch: Told after every `GAMES` games at most.
        stop: Asked at the same times; True ends it.
    """
    told = replace(card, reward="outcome")
    weights = [*policy.mlp_extractor.value_net.parameters(), *policy.value_net.parameters()]
    optimizer = torch.optim.Adam(weights, learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x70D6E])
    policy.set_training_mode(True)
    shown = 0
    games = games_astray(policy, told, decks, decisions, rng, astray)
    while shown < decisions and not stop():
        done = shown / decisions
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - 0.9 * done)
        rows, worth = worth_of(*next(games), 1.0 - (1.0 - trace) * done)
        error = 0.0
        for part in np.array_split(rng.permutation(len(worth)), -(-len(worth) // batch_size)):
            expected = policy.predict_values(torch.as_tensor(rows[part]))[:, 0]
            misjudged = (expected - torch.as_tensor(worth[part])).square().mean()
            optimizer.zero_grad()
            misjudged.backward()
            optimizer.step()
            error += float(misjudged.detach()) * len(part)
        shown += len(worth)
        watch(Judged(shown, error / len(worth)))
    return told
