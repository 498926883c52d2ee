"""How much of a game is luck: the variance of its result, in parts.

The result of a place in a game, a share of the win, differs from 1/n for four reasons that add up:

- **seat**: some places after the seat that begins are better;
- **skill**: who sits there, and against whom;
- **deal**: the cards favour a place, whoever sits there;
- **rest**: the cards favour a place for one player and not for another, and players choose at random.

Arenas play every deal in all seatings, so each lineup is a table of deals by seatings for every place, and the parts
follow from its two-way analysis of variance. A player against itself has no skill part; there the deal is told from the
player's own random choices by playing deals again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from speicher_training.arena.tally import Games
from speicher_training.intervals import Interval, interval_around, within

__all__ = ["PARTS", "Parts", "parts_of", "results_of_lineups", "with_intervals"]

PARTS = ("seat", "skill", "deal", "rest")
GROUPS = 20
"""Of deals, each left out in turn, for the intervals."""


@dataclass(frozen=True)
class Parts:
    """The parts of the variance of the result of a place; they add up to `total`."""

    seat: float
    skill: float
    deal: float
    rest: float

    @property
    def total(self) -> float:
        """The variance of a result around 1/n."""
        return self.seat + self.skill + self.deal + self.rest

    def share(self, part: str) -> float:
        """A part's share of the whole, 0..1; 0 where nothing varies."""
        value: float = getattr(self, part)
        return value / self.total if self.total else 0.0


def parts_of(results: np.ndarray) -> Parts:
    """The parts of one lineup.

    Args:
        results: (deals, games, places) the share of the win of each place. With different players the games of a deal
            are all their seatings, the same for every deal; with one player in all seats they are repetitions.
    """
    deals, games, places = results.shape
    by_place = results.mean(axis=(0, 1))
    of_deal = results.mean(axis=1) - by_place
    of_game = results.mean(axis=0) - by_place
    rest = results - by_place - of_deal[:, None] - of_game
    noise = (rest**2).sum(axis=(0, 1)) / max(1, (deals - 1) * (games - 1))
    between_deals = (of_deal**2).sum(axis=0) / (deals - 1)
    deal = between_deals - noise / games
    skill = (of_game**2).sum(axis=0) / games - noise * (games - 1) / (games * deals)
    seat = (by_place - 1 / places) ** 2 - between_deals / deals
    means = [float(np.mean(part)) for part in (seat, skill, deal, noise)]
    return Parts(*(max(0.0, mean) for mean in means))


def results_of_lineups(games: Games) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """Each lineup of different players with its (deals, seatings, places) shares of the win.

    Seatings are told apart by who sits in which place after the seat that begins, so that they mean the same on every
    deal.
    """
    plan, shares = games.schedule, games.shares
    deals = np.arange(games.deals)[:, None]
    found = []
    for number, lineup in enumerate(plan.lineups):
        played = np.flatnonzero(plan.lineup == number)
        seatings = plan.seatings[played]
        seats = (games.first_player[:, None] + np.arange(plan.seats)) % plan.seats
        by_place = shares[:, played][deals[:, :, None], np.arange(len(played))[None, :, None], seats[:, None, :]]
        who = seatings[np.arange(len(played))[None, :, None], seats[:, None, :]]
        order = np.lexsort(np.moveaxis(who, 2, 0)[::-1], axis=1)
        found.append((tuple(map(int, lineup)), np.take_along_axis(by_place, order[:, :, None], axis=1)))
    return found


def with_intervals(results: np.ndarray) -> dict[str, Interval]:
    """The shares of the parts, 0..1, with 95 % intervals from leaving out groups of deals in turn.

    Args:
        results: See `parts_of`.
    """
    whole = parts_of(results)
    groups = np.array_split(np.arange(len(results)), min(GROUPS, len(results)))
    without = [parts_of(np.delete(results, group, axis=0)) for group in groups]
    found = {}
    for part in PARTS:
        shares = np.array([each.share(part) for each in without])
        error = float(np.sqrt((len(groups) - 1) * shares.var()))
        found[part] = within(interval_around(whole.share(part), error, len(groups) - 1), 0.0, 1.0)
    return found
