"""Games of a policy against itself that now and then go astray, and what each decision in them is to be thought worth.

A search asks for the value of positions that the policy would hardly ever bring about, and in games that go as the
policy wants there are none of these. So a few decisions are drawn from all legal actions alike, and play goes on from
there. What came of such a mistake says nothing about the decisions before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.baselines import Card, Network
from speicher_agents.baselines.sampling import draw_rows
from speicher_env.batch import Batch
from speicher_training.train.environment import SEEDS
from speicher_training.train.export import network_of
from speicher_training.train.selfplay import batches_of


class Played(NamedTuple):
    """Games side by side, one in each lane; (time, lanes) but for the payoffs."""

    values: np.ndarray
    """What the deciding seat expected, -1..1."""
    seats: np.ndarray
    """Who decided."""
    strayed: np.ndarray
    """Whether the action was drawn from all legal ones."""
    going: np.ndarray
    """Whether there was anything to decide, or the game was over."""
    payoffs: np.ndarray
    """(lanes, players): at the end of the game."""


class Worth(NamedTuple):
    """Decisions, and what each is to be thought worth to the seat that makes it."""

    rows: np.ndarray
    worth: np.ndarray


def games_astray(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decks: list[str],
    decisions: int,
    rng: np.random.Generator,
    astray: float,
) -> Iterator[tuple[np.ndarray, Played]]:
    """Games after games without end, with each number of players in turn: observations, and how the games went.

    Args:
        policy: Plays as it is when games begin.
        card: Which games it is for, and what they pay.
        decks: Dealt from in turn.
        decisions: Wanted in all; the fewer, the fewer games at a time.
        rng: Draws deals, moves and mistakes.
        astray: The chance of each decision to be drawn from all legal actions alike.
    """
    batches = batches_of(card, decks, decisions)
    while True:
        for batch in batches:
            yield _play(batch, network_of(policy), rng, astray)


def _play(batch: Batch, network: Network, rng: np.random.Generator, astray: float) -> tuple[np.ndarray, Played]:
    lanes = batch.num_games
    every = np.arange(lanes)
    batch.reset(rng.integers(SEEDS, size=lanes))
    rows: list[np.ndarray] = []
    kept: list[tuple[np.ndarray, ...]] = []
    payoffs = np.zeros((lanes, batch.num_players), dtype=np.float32)
    going = np.ones(lanes, dtype=bool)
    while going.any():
        views = batch.views(every)
        logits, values = network.logits_and_values(views.observations, views.masks)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        strayed = rng.random(lanes) < astray
        chances[strayed] = views.masks[strayed]
        rows.append(views.observations.copy())
        kept.append((np.clip(values, -1.0, 1.0), batch.seats.copy(), strayed, going.copy()))
        batch.step(draw_rows(chances, rng.random(lanes)))
        over = going & batch.ended
        payoffs[over] = batch.rewards[over]
        going &= ~over
    values, seats, strayed, before = (np.stack(arrays) for arrays in zip(*kept, strict=True))
    return np.stack(rows), Played(values, seats, strayed, before, payoffs)


def worth_of(rows: np.ndarray, played: Played, trace: float) -> Worth:
    """What each decision is to be thought worth: a mean over its seat's later values and the payoff.

    The value at the seat's next decision has the weight 1 - trace, the one after that (1 - trace) * trace, and so on;
    the payoff has what is left. Where anybody went astray before the seat decides again, the decision is left out, and
    for earlier ones its value stands in for all that followed.
    """
    lanes, players = played.payoffs.shape
    every = np.arange(lanes)
    following = played.payoffs.copy()  # by lane and seat: the value at the seat's next decision
    ahead = played.payoffs.copy()  # and the mean from there on
    clean = np.ones((lanes, players), dtype=bool)  # nobody has gone astray before that decision
    worth = np.zeros(played.values.shape, dtype=np.float32)
    used = np.zeros(played.values.shape, dtype=bool)
    for now in range(len(played.values) - 1, -1, -1):
        clean[played.strayed[now] & played.going[now]] = False
        lane = every[played.going[now]]
        seat = played.seats[now, lane]
        mean = (1.0 - trace) * following[lane, seat] + trace * ahead[lane, seat]
        worth[now, lane], used[now, lane] = mean, clean[lane, seat]
        following[lane, seat] = played.values[now, lane]
        ahead[lane, seat] = np.where(clean[lane, seat], mean, played.values[now, lane])
        clean[lane, seat] = True
    return Worth(rows[used], worth[used])
