"""The result of a finished game, in one form for every environment that plays a single game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Outcome", "make_outcome"]


class Outcome(NamedTuple):
    """How a game ended. Every list has one entry for each seat, from seat 0 on; `_asdict()` gives a dict for JSON."""

    seed: int
    """The seed that the game was dealt from."""
    points: list[dict[str, int]]
    """Points by source, such as "contracts" and "fire", and their "total"."""
    points_total: list[int]
    """The totals alone."""
    coins: list[int]
    """Coins left; they break a tie in points."""
    ranks: list[int]
    """1 is best. Seats that tie share the better rank."""
    winners: list[int]
    """The seats of rank 1, ascending."""
    rewards: list[float]
    """What each seat was paid."""
    illegal: list[int]
    """Illegal actions of each seat."""
    forfeited_by: int | None
    """The seat that lost the game by an illegal action, with illegal="lose". It is last, the others share the win."""


def make_outcome(
    seed: int,
    points: list[dict[str, int]],
    coins: list[int],
    ranks: list[int],
    rewards: Sequence[float],
    illegal: Sequence[int],
    forfeited_by: int | None,
) -> Outcome:
    """An outcome with the fields that follow from the others."""
    return Outcome(
        seed=seed,
        points=points,
        points_total=[by_source["total"] for by_source in points],
        coins=coins,
        ranks=ranks,
        winners=[seat for seat, rank in enumerate(ranks) if rank == 1],
        rewards=list(rewards),
        illegal=list(illegal),
        forfeited_by=forfeited_by,
    )
