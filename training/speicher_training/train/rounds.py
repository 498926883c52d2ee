"""Rounds of self-play: workers play games while the learner learns from those of the round before.

All stages but PPO take their games from here. Each has a job of its own, which says how a part of a round is played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from speicher_agents.baselines import Network, write_tensors
from speicher_training.executor import Executor, Job, Shared
from speicher_training.train.handout import Handout

__all__ = ["SEEDS", "Part", "Rounds"]

SEEDS = 900_000_000
"""The seeds of games for training are below this, those for evaluations above."""

Played = TypeVar("Played")


@dataclass(frozen=True, eq=False)
class Part:
    """Some games of a round."""

    number: int
    """Of all parts."""
    players: int
    seeds: np.ndarray
    """(games,) uint64."""
    decks: tuple[str, ...]
    network: Shared
    """Its tensors."""

    def plain(self, network: bytes | None = None) -> tuple[int, int, np.ndarray, tuple[str, ...], bytes]:
        """As values that a checkpoint can keep; with this content in place of the network's if it is given."""
        content = self.network.get() if network is None else network
        return self.number, self.players, self.seeds, self.decks, content


class Rounds(Generic[Played]):
    """Rounds without end, with each number of players in turn; close them to end the workers."""

    def __init__(
        self,
        executor: Executor,
        job: Job[Part, Played],
        *,
        players: Sequence[int],
        decks: Sequence[str],
        games: int,
        parts: int,
        rng: np.random.Generator,
    ) -> None:
        """Make ready; nothing is played yet.

        Args:
            executor: Has the games played.
            job: How they are played.
            players: Numbers of players, one for each round in turn.
            decks: Dealt from in turn.
            games: Of a round.
            parts: Tasks of a round, the most.
            rng: Draws the deals.
        """
        self._executor, self._players, self._decks = executor, list(players), list(decks)
        self._games, self._parts, self._rng = games, min(parts, games), rng
        self._handout: Handout[Part, Played] = Handout(executor, job)
        self._rounds = self._number = 0
        self._handed: list[Part] = []
        """The round that is being played."""

    def next(
        self, network: Network, stop: Callable[[], bool] = lambda: False
    ) -> tuple[list[Part], list[Played]] | None:
        """The next round, as parts and how they were played; the one after it is handed out before this returns.

        Args:
            network: As it is now; it plays the round after the next one.
            stop: Asked a few times a second; True ends the waiting.

        Returns:
            None if it was stopped. What is being played stays as it is then.
        """
        if not self._handed:
            self._hand_out(self._drawn(network))
        results = self._handout.take(stop)
        if results is None:
            return None
        parts = self._handed
        self._hand_out(self._drawn(network))
        self._handout.submit()
        return parts, results

    def go_on_beside(self) -> None:
        """Keep workers busy; to be called now and then while learning."""
        self._handout.go_on_beside()

    def close(self) -> None:
        """End all workers."""
        self._handout.close()

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, between two rounds, as plain values."""
        return {
            "rounds": self._rounds, "number": self._number, "stream": self._rng.bit_generator.state,
            "handed": [part.plain() for part in self._handed],
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a state: what was being played is played again."""
        self._rounds, self._number = state["rounds"], state["number"]
        self._rng.bit_generator.state = state["stream"]
        if state["handed"]:
            self._hand_out([self.part(*plain) for plain in state["handed"]])

    def part(self, number: int, players: int, seeds: np.ndarray, decks: tuple[str, ...], content: bytes) -> Part:
        """A part from plain values."""
        return Part(number, players, seeds, decks, self._executor.share(content))

    def _drawn(self, network: Network) -> list[Part]:
        """The next round, to be played by the network as it is."""
        players = self._players[self._rounds % len(self._players)]
        self._rounds += 1
        shared = self._executor.share(write_tensors(network.tensors()))
        seeds = self._rng.integers(SEEDS, size=self._games).astype(np.uint64)
        parts = []
        for places in np.array_split(np.arange(self._games), self._parts):
            dealt = tuple(self._decks[place % len(self._decks)] for place in places)
            parts.append(Part(self._number, players, seeds[places], dealt, shared))
            self._number += 1
        return parts

    def _hand_out(self, parts: list[Part]) -> None:
        self._handed = parts
        self._handout.give(parts)
