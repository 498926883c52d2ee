"""From games to numbers of each deal: win shares, points, margins, and who finished ahead of whom.

Every number of a deal is a mean over all its games, so over all seatings. Deals are independent of each other, the
games of one deal are not, so everything after this file looks at deals only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from speicher_training.arena.schedule import MIRROR, Schedule

__all__ = ["Games", "Tally", "games_of", "tally"]


@dataclass(frozen=True)
class Games:
    """The games of a run, deal by deal; the first three are (deals, games, seats)."""

    schedule: Schedule
    points: np.ndarray
    coins: np.ndarray
    ranks: np.ndarray
    """1 is the best, and seats that tie share the better rank. A seat that forfeits is last, all others first."""
    seeds: np.ndarray
    """(deals,)"""
    first_player: np.ndarray
    """(deals,) the seat that began."""
    forfeits: tuple[dict[str, Any], ...] = ()
    """Each with its deal, game, seat and reason."""

    @property
    def deals(self) -> int:
        """How many deals."""
        return len(self.seeds)

    @property
    def shares(self) -> np.ndarray:
        """(deals, games, seats) the share of the win: 1 for a sole winner, 1/k for k that tie."""
        won = self.ranks == 1
        shares: np.ndarray = won / won.sum(axis=2, keepdims=True)
        return shares

    def first(self, deals: int) -> Games:
        """Only the first deals."""
        return Games(
            self.schedule, self.points[:deals], self.coins[:deals], self.ranks[:deals], self.seeds[:deals],
            self.first_player[:deals], tuple(lost for lost in self.forfeits if lost["deal"] < deals),
        )  # fmt: skip


def games_of(lines: list[dict[str, Any]], schedule: Schedule) -> Games:
    """The games in the lines of a run."""
    deals = [deal for line in lines for deal in line["deals"]]

    def numbers(key: str, *shape: int, dtype: DTypeLike = np.int64) -> np.ndarray:
        return np.array([deal[key] for deal in deals], dtype=dtype).reshape(len(deals), *shape)

    of_seats = (schedule.games, schedule.seats)
    forfeits = [
        {"deal": deal["deal"], "seed": deal["seed"], **forfeit}
        for deal in deals
        for forfeit in deal.get("forfeits", ())
    ]
    return Games(
        schedule, numbers("points", *of_seats), numbers("coins", *of_seats), numbers("ranks", *of_seats),
        numbers("seed", dtype=np.uint64), numbers("first_player"), tuple(forfeits),
    )  # fmt: skip


@dataclass(frozen=True)
class Tally:
    """Numbers of each deal, the deals first in every array. Games of a player against itself count in `seats` only."""

    share: np.ndarray
    """(deals, players) win share."""
    points: np.ndarray
    """(deals, players)"""
    margin: np.ndarray
    """(deals, players) points ahead of the best other seat."""
    ahead: np.ndarray
    """(deals, players, players) share of the common games in which the first finished ahead, a tie counting half."""
    lead: np.ndarray
    """(deals, players, players) points of the first less those of the second, in common games."""
    outcomes: np.ndarray
    """(deals, lineups, 2**seats) games won by each set of a lineup's players, the set as bits in the lineup's order."""
    seats: np.ndarray | None
    """(deals, players, seats) win share by place after the seat that began, each player against itself."""


def tally(games: Games) -> Tally:
    """The numbers of each deal."""
    plan, shares = games.schedule, games.shares
    mixed = plan.lineup != MIRROR
    players = int(plan.seatings.max()) + 1
    rest = np.where(np.eye(plan.seats, dtype=bool), -(10**9), games.points[:, :, None, :])
    margins = games.points - rest.max(axis=3)
    shape = (games.deals, players)
    share, points, margin = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    ahead = np.full((*shape, players), 0.5)
    lead = np.zeros((*shape, players))
    for player in range(players):
        number, seat = np.nonzero((plan.seatings == player) & mixed[:, None])
        share[:, player] = shares[:, number, seat].mean(axis=1)
        points[:, player] = games.points[:, number, seat].mean(axis=1)
        margin[:, player] = margins[:, number, seat].mean(axis=1)
        for other in range(player):
            of_both, of_other = np.nonzero(plan.seatings[number] == other)
            common, here = number[of_both], seat[of_both]
            lead_in_rank = games.ranks[:, common, of_other] - games.ranks[:, common, here]
            ahead[:, player, other] = ((np.sign(lead_in_rank) + 1) / 2).mean(axis=1)
            ahead[:, other, player] = 1 - ahead[:, player, other]
            lead[:, player, other] = (games.points[:, common, here] - games.points[:, common, of_other]).mean(axis=1)
            lead[:, other, player] = -lead[:, player, other]
    return Tally(share, points, margin, ahead, lead, _outcomes(games, shares, mixed), _seats(games, shares, players))


def _outcomes(games: Games, shares: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    plan = games.schedule
    seatings, lineup = plan.seatings[mixed], plan.lineup[mixed]
    member = (seatings[:, :, None] == plan.lineups[lineup][:, None, :]).argmax(axis=2)
    # A player that sits there several times has that many places side by side in the lineup.
    member += np.tril(seatings[:, :, None] == seatings[:, None, :], -1).sum(axis=2)
    won = ((shares[:, mixed] > 0) << member).sum(axis=2)
    sets = 1 << plan.seats
    cells = (np.arange(games.deals)[:, None] * len(plan.lineups) + lineup) * sets + won
    counts = np.bincount(cells.ravel(), minlength=games.deals * len(plan.lineups) * sets)
    return counts.reshape(games.deals, len(plan.lineups), sets)


def _seats(games: Games, shares: np.ndarray, players: int) -> np.ndarray | None:
    mirrors = np.flatnonzero(games.schedule.lineup == MIRROR)
    if not mirrors.size:
        return None
    seat = (games.first_player[:, None] + np.arange(games.schedule.seats)) % games.schedule.seats
    of_players = np.empty((games.deals, players, games.schedule.seats))
    for game in mirrors:
        player = games.schedule.seatings[game, 0]
        of_players[:, player] = np.take_along_axis(shares[:, game], seat, axis=1)
    return of_players
