"""Rewards at the end of a game. Before the end every reward is 0.

Ranks go by points, then by coins; seats equal in both share a rank, and the win.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.scoring import points_of, ranking_key

__all__ = ["MARGIN", "OUTCOME", "SCHEMES", "rank_of", "write_forfeit_rewards", "write_rewards", "write_rewards_at"]

OUTCOME, RANK, MARGIN = 0, 1, 2
SCHEMES = ("outcome", "rank", "margin")
MARGIN_SCALE = 30
"""The lead over the best other seat, in points, that gives a reward of +1; a larger lead gives no more."""


@jit
def rank_of(game: np.void, seat: int) -> int:
    """The rank of a seat: 1 more than the number of seats that are better. Tied seats share a rank."""
    key = ranking_key(game, seat)
    rank = 1
    for other in range(game["players"]):
        rank += ranking_key(game, other) > key
    return rank


@jit
def write_rewards(game: np.void, scheme: int, out: np.ndarray) -> None:
    """Write each seat's reward as if the game ended now, in the order of the seats.

    outcome: a sole winner +1, the others -1/(n-1), winners share; sums to 0.
    rank: +1 for the first to -1 for the last in equal steps, tied seats share; sums to 0.
    margin: points ahead of the best other, over 30, cut off at -1 and +1; sums to 0 with two players only.
    """
    players = game["players"]
    if scheme == MARGIN:
        for seat in range(players):
            best = -1000
            for other in range(players):
                if other != seat:
                    best = max(best, points_of(game, other))
            ahead = (points_of(game, seat) - best) / MARGIN_SCALE
            out[seat] = min(max(ahead, -1.0), 1.0)
        return
    for seat in range(players):
        key = ranking_key(game, seat)
        better = 0
        tied = 0
        for other in range(players):
            other_key = ranking_key(game, other)
            better += other_key > key
            tied += other_key == key
        if scheme == RANK:
            out[seat] = 1.0 - (2.0 * better + tied - 1.0) / (players - 1.0)
        else:
            share = 1.0 / tied if better == 0 else 0.0
            out[seat] = (players * share - 1.0) / (players - 1.0)


@jit
def write_forfeit_rewards(players: int, loser: int, scheme: int, out: np.ndarray) -> None:
    """Write each seat's reward for a game that `loser` lost by an illegal action: it is last, the others share the win.

    outcome: the loser -1/(n-1), the others 1/(n-1)^2 each; sums to 0.
    rank and margin: the loser -1, the others 1/(n-1) each; sums to 0.
    """
    others = players - 1.0
    worst = -1.0 / others if scheme == OUTCOME else -1.0
    for seat in range(players):
        out[seat] = worst if seat == loser else -worst / others


@jit
def write_rewards_at(states: np.ndarray, index: int, scheme: int, out: np.ndarray) -> None:
    """`write_rewards` of states[index]."""
    write_rewards(states[index], scheme, out)
