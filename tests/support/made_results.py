"""Games whose truth is known, made without playing them."""

from __future__ import annotations

import numpy as np

from speicher_training.arena.plan import Plan, make_plan
from speicher_training.arena.schedule import Schedule
from speicher_training.arena.tally import Games


def plan_of(players: int, seats: int, mirrors: bool = False) -> Plan:
    """A plan of players called a, b, c, ..."""
    names = {letter: "random" for letter in "abcdefgh"[:players]}
    plan, _ = make_plan(names, seats, deck="standard", first_seed=1, mirrors=mirrors, lanes=None)
    return plan


def games(schedule: Schedule, points: np.ndarray, first_player: np.ndarray | int = 0) -> Games:
    """Games with these points (deals, games, seats), and no coins."""
    deals = len(points)
    zeros = np.zeros_like(points)
    first = np.broadcast_to(np.asarray(first_player), (deals,))
    return Games(schedule, points, zeros, points * 1000, np.arange(deals), first)


def points_of_winners(schedule: Schedule, winners: np.ndarray) -> np.ndarray:
    """Points of games (deals, games) won by these players, 10 for the winner and 0 for everybody else."""
    return 10 * (schedule.seatings[None] == winners[:, :, None]).astype(np.int64)
