"""Value fine-tuning: at the end of a run that was paid by points, the value learns who wins.

Points teach faster than victory alone, but players, searches and hints need the payoff of the game. So the finished
policy plays itself, and its value learns from those games, while the policy learns to stay as it was.

A search asks for the value of positions that the policy hardly ever reaches, and games of the policy alone hold none
of these. So a few decisions are drawn from all legal actions alike, and play continues from there. What follows such a
random move says nothing about the decisions before it.

Who wins depends on much that happens after a decision. So the value first learns from results alone, and then more and
more from what it predicts a decision later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch.nn import functional

from speicher_agents.baselines import Card, Network
from speicher_training.executor import Executor, InProcess
from speicher_training.train.export import network_of
from speicher_training.train.gradients import Gradients
from speicher_training.train.losses import Examples, outcomes, value_losses
from speicher_training.train.policy import SparsePolicy
from speicher_training.train.selfplay import Games, SelfPlay, SelfPlayRounds, clockwise

__all__ = ["FinetuningProgress", "finetune_value", "value_targets"]


@dataclass(frozen=True)
class FinetuningProgress:
    """How far value fine-tuning is."""

    decisions: int
    value_error: float
    """Mean square of the predicted payoff minus its target, in games that it had not learned from yet."""


def value_targets(games: Games, results: np.ndarray, predicted: np.ndarray, trace: float) -> np.ndarray:
    """(decisions, players) float32: what the value is to predict at each decision, in the order of the seats.

    A target is a mean over what is predicted at the later decisions of the game and its result: the prediction at the
    next decision has the weight 1 - trace, the one after that (1 - trace) * trace, and so on; the result has what is
    left. Before a random move, the prediction there stands for all that follows. The target of a decision with a random
    move itself is of no use.

    Args:
        games: Whole games.
        results: (games, players): what is predicted, as it is at the end, such as the shares of the win.
        predicted: (decisions, players): as it is predicted now.
        trace: How far targets look ahead: 0 to the next decision, 1 to the result.
    """
    counts = games.decisions.counts
    targets = np.empty(predicted.shape, dtype=np.float32)
    ends = np.cumsum(counts)
    later = results.astype(np.float32)  # by game: what follows the decision
    for back in range(1, int(counts.max(initial=0)) + 1):
        going = np.flatnonzero(counts >= back)
        places = ends[going] - back
        targets[places] = later[going]
        mixed = (1.0 - trace) * predicted[places] + trace * later[going]
        later[going] = np.where(games.at_random[places][:, None], predicted[places], mixed)
    return targets


def finetune_value(
    policy: SparsePolicy,
    card: Card,
    decisions: int,
    *,
    decks: Sequence[str],
    executor: Executor | None = None,
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
    random_moves: float = 0.05,
    trace: float = 0.95,
    seed: int = 0,
    gradients: Gradients | None = None,
    watch: Callable[[FinetuningProgress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> Card:
    """Train the value of a policy to predict who wins its games against itself; return the card that says so.

    Args:
        policy: The policy whose value is trained.
        card: Says which games, and what they pay.
        decisions: To learn from, each once; whole games are played, so a few more.
        decks: Dealt from in turn.
        executor: Has the games played; None for this process.
        batch_size: Decisions in a minibatch.
        learning_rate: Adam's at the beginning; it falls linearly to a tenth.
        random_moves: The chance of each decision to be drawn from all legal actions alike.
        trace: How far targets look ahead at the end: 0 to the next decision, 1 to the result. It falls linearly from 1.
        seed: Of games, draws and order.
        gradients: Computes them; None for this thread alone.
        watch: Called after every `GAMES` games at most.
        stop: Asked at the same times; True ends fine-tuning.
    """
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x70D6E])
    before, gradients = deepcopy(policy), gradients or Gradients()
    policy.set_training_mode(True)
    done = 0
    job = SelfPlay(card, seed, random_moves=random_moves)
    network = network_of(policy)
    with closing(SelfPlayRounds(executor or InProcess(), job, decks, decisions)) as rounds:
        while done < decisions and (games := rounds.games(network, stop)) is not None:
            share = done / decisions
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1.0 - 0.9 * share)
            data = _examples(games, network_of(policy), 1.0 - (1.0 - trace) * share)
            count, error = len(data.actions), 0.0
            for chosen in np.array_split(rng.permutation(count), -(-count // batch_size)):
                loss = partial(_loss, policy, before, data.some(chosen))
                numbers = gradients.fill(policy, len(chosen), loss)
                optimizer.step()
                error += numbers["value_error"] * len(chosen)
            done += count
            watch(FinetuningProgress(done, error / count))
    return replace(card, reward="outcome")


def _loss(
    policy: SparsePolicy, before: SparsePolicy, minibatch: Examples[np.ndarray], part: slice
) -> tuple[torch.Tensor, dict[str, float]]:
    """The errors of the value and how far the policy is from what it was, in a part of a minibatch."""
    examples = minibatch.tensors(part)
    logits, values = policy.logits_and_values(examples.rows, examples.masks)
    with torch.no_grad():
        wanted, _ = before.logits_and_values(examples.rows, examples.masks)
    change = functional.kl_div(
        functional.log_softmax(logits, dim=1), functional.log_softmax(wanted, dim=1), log_target=True,
        reduction="batchmean",
    )  # fmt: skip
    losses = value_losses(values, examples)
    return torch.stack([change, *losses.values()]).sum(), {"value_error": losses["value_loss"].item()}


def _examples(games: Games, network: Network, trace: float) -> Examples[np.ndarray]:
    """The decisions to learn from as arrays, with their targets."""
    seen, seats, players = games.decisions, network.shape.seats, games.players
    rows = network.shape.row_format._replace(dtype="uint8").floats(seen.rows)
    back = -seen.seats.astype(np.int64)
    payoffs = network.payoffs(rows, players)
    predicted = clockwise((payoffs * (players - 1) + 1.0) / players, back, players)
    shares = clockwise(value_targets(games, seen.shares, predicted, trace), seen.seats, seats)
    points = np.zeros_like(shares)
    if network.shape.every_seat:
        predicted = clockwise(network.points(rows, players), back, players)
        points = clockwise(value_targets(games, seen.points, predicted, trace), seen.seats, seats)
    count = len(seen.actions)
    nothing = np.zeros(count, dtype=np.float32)
    data = Examples(
        seen.rows, seen.masks, seen.actions, nothing, shares, points, np.full(count, players, np.int8), nothing,
        outcomes(shares, players),
    )  # fmt: skip
    return Examples(*(array[~games.at_random] for array in data))
