"""Self-play: whole games of one network, with all their decisions to learn from.

Imitation pretraining and value fine-tuning take their games from here. Workers play them and send them back as moves,
as in `acting`; each round of games is played while the learner learns from the one before it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from speicher_agents.agent import Agent
from speicher_agents.baselines import Baseline, Card, Network, read_tensors
from speicher_agents.baselines.player import Suited
from speicher_agents.specs import load_agent
from speicher_env.batch import Batch
from speicher_env.batch.replay import Decisions, replay
from speicher_env.observation import RowFormat
from speicher_env.views import Views
from speicher_training.executor import Executor, Report
from speicher_training.executor.luggage import Luggage
from speicher_training.train.rounds import Part, Rounds

__all__ = [
    "NICE", "PART_SECONDS", "WHOLE", "Games", "SelfPlay", "SelfPlayRounds", "as_bytes", "clockwise",
]  # fmt: skip

PART_SECONDS = 900.0
"""What a part may take before its worker counts as hung. Teachers may be slow."""
NICE = 5
"""By how much a worker process gives way to the learner."""
GAMES = 128
"""The most games in a round, for one pass over their decisions."""
PARTS = 2
"""Tasks of a round."""
DECISIONS_OF_A_GAME = 150
"""Roughly, with two players."""
WHOLE = 255
"""A probability of 1, as a byte."""


class Played(NamedTuple):
    """The games of a part; their decisions one game after the other, each in the order of time."""

    moves: np.ndarray
    """uint8: the actions of all seats, one game after the other."""
    lengths: np.ndarray
    """(games,) int16."""
    policy: np.ndarray
    """uint8: 255 times the teacher's probability of each legal action, in their order, 0 on decks on which it is not
    asked; empty without a teacher."""
    at_random: np.ndarray
    """(decisions,) bool: whether the move was drawn from all legal actions alike."""


class Games(NamedTuple):
    """Whole games with the same number of players."""

    players: int
    decisions: Decisions
    policy: np.ndarray
    """(decisions, 184) uint8: 255 times the teacher's probabilities; all 0 where no teacher was asked."""
    at_random: np.ndarray
    """(decisions,) bool."""

    @property
    def game(self) -> np.ndarray:
        """(decisions,): the game of each decision, from 0."""
        return np.repeat(np.arange(len(self.decisions.counts)), self.decisions.counts)


@dataclass(frozen=True)
class SelfPlay:
    """The job: play parts. A network plays by its probabilities, and a teacher may play half of the games."""

    card: Card
    """Says which games, and what the network reads."""
    seed: int
    teacher: str = ""
    """A player's spec, empty for none."""
    taught: tuple[str, ...] | None = None
    """The decks on which the teacher is asked; None for all."""
    random_moves: float = 0.0
    """The chance of each decision to be drawn from all legal actions alike."""
    luggage: Luggage = Luggage({})  # noqa: RUF009 - plain values
    """The files that the teacher needs."""

    def begin(self, report: Report) -> Callable[[Part], Played]:
        """Make ready in a worker."""
        network = lru_cache(2)(lambda content: Network.from_tensors(self.card.shape, read_tensors(content)))
        threads = ThreadpoolController()
        if multiprocessing.parent_process() is not None and hasattr(os, "nice"):
            os.nice(NICE)
        teacher = load_agent(self.luggage.unpacked([self.teacher])[0]) if self.teacher else None

        def play(part: Part) -> Played:
            report(f"self-play {part.number}", PART_SECONDS)
            with threads.limit(limits=1, user_api="blas"):  # the last bits depend on the number of threads
                return self._play(part, network(part.network.get()), teacher)

        return play

    def _play(self, part: Part, network: Network, teacher: Agent | None) -> Played:
        rng = np.random.default_rng([self.seed, part.number])
        games = len(part.seeds)
        shape = self.card.shape
        batch = Batch(
            games, part.players, part.decks, padded=self.card.padded, autoreset="disabled", log_moves=True,
            figures=shape.figures,
        )  # fmt: skip
        batch.reset(part.seeds)
        if teacher is not None:
            teacher.reset(int(rng.integers(2**31)))
        asked = np.array([self.taught is None or deck in self.taught for deck in part.decks])
        with_teacher = asked & (rng.permutation(games) < (games // 2 if teacher is not None else 0))
        lanes = np.flatnonzero(~batch.ended)
        steps: list[tuple[np.ndarray, ...]] = []
        taught: list[tuple[np.ndarray, ...]] = []
        while lanes.size:
            views = batch.views(lanes)
            actions, _, _ = network.drawn(views.observations, views.masks, rng.random(lanes.size))
            at_random = rng.random(lanes.size) < self.random_moves
            if teacher is not None:
                chances = np.zeros(views.masks.shape, dtype=np.uint8)
                rows = asked[lanes]
                if rows.any():
                    chances[rows] = _policy_of(teacher, views if rows.all() else batch.views(lanes[rows]))
                actions = np.where(with_teacher[lanes], chances.argmax(axis=1), actions)
                taught.append((lanes, chances, views.masks))
            elif at_random.any():
                drawn = (rng.random(views.masks.shape) * views.masks).argmax(axis=1)
                actions = np.where(at_random, drawn, actions)
            steps.append((lanes, at_random))
            batch.step(actions, lanes)
            lanes = lanes[~batch.ended[lanes]]
        results = batch.results()
        of_lane, at_random = (np.concatenate(arrays) for arrays in zip(*steps, strict=True))
        order = np.argsort(of_lane, kind="stable")
        policy = np.empty(0, dtype=np.uint8)
        if taught:
            _, chances, masks = (np.concatenate(arrays) for arrays in zip(*taught, strict=True))
            policy = chances[order][masks[order] == 1]
        return Played(
            np.concatenate(results.moves), np.array([len(moves) for moves in results.moves], dtype=np.int16),
            policy, at_random[order],
        )  # fmt: skip


def _policy_of(teacher: Agent, views: Views) -> np.ndarray:
    """(rows, 184) uint8: 255 times a teacher's probabilities; a teacher that has none is certain of its actions."""
    if isinstance(teacher, Baseline | Suited):
        return as_bytes(teacher.policy(views))
    certain = np.zeros(views.masks.shape, dtype=np.uint8)
    certain[np.arange(len(views)), teacher.act(views)] = WHOLE
    return certain


def as_bytes(policy: np.ndarray) -> np.ndarray:
    """Probabilities as bytes, 255 for 1."""
    numbers: np.ndarray = np.rint(policy * WHOLE).astype(np.uint8)
    return numbers


class SelfPlayRounds(Rounds[Played]):
    """Rounds of self-play with all that is known of their decisions."""

    def __init__(self, executor: Executor, job: SelfPlay, decks: Sequence[str], decisions: int) -> None:
        """Make ready; nothing is played yet.

        Args:
            executor: Has the games played.
            job: How they are played.
            decks: Dealt from in turn.
            decisions: Needed in all; the fewer, the fewer games at a time.
        """
        card = job.card
        self._format, self._reward = RowFormat(card.shape.seats, card.shape.figures, "uint8"), card.reward
        games = min(GAMES, 1 + decisions // DECISIONS_OF_A_GAME)
        rng = np.random.default_rng([job.seed, 0x5E1F])
        super().__init__(executor, job, players=card.players, decks=decks, games=games, parts=PARTS, rng=rng)

    def games(self, network: Network, stop: Callable[[], bool] = lambda: False) -> Games | None:
        """The games of the next round, played again by this process; None if it was stopped. See `next`."""
        played = self.next(network, stop)
        return None if played is None else _replayed(*played, self._format, self._reward)


def _replayed(parts: Sequence[Part], results: Sequence[Played], row_format: RowFormat, reward: str) -> Games:
    """The games of a round, played again."""
    players = parts[0].players
    decks = [deck for part in parts for deck in part.decks]
    seeds = np.concatenate([part.seeds for part in parts])
    at_random = np.concatenate([played.at_random for played in results])
    decisions = replay(
        players, decks, seeds, np.concatenate([played.moves for played in results]),
        np.concatenate([played.lengths for played in results]), np.ones((len(seeds), players), dtype=bool),
        len(at_random), row_format, reward,
    )  # fmt: skip
    policy = np.zeros(decisions.masks.shape, dtype=np.uint8)
    taught = np.concatenate([played.policy for played in results])
    if len(taught):
        policy[decisions.masks == 1] = taught
    return Games(players, decisions, policy, at_random)


def clockwise(numbers: np.ndarray, seats: np.ndarray, room: int) -> np.ndarray:
    """(rows, room) float32: numbers of the seats from the given one on clockwise, then zeros for empty seats.

    Args:
        numbers: (rows, players), in the order of the seats.
        seats: (rows,) where each row begins; minus a seat turns its row back.
        room: Seats in a row, at least the players.
    """
    players = numbers.shape[1]
    turned = np.zeros((len(numbers), room), dtype=np.float32)
    places = (np.arange(players) + seats.astype(np.int64)[:, None]) % players
    turned[:, :players] = np.take_along_axis(numbers, places, axis=1)
    return turned
