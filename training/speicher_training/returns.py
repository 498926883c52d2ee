"""Advantages for rows that hold the decisions of all seats, as a batch with ``seat="all"`` gives them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["SeatAdvantages", "gae_by_seat"]


class SeatAdvantages(NamedTuple):
    """What `gae_by_seat` returns, each of shape (steps, games)."""

    advantages: np.ndarray
    """How much better each decision turned out than its value; 0 where it is not known."""
    returns: np.ndarray
    """The targets of the value: advantages + values."""
    known: np.ndarray
    """Whether the advantage is known: False for the last decision of a seat in a game that goes on after the rows."""


def gae_by_seat(
    rewards: np.ndarray,
    ended: np.ndarray,
    seats: np.ndarray,
    values: np.ndarray,
    gae_lambda: float = 0.95,
    gamma: float = 1.0,
) -> SeatAdvantages:
    """Generalized advantage estimation, with each seat's decisions chained to its own next decision.

    In a row of games the decisions of all seats follow each other, and the value of a decision is that of the seat that
    made it. So what follows a decision is the same seat's next decision in the same game, with all rewards that the
    seat is paid in between; after its last decision it is the end of the game, whoever ends it.

    Args:
        rewards: (steps, games, players): what each step paid to each seat.
        ended: (steps, games): whether the step ended the game; the next row is of a new one.
        seats: (steps, games): the seat that decided.
        values: (steps, games): the value of the deciding seat before its decision.
        gae_lambda: How far advantages look ahead: 0 to the next decision, 1 to the end.
        gamma: Discount from a seat's decision to its next one.

    >>> rewards = np.zeros((3, 1, 2))
    >>> rewards[2, 0] = 1.0, -1.0
    >>> ended, seats = np.array([[0], [0], [1]], bool), np.array([[0], [1], [0]])
    >>> values = np.array([[0.25], [0.0], [0.5]])
    >>> gae_by_seat(rewards, ended, seats, values, gae_lambda=0.0).advantages.ravel().tolist()
    [0.25, -1.0, 0.5]
    """
    steps, games = values.shape
    every = np.arange(games)
    advantages, known = np.zeros_like(values), np.zeros((steps, games), dtype=bool)
    # Of each seat's next decision, looking back from the end of the rows:
    paid, next_value, next_advantage = (np.zeros(rewards.shape[1:], dtype=values.dtype) for _ in range(3))
    next_known = np.zeros(rewards.shape[1:], dtype=bool)
    for step in reversed(range(steps)):
        over, seat = ended[step], seats[step]
        paid[over], next_value[over], next_advantage[over], next_known[over] = 0.0, 0.0, 0.0, True
        paid += rewards[step]
        error = paid[every, seat] + gamma * next_value[every, seat] - values[step]
        advantage = error + gamma * gae_lambda * next_advantage[every, seat]
        known[step] = next_known[every, seat]
        advantages[step] = np.where(known[step], advantage, 0.0)
        paid[every, seat], next_value[every, seat], next_advantage[every, seat] = 0.0, values[step], advantages[step]
        next_known[every, seat] = True
    return SeatAdvantages(advantages, advantages + values, known)
