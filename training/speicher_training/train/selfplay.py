"""Whole games to learn from: each decision, what a teacher would do, and what the game has paid in the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.agent import Agent
from speicher_agents.baselines import Baseline, Card
from speicher_env.batch import Batch
from speicher_training.train.environment import SEEDS
from speicher_training.train.export import network_of

GAMES = 128
"""Most that are played at a time, for one pass over their decisions."""
DECISIONS_OF_A_GAME = 150
"""About; with two players."""


class Lesson(NamedTuple):
    """Decisions of whole games."""

    rows: np.ndarray
    masks: np.ndarray
    answers: np.ndarray
    """What the teacher would do; without a teacher what the learner did."""
    payoffs: np.ndarray
    """Of the deciding seat, at the end of its game."""


def lessons_of(
    policy: MaskableActorCriticPolicy,
    card: Card,
    decks: list[str],
    decisions: int,
    rng: np.random.Generator,
    teacher: Agent | None = None,
) -> Iterator[Lesson]:
    """Lesson after lesson without end, with each number of players in turn.

    Args:
        policy: Plays as it is when a lesson begins: half of the games, or all of them without a teacher.
        card: Which games it is for, and what they pay.
        decks: Dealt from in turn.
        decisions: Wanted in all; the fewer, the fewer games at a time.
        rng: Draws deals and moves.
        teacher: Plays the other half, and says in all of them what it would do.
    """
    batches = batches_of(card, decks, decisions)
    while True:
        for batch in batches:
            learner = Baseline((card, network_of(policy)), temperature=1.0, seed=int(rng.integers(2**31)))
            if teacher is not None:
                teacher.reset(int(rng.integers(2**31)))
            yield _play(batch, learner, teacher, rng)


def batches_of(card: Card, decks: list[str], decisions: int) -> list[Batch]:
    """For each number of players the games of a lesson; the fewer decisions are wanted in all, the fewer games."""
    games = min(GAMES, 1 + decisions // DECISIONS_OF_A_GAME)
    return [
        Batch(games, players, [decks[row % len(decks)] for row in range(games)], reward=card.reward, padded=card.padded)
        for players in card.players
    ]


def _play(batch: Batch, learner: Agent, teacher: Agent | None, rng: np.random.Generator) -> Lesson:
    """Play one game in every lane, and keep all its decisions."""
    games = batch.num_games
    every = np.arange(games)
    follows = rng.permutation(games) < games // 2
    batch.reset(rng.integers(SEEDS, size=games))
    kept: list[tuple[np.ndarray, ...]] = []
    payoffs = np.zeros((games, batch.num_players), dtype=np.float32)
    going = np.ones(games, dtype=bool)
    while going.any():
        views = batch.views(every)
        actions = answers = np.asarray(learner.act(views), dtype=np.int64)
        if teacher is not None:
            answers = np.asarray(teacher.act(views), dtype=np.int64)
            actions = np.where(follows, answers, actions)
        kept.append(tuple(
            array[going].copy() for array in (views.observations, views.masks, answers, every, batch.seats)
        ))  # fmt: skip
        batch.step(actions)
        over = going & batch.ended
        payoffs[over] = batch.rewards[over]
        going &= ~over
    rows, masks, answers, lanes, seats = (np.concatenate(arrays) for arrays in zip(*kept, strict=True))
    return Lesson(rows, masks, answers, payoffs[lanes, seats])
