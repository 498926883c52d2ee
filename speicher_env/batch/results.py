"""How games ended: `Results`, the one way from a batch's lanes to points, ranks and rewards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from speicher_env.rules.scoring import SOURCES

__all__ = ["Results", "results_of"]


class Results(NamedTuple):
    """Games that have ended, an entry each in every array. Copies: the next step does not change them."""

    lanes: np.ndarray
    """(ended,) int64: the lane."""
    seeds: np.ndarray
    """(ended,) uint64: the seed that the game was dealt from."""
    seats: np.ndarray
    """(ended,) int8: the caller's seat; 0 with seat="all" and seat="none"."""
    rewards: np.ndarray
    """(ended, players) float32: what each seat was paid."""
    points: np.ndarray
    """(ended, players, 9) int16: points by source, in the order of `speicher_env.rules.scoring.SOURCES`."""
    coins: np.ndarray
    """(ended, players) int16."""
    ranks: np.ndarray
    """(ended, players) int8: 1 is the best; seats that tie share the better rank."""
    lengths: np.ndarray
    """(ended,) int32: decisions of the caller."""
    illegal: np.ndarray
    """(ended,) int32: illegal actions of the caller."""
    lost_illegally: np.ndarray
    """(ended,) bool: whether the caller lost by an illegal action."""
    forfeited_by: np.ndarray
    """(ended,) int8: the seat that lost the game by an illegal action or a failure, -1 without."""
    moves: tuple[np.ndarray, ...]
    """(decisions,) uint8 for each game: the actions of all seats, with `log_moves`; else empty."""

    @property
    def totals(self) -> np.ndarray:
        """(ended, players) int64: points of each seat."""
        totals: np.ndarray = self.points.sum(axis=2, dtype=np.int64)
        return totals

    def of_seats(self, values: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """One seat's entries in an array of all seats, such as `points`: for each game the seat named for it."""
        chosen: np.ndarray = values[np.arange(len(seats)), seats]
        return chosen

    def outcome(self, entry: int, *, of_caller: bool) -> dict[str, Any]:
        """One game as plain values: all seats under "seats", and with `of_caller` also the caller's own."""
        seats = [self._outcome_of(entry, seat) for seat in range(self.ranks.shape[1])]
        outcome: dict[str, Any] = {
            "seed": int(self.seeds[entry]),
            "illegal": int(self.illegal[entry]),
            "lost_illegally": bool(self.lost_illegally[entry]),
        }
        if of_caller:
            seat = int(self.seats[entry])
            outcome |= {"seat": seat, **seats[seat]}
        return outcome | {"seats": seats}

    def _outcome_of(self, entry: int, seat: int) -> dict[str, Any]:
        points = dict(zip(SOURCES, self.points[entry, seat].tolist(), strict=True))
        points["total"] = sum(points.values())
        return {"points": points, "coins": int(self.coins[entry, seat]), "rank": int(self.ranks[entry, seat])}


def results_of(lanes: np.ndarray, chosen: np.ndarray, players: int, moves: tuple[np.ndarray, ...]) -> Results:
    """The results that the chosen ones of an array of LANE records hold."""
    ended = lanes[chosen]
    return Results(
        lanes=chosen,
        seeds=ended["ended_seed"].copy(),
        seats=ended["ended_seat"].copy(),
        rewards=ended["reward"][:, :players].copy(),
        points=ended["points"][:, :players].copy(),
        coins=ended["coins"][:, :players].copy(),
        ranks=ended["rank"][:, :players].copy(),
        lengths=ended["ended_length"].copy(),
        illegal=ended["ended_illegal"].copy(),
        lost_illegally=ended["lost_illegally"].copy(),
        forfeited_by=ended["forfeited_by"].copy(),
        moves=moves,
    )
