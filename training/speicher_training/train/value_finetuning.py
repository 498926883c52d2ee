"""Value fine-tuning: at the end of a run that was paid by points, the value learns who wins.

Points teach faster than victory alone, but players, searches and hints need the payoff of the game. So the finished
policy plays itself, and a copy of its value learns what those games paid. The policy stays as it is.

A search asks for the value of positions that the policy hardly ever reaches, and games of the policy alone hold none
of these. So a few decisions are drawn from all legal actions alike, and play continues from there. What follows such a
random move says nothing about the decisions before it.

Who wins depends on much that happens after a decision. So the value first learns from payoffs alone, and then more and
more from what it predicts a few decisions later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.baselines import Card, Network
from speicher_agents.baselines.sampling import draw_rows
from speicher_env.views import Views
from speicher_training.train.export import network_of
from speicher_training.train.selfplay import Games, batches_for, play_games

__all__ = ["FinetuningProgress", "finetune_value", "games_with_random_moves", "value_targets"]


@dataclass(frozen=True)
class FinetuningProgress:
    """How far value fine-tuning is."""

    decisions: int
    value_error: float
    """Mean square of the predicted value minus its target, in games that it had not learned from yet."""


def games_with_random_moves(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decks: Sequence[str],
    decisions: int,
    rng: np.random.Generator,
    random_moves: float,
) -> Iterator[Games]:
    """Self-play without end, with each number of players in turn.

    The choices that are kept are the actions, the predicted values (-1..1), and whether a move was a random one.

    Args:
        policy: Plays as it is when games begin.
        card: Says which games, and what they pay.
        decks: Dealt from in turn.
        decisions: Needed in all; the fewer, the fewer games at a time.
        rng: Draws deals, moves and random moves.
        random_moves: The chance of each decision to be drawn from all legal actions alike.
    """
    batches = batches_for(card, decks, decisions)
    while True:
        for batch in batches:
            network = network_of(policy)

            def choose(views: Views, network: Network = network) -> tuple[np.ndarray, ...]:
                logits, values = network.logits_and_values(views.observations, views.masks)
                chances = np.exp(logits - logits.max(axis=1, keepdims=True))
                is_random = rng.random(len(chances)) < random_moves
                chances[is_random] = views.masks[is_random]
                actions = draw_rows(chances, rng.random(len(chances)))
                return actions, np.clip(values, -1.0, 1.0), is_random

            yield play_games(batch, rng, choose)


def value_targets(games: Games, trace: float) -> tuple[np.ndarray, np.ndarray]:
    """The decisions to learn from, as observations, and the target of the value at each.

    A target is a mean over the values at the seat's later decisions and the payoff: the value at its next decision has
    the weight 1 - trace, the one after that (1 - trace) * trace, and so on; the payoff has what is left. A decision
    with a random move, of whichever seat, before its seat decides again is left out, and for earlier decisions its
    value stands for all that follows.
    """
    _, values, random_moves = (games.by_time(array) for array in games.choices)
    seats = games.by_time(games.seats)
    lanes, players = games.payoffs.shape
    every = np.arange(lanes)
    next_value = games.payoffs.copy()  # by lane and seat: the value at the seat's next decision
    next_mean = games.payoffs.copy()  # and the target there
    undisturbed = np.ones((lanes, players), dtype=bool)  # no random move before that decision
    targets = np.zeros(values.shape, dtype=np.float32)
    used = np.zeros(values.shape, dtype=bool)
    for now in range(len(values) - 1, -1, -1):
        present = games.present[now]
        undisturbed[random_moves[now] & present] = False
        lane = every[present]
        seat = seats[now, lane]
        mean = (1.0 - trace) * next_value[lane, seat] + trace * next_mean[lane, seat]
        targets[now, lane], used[now, lane] = mean, undisturbed[lane, seat]
        next_value[lane, seat] = values[now, lane]
        next_mean[lane, seat] = np.where(undisturbed[lane, seat], mean, values[now, lane])
        undisturbed[lane, seat] = True
    return games.rows[used[games.present]], targets[used]


def finetune_value(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decisions: int,
    *,
    decks: Sequence[str],
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
    random_moves: float = 0.05,
    trace: float = 0.95,
    seed: int = 0,
    watch: Callable[[FinetuningProgress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> Card:
    """Train the value of a policy to predict who wins its games against itself; return the card that says so.

    Args:
        policy: The policy whose value is trained.
        card: Says which games.
        decisions: To learn from, each once; whole games are played, so a few more.
        decks: Dealt from in turn.
        batch_size: Decisions in a minibatch.
        learning_rate: Adam's at the beginning; it falls linearly to a tenth.
        random_moves: The chance of each decision to be drawn from all legal actions alike.
        trace: How far targets look ahead at the end: 0 to the seat's next decision, 1 to the payoff. It falls linearly
            from 1.
        seed: Of games, draws and order.
        watch: Called after every `GAMES` games at most.
        stop: Asked at the same times; True ends fine-tuning.
    """
    card = replace(card, reward="outcome")
    weights = [*policy.mlp_extractor.value_net.parameters(), *policy.value_net.parameters()]
    optimizer = torch.optim.Adam(weights, learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x70D6E])
    policy.set_training_mode(True)
    done = 0
    games = games_with_random_moves(policy, card, decks, decisions, rng, random_moves)
    while done < decisions and not stop():
        share = done / decisions
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - 0.9 * share)
        rows, targets = value_targets(next(games), 1.0 - (1.0 - trace) * share)
        error = 0.0
        for part in np.array_split(rng.permutation(len(targets)), -(-len(targets) // batch_size)):
            values = policy.predict_values(torch.as_tensor(rows[part]))[:, 0]
            loss = (values - torch.as_tensor(targets[part])).square().mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            error += float(loss.detach()) * len(part)
        done += len(targets)
        watch(FinetuningProgress(done, error / len(targets)))
    return card
