"""Acting: the games of a rollout, played by workers with NumPy alone, in parts that are tasks of an executor.

A part names everything that its result depends on: seeds, tables and networks. So it can be played by any worker, and
again if a worker is lost, with the same result. What comes back is the moves, from which the learner plays the games
again (see `speicher_env.batch.replay`), and what the network gave for each of the learner's decisions.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from speicher_agents.baselines import Baseline, Card, Network, read_tensors
from speicher_env.batch import Batch
from speicher_env.batch.opponents import OpponentSpec, player_from_spec
from speicher_training.executor import Report, Shared
from speicher_training.executor.luggage import Luggage
from speicher_training.train.evaluation import SeatGames, shares_of_seat

__all__ = ["Acting", "EvaluationTask", "Part", "PartTask", "Played"]

PART_SECONDS = 900.0
"""What a part may take before its worker counts as hung. Players of other people may be slow."""
NICE = 5
"""By how much a process gives way, so that on the cores of one machine the learner, which all wait for, goes first."""
NETWORKS = 32
"""Networks that a worker keeps."""
NOBODY = -1
"""In place of the number of a network: for scripted players. That of the learner is 0."""
_STREAM = 0xAC7


@dataclass(frozen=True, eq=False)
class Part:
    """Some games of a rollout, as plain values."""

    rollout: int
    number: int
    """From 0 in each rollout."""
    players: int
    seeds: np.ndarray
    """(games,) uint64: a game is dealt from its seed, and so is the learner's seat."""
    decks: tuple[str, ...]
    """One for each game."""
    opponents: tuple[str, ...]
    """The members of the league that sit in these games, by name."""
    seating: np.ndarray
    """(games, players - 1): places in `opponents`, clockwise from the learner's seat."""


@dataclass(frozen=True, eq=False)
class PartTask:
    """A part, and the networks that it needs."""

    part: Part
    learner: Shared
    """The tensors of the network that learns."""
    networks: Mapping[str, Shared]
    """The tensors of opponents by name; opponents that are not named here are scripted players."""


@dataclass(frozen=True, eq=False)
class EvaluationTask:
    """Games of an evaluation."""

    games: SeatGames
    network: Shared
    """The tensors of the network."""


class Played(NamedTuple):
    """The games of a part. Decisions are those to learn from: one game after the other, each in the order of time."""

    moves: np.ndarray
    """uint8: the actions of all seats, one game after the other; an illegal one that lost its game is the last."""
    lengths: np.ndarray
    """(games,) int16: the actions of each game."""
    seats: np.ndarray
    """(games,) int8: the learner's."""
    learned: np.ndarray
    """(games, players) bool: the seats whose decisions are learned from: the learner's, and others that it played."""
    ranks: np.ndarray
    """(games, players) int8, 1 is the best."""
    log_probs: np.ndarray
    """(decisions,) float32: logarithm of the probability of the action."""
    values: np.ndarray
    """(decisions,) float16: the payoff that the network predicts."""

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(array.nbytes for array in self)


@dataclass(frozen=True)
class Acting:
    """The job: play parts of rollouts, and the games of evaluations."""

    card: Card
    """Says which games, and what the network reads."""
    seed: int
    """Of the run."""
    luggage: Luggage
    """The files that scripted players need."""
    masked: bool = True
    """Whether the learner knows the mask; if not, an illegal action loses the game."""
    every_newest: bool = True
    """Whether the decisions of opponents that play by the learner's network are learned from, too."""

    def begin(self, report: Report) -> Callable[[PartTask | EvaluationTask], Played | np.ndarray]:
        """Make ready in a worker."""
        network = lru_cache(NETWORKS)(lambda content: Network.from_tensors(self.card.shape, read_tensors(content)))
        threads = ThreadpoolController()
        if multiprocessing.parent_process() is not None and hasattr(os, "nice"):
            os.nice(NICE)

        spec_of = cache(lambda name: self.luggage.unpacked([name])[0])

        def play(task: PartTask | EvaluationTask) -> Played | np.ndarray:
            with threads.limit(limits=1, user_api="blas"):  # the last bits depend on the number of threads
                if isinstance(task, EvaluationTask):
                    report("an evaluation", PART_SECONDS)
                    return shares_of_seat(Baseline((self.card, network(task.network.get()))), task.games)
                report(f"part {task.part.number} of rollout {task.part.rollout}", PART_SECONDS)
                return self._play(task, network, spec_of)

        return play

    def _play(self, task: PartTask, network: Callable[[bytes], Network], spec_of: Callable[[str], str]) -> Played:
        part = task.part
        rng = np.random.default_rng([self.seed, _STREAM, part.rollout, part.number])
        contents = list(dict.fromkeys(shared.get() for shared in (task.learner, *task.networks.values())))
        networks = [network(content) for content in contents]  # that of the learner is the first
        numbers = [
            contents.index(task.networks[name].get()) if name in task.networks else NOBODY for name in part.opponents
        ]
        batch = self._batch(part)
        scripted = [
            _scripted(spec_of(name), int(rng.integers(2**31))) if number == NOBODY else None
            for name, number in zip(part.opponents, numbers, strict=True)
        ]
        batch.set_opponents(scripted, seating=part.seating)
        batch.reset(part.seeds)
        deciders = _deciders(np.array(numbers)[part.seating], batch.seats)
        every = np.arange(len(part.seeds))
        learned = (deciders == 0) & (self.every_newest and self.masked)
        learned[every, batch.seats] = True
        deciders[every, batch.seats] = 0
        own = batch.seats.copy()
        lanes = np.flatnonzero(~batch.ended)
        steps: list[tuple[np.ndarray, ...]] = []
        while lanes.size:
            views = batch.views(lanes)
            decider, to_learn = deciders[lanes, views.seats], learned[lanes, views.seats]
            masks = views.masks
            if not self.masked:
                masks = np.where((views.seats == own[lanes])[:, None], np.ones_like(masks), masks)
            uniform = rng.random(lanes.size)
            actions, log_probs, values = np.empty(lanes.size, np.int64), np.empty(lanes.size), np.empty(lanes.size)
            for number in np.unique(decider).tolist():
                rows = slice(None) if len(networks) == 1 else np.flatnonzero(decider == number)
                actions[rows], log_probs[rows], values[rows] = networks[number].drawn(
                    views.observations[rows], masks[rows], uniform[rows]
                )
            steps.append((lanes[to_learn], actions[to_learn], log_probs[to_learn], values[to_learn]))
            batch.step(actions, lanes)
            lanes = lanes[~batch.ended[lanes]]
        return _collected(batch, learned, steps)

    def _batch(self, part: Part) -> Batch:
        return Batch(
            len(part.seeds), part.players, part.decks, "random", "random", self.card.reward, self.card.padded,
            "disabled", "raise" if self.masked else "lose", log_moves=True, figures=self.card.shape.figures,
        )  # fmt: skip


def _scripted(name: str, seed: int) -> OpponentSpec:
    """A player that depends on nothing but its name and this seed."""
    player = player_from_spec(name)
    if player is None:
        return name
    reset = getattr(player, "reset", None)
    if callable(reset):
        reset(seed)
    return player


def _deciders(seated: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """(games, players): the number of the network that decides for each seat.

    Args:
        seated: (games, players - 1): the networks clockwise from the learner's seat.
        seats: (games,) the learner's.
    """
    games, others = seated.shape
    deciders = np.zeros((games, others + 1), dtype=np.int64)
    clockwise = (seats[:, None] + np.arange(1, others + 1)) % (others + 1)
    np.put_along_axis(deciders, clockwise, seated, axis=1)
    return deciders


def _collected(batch: Batch, learned: np.ndarray, steps: list[tuple[np.ndarray, ...]]) -> Played:
    """The games of a batch that have all ended, and the decisions of every step, game by game."""
    results = batch.results()
    lanes, actions, log_probs, values = (np.concatenate(arrays) for arrays in zip(*steps, strict=True))
    moves = list(results.moves)
    for lane in np.flatnonzero(results.lost_illegally).tolist():
        moves[lane] = np.append(moves[lane], actions[lanes == lane][-1]).astype(np.uint8)
    order = np.argsort(lanes, kind="stable")
    return Played(
        np.concatenate(moves), np.array([len(each) for each in moves], dtype=np.int16), results.seats, learned,
        results.ranks, log_probs[order].astype(np.float32), values[order].astype(np.float16),
    )  # fmt: skip
