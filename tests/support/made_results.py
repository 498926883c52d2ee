"""Games whose result is known, made without playing them."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from speicher_training.arena.plan import Plan, make_plan
from speicher_training.arena.schedule import Schedule
from speicher_training.arena.settings import Protocol
from speicher_training.arena.tally import Games


def plan_of(players: int, seats: int, mirrors: bool = False) -> Plan:
    """A plan of players called a, b, c, ..."""
    names = {letter: "random" for letter in "abcdefgh"[:players]}
    return make_plan(names, Protocol(num_players=seats, mirrors=mirrors), 1)[0]


def games(schedule: Schedule, points: np.ndarray, first_player: np.ndarray | int = 0) -> Games:
    """Games with these points (deals, games, seats), and no coins."""
    deals = len(points)
    zeros, ranks = np.zeros_like(points), rankdata(-points, method="min", axis=2).astype(np.int64)
    first = np.broadcast_to(np.asarray(first_player), (deals,))
    return Games(schedule, points, zeros, ranks, np.arange(deals), first)


def points_of_winners(schedule: Schedule, winners: np.ndarray) -> np.ndarray:
    """Points of games (deals, games) won by these players, 10 for the winner and 0 for everybody else."""
    return 10 * (schedule.seatings[None] == winners[:, :, None]).astype(np.int64)
