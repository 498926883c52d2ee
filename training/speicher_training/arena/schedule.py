"""The games of a deal: every combination of players in every seating, the same for each deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be

__all__ = ["MIRROR", "Schedule", "schedule", "schedule_alone"]

MIRROR = -1


@dataclass(frozen=True)
class Schedule:
    """The games that are played on every deal, in their order."""

    seatings: np.ndarray
    """(games, seats) int64: the player in each seat, by number."""
    lineup: np.ndarray
    """(games,) int64: which of `lineups` a game belongs to, MIRROR where all seats have the same player."""
    lineups: np.ndarray
    """(lineups, seats) int64: combinations of players, each ascending; a player may come several times."""

    @property
    def games(self) -> int:
        """Games on each deal."""
        return len(self.seatings)

    @property
    def seats(self) -> int:
        """Players in a game."""
        return int(self.seatings.shape[1])


def schedule(players: int, seats: int, mirrors: bool) -> Schedule:
    """All combinations of `players` players in all seatings, then each player against itself if `mirrors`."""
    if players < seats:
        allowed = f"{seats} or more for games of {seats}; a player may be listed again"
        raise ArgumentError(must_be("players", players, allowed))
    lineups = list(combinations(range(players), seats))
    seatings = [(seating, number) for number, lineup in enumerate(lineups) for seating in permutations(lineup)]
    return _schedule(seatings, lineups, range(players), mirrors)


def schedule_alone(players: int, seats: int, mirrors: bool) -> Schedule:
    """The first of two players in every seat, the second in all others; then each against itself if `mirrors`."""
    if players != 2:
        raise ArgumentError(f"alone: needs exactly two players: the one under test and its opponent; {players} given.")
    seatings = [(tuple(int(seat != own) for seat in range(seats)), 0) for own in range(seats)]
    return _schedule(seatings, [(0, *(1,) * (seats - 1))], range(players), mirrors)


def _schedule(
    seatings: list[tuple[tuple[int, ...], int]], lineups: Sequence[tuple[int, ...]], players: range, mirrors: bool
) -> Schedule:
    seats = len(lineups[0])
    if mirrors:
        seatings = seatings + [((player,) * seats, MIRROR) for player in players]
    return Schedule(
        np.array([seating for seating, _ in seatings], dtype=np.int64),
        np.array([number for _, number in seatings], dtype=np.int64),
        np.array(lineups, dtype=np.int64),
    )
