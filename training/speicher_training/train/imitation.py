"""A head start: before it learns from its own games, the learner is shown what another player would do.

Half of the games are played as the teacher plays, half as the learner does by now, and in every position of both the
teacher says what it would do (Ross, Gordon, Bagnell 2011: a learner that only sees the teacher's games is lost as soon
as it leaves them). The value learns what each game has paid in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from speicher_agents.baselines import Baseline, Card
from speicher_agents.player import Agent
from speicher_agents.specs import load_agent
from speicher_env.batch import Batch
from speicher_env.observation import observation_size
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.train.environment import SEEDS
from speicher_training.train.export import network_of

GAMES = 128
"""Most that are played at a time, for one pass over their decisions."""
DECISIONS_OF_A_GAME = 150
"""About; with two players."""


@dataclass(frozen=True)
class Imitation:
    """How far a head start has come."""

    decisions: int
    agreement: float
    """Mean probability that the learner gave to what the teacher would do, before it learned from these games."""
    value_error: float
    """Mean square of what the learner expected less than what it was paid."""


class _Lesson(NamedTuple):
    """Decisions of whole games."""

    rows: np.ndarray
    masks: np.ndarray
    answers: np.ndarray
    """What the teacher would do."""
    payoffs: np.ndarray
    """Of the deciding seat, at the end of its game."""


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
        masked: Whether it need only tell the teacher's action from other legal ones.
        masked: Whether the learner knows which actions are legal; if not, it learns that from the teacher too.
        seed: Of games, draws and order.
        watch: Told after the decisions of every `GAMES` games at most.
        stop: Asked at the same times; True ends it.
    """
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate, eps=1e-5)
    rng = np.random.default_rng([seed, 0x7EAC4E])
    policy.set_training_mode(True)
    shown = 0
    lessons = _lessons(policy, card, teacher, decks, min(GAMES, 1 + decisions // DECISIONS_OF_A_GAME), rng)
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


def _lessons(
    policy: MaskableActorCriticPolicy,
    card: Card,
    teacher: str,
    decks: list[str],
    games: int,
    rng: np.random.Generator,
) -> Iterator[_Lesson]:
    """Lesson after lesson, with each number of players in turn."""
    seats = MAX_PLAYERS if card.padded else card.players[0]
    model = load_agent(teacher)
    batches = [
        Batch(games, players, [decks[row % len(decks)] for row in range(games)], reward=card.reward, padded=card.padded)
        for players in card.players
    ]
    while True:
        for batch in batches:
            learner = Baseline((card, network_of(policy)), temperature=1.0, seed=int(rng.integers(2**31)))
            model.reset(int(rng.integers(2**31)))
            yield _play(batch, learner, model, rng, observation_size(seats))


def _play(batch: Batch, learner: Baseline, teacher: Agent, rng: np.random.Generator, size: int) -> _Lesson:
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
        answers = np.asarray(teacher.act(views), dtype=np.int64)
        kept.append(tuple(
            array[going].copy() for array in (views.observations, views.masks, answers, every, batch.seats)
        ))  # fmt: skip
        batch.step(np.where(follows, answers, learner.act(views)))
        over = going & batch.ended
        payoffs[over] = batch.rewards[over]
        going &= ~over
    rows, masks, answers, lanes, seats = (np.concatenate(arrays) for arrays in zip(*kept, strict=True))
    return _Lesson(rows, masks, answers, payoffs[lanes, seats])
