"""Self-play by search: games in which a search chooses every move, with what it found, to learn from.

A part of the decisions gets a search, whose improved policy and values are the targets. All others only bring the game
forward: the network draws them from its policy, or a shorter search chooses them (as in KataGo). Games travel as moves,
as in `acting`.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines import Baseline, Card, Network, read_tensors
from speicher_agents.baselines.guided import GuidedByBaseline
from speicher_env.batch import Batch
from speicher_env.batch.replay import Decisions, replay
from speicher_training.executor import Report
from speicher_training.train.rounds import Part
from speicher_training.train.selfplay import NICE, PART_SECONDS, as_bytes, clockwise

__all__ = ["SearchedPlay", "SearchedPlayed", "Targets", "replayed_targets"]


class SearchedPlayed(NamedTuple):
    """The games of a part; their decisions one game after the other, each in the order of time."""

    moves: np.ndarray
    """uint8: the actions of all seats."""
    lengths: np.ndarray
    """(games,) int16."""
    full: np.ndarray
    """(decisions,) bool: whether the search was a full one. What follows is of these decisions."""
    policy: np.ndarray
    """uint8: 255 times the improved policy, a number for each legal action in their order."""
    values: np.ndarray
    """(full searches, players) float16: the payoff of each seat that the search has found."""


class Targets(NamedTuple):
    """The decisions with full searches, a row for each."""

    rows: np.ndarray
    """(decisions, size) uint8, see `RowFormat`."""
    masks: np.ndarray
    """(decisions, 184) int8."""
    policy: np.ndarray
    """(decisions, 184) uint8: 255 times the improved policy."""
    shares: np.ndarray
    """(decisions, seats) float32: what each seat's share of the win is to be, clockwise from the deciding one."""
    points: np.ndarray
    """(decisions, seats) float32: points at the end, alike."""
    players: np.ndarray
    """(decisions,) int8."""


@dataclass(frozen=True)
class SearchedPlay:
    """The job: play parts."""

    card: Card
    """Says which games, and what the network reads."""
    seed: int
    iterations: int
    """Of a full search."""
    quick_iterations: int
    """Of the others; 0 to draw them from the network's policy."""
    full_share: float
    """The share of decisions with a full search."""
    scale: float
    """How much a payoff counts against the network's policy in the improved one, see `GuidedSearch`."""

    def begin(self, report: Report) -> Callable[[Part], SearchedPlayed]:
        """Make ready in a worker."""
        if multiprocessing.parent_process() is not None and hasattr(os, "nice"):
            os.nice(NICE)

        def play(part: Part) -> SearchedPlayed:
            report(f"searched games {part.number}", PART_SECONDS)
            return self._play(part)

        return play

    def _play(self, part: Part) -> SearchedPlayed:
        rng = np.random.default_rng([self.seed, 0x5EA7C4, part.number])
        network = Network.from_tensors(self.card.shape, read_tensors(part.network.get()))
        judge = Baseline((self.card, network))

        def searches(iterations: int) -> GuidedByBaseline:
            seed = int(rng.integers(2**31))
            return GuidedByBaseline(judge, iterations, temperature=1.0, seed=seed, scale=self.scale)

        quick = searches(self.quick_iterations) if self.quick_iterations else None
        whole = searches(self.iterations)
        batch = Batch(
            len(part.seeds), part.players, part.decks, padded=self.card.padded, autoreset="disabled", log_moves=True,
            figures=self.card.shape.figures,
        )  # fmt: skip
        batch.reset(part.seeds)
        lanes = np.flatnonzero(~batch.ended)
        steps: list[tuple[np.ndarray, ...]] = []
        while lanes.size:
            views = batch.views(lanes)
            full = rng.random(lanes.size) < self.full_share
            rows, others = np.flatnonzero(full), np.flatnonzero(~full)
            actions = np.empty(lanes.size, dtype=np.int64)
            policy = np.zeros(views.masks.shape, dtype=np.uint8)
            values = np.zeros((lanes.size, part.players), dtype=np.float16)
            if rows.size:
                targets = whole.targets(views.states[rows])
                actions[rows], policy[rows], values[rows] = targets.actions, as_bytes(targets.policy), targets.values
            if others.size and quick is not None:
                actions[others] = quick.targets(views.states[others]).actions
            elif others.size:
                seen = views.observations[others], views.masks[others]
                actions[others], _, _ = network.drawn(*seen, rng.random(others.size))
            steps.append((lanes, full, policy, values, views.masks))
            batch.step(actions, lanes)
            lanes = lanes[~batch.ended[lanes]]
        results = batch.results()
        of_lane, full, policy, values, masks = (np.concatenate(arrays) for arrays in zip(*steps, strict=True))
        order = np.argsort(of_lane, kind="stable")
        kept = order[full[order]]
        return SearchedPlayed(
            np.concatenate(results.moves), np.array([len(moves) for moves in results.moves], dtype=np.int16),
            full[order], policy[kept][masks[kept] == 1], values[kept],
        )  # fmt: skip


def replayed_targets(part: Part, played: SearchedPlayed, card: Card, search_values: float) -> Targets:
    """The decisions with full searches, from the games played again.

    Args:
        part: The games.
        played: What came back.
        card: Says what the network reads.
        search_values: The weight of the search's values in the target of the win shares; the result has the rest.
    """
    shape, players = card.shape, part.players
    everyone = np.ones((len(part.seeds), players), dtype=bool)
    seen: Decisions = replay(
        players, part.decks, part.seeds, played.moves, played.lengths, everyone, len(played.full),
        shape.row_format._replace(dtype="uint8"),
    )  # fmt: skip
    full = played.full
    game = np.repeat(np.arange(len(part.seeds)), seen.counts)[full]
    masks, seats = seen.masks[full], seen.seats[full]
    policy = np.zeros(masks.shape, dtype=np.uint8)
    policy[masks == 1] = played.policy
    found = (played.values.astype(np.float32) * (players - 1) + 1) / players
    expected = (1 - search_values) * seen.shares[game] + search_values * found
    shares, points = (clockwise(each, seats, shape.seats) for each in (expected, seen.points[game]))
    return Targets(seen.rows[full], masks, policy, shares, points, np.full(len(game), players, dtype=np.int8))
