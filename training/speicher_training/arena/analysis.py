"""The numbers of a report: estimates, intervals, and which differences are significant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from speicher_training.arena.bootstrap import REPLICATES, Bootstrap, worth
from speicher_training.arena.plan import Plan
from speicher_training.arena.rating import UNPLAYED, Fit
from speicher_training.arena.schedule import MIRROR
from speicher_training.arena.tally import Games, Tally, tally
from speicher_training.intervals import LEVEL

__all__ = ["analyse", "order_of"]

_BLOCK = 200
"""Replicates whose ratings are fitted at a time; bounds the memory."""
FEWEST = 10
"""With fewer deals no difference is called significant."""


def analyse(plan: Plan, games: Games, *, replicates: int = REPLICATES) -> dict[str, Any]:
    """All numbers of a run as plain values."""
    numbers = tally(games)
    bootstrap = Bootstrap(games.deals, plan.first_seed, replicates)
    shares = bootstrap.shares(numbers.share)
    columns = {
        "win_share": (numbers.share.mean(axis=0), shares),
        "points": (numbers.points.mean(axis=0), bootstrap.means(numbers.points)),
        "margin": (numbers.margin.mean(axis=0), bootstrap.means(numbers.margin)),
        "rating": _ratings(plan, numbers, bootstrap),
    }
    mixed = plan.schedule.lineup != MIRROR
    anchor = anchor_of(plan.names)
    players: list[dict[str, Any]] = []
    for number, name in enumerate(plan.names):
        player: dict[str, Any] = {"name": name}
        for key, (estimate, drawn) in columns.items():
            player[key] = _with_interval(bootstrap, drawn[:, number], estimate[number])
        player["games"] = int(games.deals * (plan.schedule.seatings[mixed] == number).any(axis=1).sum())
        player["forfeits"] = sum(
            bool(mixed[lost["game"]] and plan.schedule.seatings[lost["game"], lost["seat"]] == number)
            for lost in games.forfeits
        )
        players.append(player)
    return {
        "deals": games.deals,
        "games": games.deals * plan.schedule.games,
        "level": LEVEL,
        "par": 1 / plan.num_players,
        "anchor": plan.names[anchor],
        "ties": float(((games.shares[:, mixed] > 0).sum(axis=2) > 1).mean()),
        "players": players,
        "pairs": _pairs(plan, numbers, bootstrap),
        "seats": _seats(plan, numbers, bootstrap),
        "failures": failures(plan, games),
    }


def anchor_of(names: Sequence[str]) -> int:
    """The player that is rated 0: `random`, or the first player if it does not play."""
    return names.index("random") if "random" in names else 0


def order_of(players: Sequence[dict[str, Any]]) -> list[int]:
    """The places of players, best first by rating; players of the same rating stay in their order."""
    return sorted(range(len(players)), key=lambda number: -round(players[number]["rating"]["estimate"], 6))


def _with_interval(bootstrap: Bootstrap, drawn: np.ndarray, estimate: float) -> dict[str, float]:
    low, high = bootstrap.interval(drawn, np.asarray(estimate))
    return {"estimate": _plain(estimate), "low": _plain(low), "high": _plain(high)}


def _plain(value: float) -> float:
    """Rounded, so that results are the same to the last digit on any machine that rounds sums differently."""
    return round(float(value), 9) + 0.0


def _ratings(plan: Plan, numbers: Tally, bootstrap: Bootstrap) -> tuple[np.ndarray, np.ndarray]:
    outcomes = numbers.outcomes.sum(axis=0)
    fit = Fit(plan.schedule.lineups, len(plan.names), anchor_of(plan.names), outcomes)
    # An unplayed deal is a whole one: as many games as a lineup has seatings, or less where deals say more than games.
    seatings = float(np.bincount(plan.schedule.lineup[plan.schedule.lineup != MIRROR])[0])
    weight = seatings / worth(numbers.share)[plan.schedule.lineups]
    best = fit.best(fit.counts(outcomes, UNPLAYED * weight))
    drawn, _ = bootstrap.sums(numbers.outcomes)
    unplayed = bootstrap.unplayed((bootstrap.replicates, *weight.shape)) * weight
    ratings = np.empty((bootstrap.replicates, len(plan.names)))
    for start in range(0, bootstrap.replicates, _BLOCK):
        block = slice(start, start + _BLOCK)
        ratings[block] = fit.ratings(fit.near(fit.counts(drawn[block], unplayed[block]), best))
    return fit.ratings(best), ratings


def _pairs(plan: Plan, numbers: Tally, bootstrap: Bootstrap) -> list[dict[str, Any]]:
    """Every pair, the first listed player first, with Holm's correction over all of them."""
    first, second = np.triu_indices(len(plan.names), k=1)
    ahead, lead = numbers.ahead[:, first, second], numbers.lead[:, first, second]
    ahead_drawn, lead_drawn = bootstrap.shares(ahead), bootstrap.means(lead)
    chance = _chance(ahead_drawn, bootstrap.deals)
    adjusted = _holm(chance)
    pairs = []
    for number, (player, other) in enumerate(zip(first, second, strict=True)):
        pairs.append(
            {
                "first": plan.names[player],
                "second": plan.names[other],
                "ahead": _with_interval(bootstrap, ahead_drawn[:, number], ahead[:, number].mean()),
                "lead": _with_interval(bootstrap, lead_drawn[:, number], lead[:, number].mean()),
                "p": _plain(chance[number]),
                "p_holm": _plain(adjusted[number]),
                "significant": bool(adjusted[number] < 1 - LEVEL and bootstrap.deals >= FEWEST),
            }
        )
    return pairs


def _chance(drawn: np.ndarray, deals: int) -> np.ndarray:
    """The two-sided p-value of a share between equal players, from the spread of the replicates."""
    if deals < 2:
        return np.ones(drawn.shape[1])
    apart, spread = np.abs(drawn.mean(axis=0) - 0.5), drawn.std(axis=0)
    distance = np.divide(apart, spread, out=np.where(apart > 0, np.inf, 0.0), where=spread > 0)
    chance: np.ndarray = 2 * stats.t.sf(distance, deals - 1)
    return chance


def _holm(chances: np.ndarray) -> np.ndarray:
    """P-values adjusted by Holm's method: with 95 % confidence, none of the differences below 5 % is chance."""
    order = np.argsort(chances)
    factors = np.arange(len(chances), 0, -1)
    adjusted = np.empty_like(chances)
    adjusted[order] = np.minimum(np.maximum.accumulate(chances[order] * factors), 1.0)
    return adjusted


def _seats(plan: Plan, numbers: Tally, bootstrap: Bootstrap) -> list[dict[str, Any]]:
    """The win share of each player against itself, by place after the seat that begins."""
    if numbers.seats is None:
        return []
    drawn, mean = bootstrap.shares(numbers.seats), numbers.seats.mean(axis=0)
    return [
        {
            "name": name,
            "places": [
                _with_interval(bootstrap, drawn[:, number, place], mean[number, place])
                for place in range(plan.num_players)
            ],
        }
        for number, name in enumerate(plan.names)
    ]


def failures(plan: Plan, games: Games) -> list[dict[str, Any]]:
    """Forfeited games by player and reason, with the first one of each."""
    failures: dict[tuple[str, str], dict[str, Any]] = {}
    for lost in games.forfeits:
        seating = plan.schedule.seatings[lost["game"]]
        key = (plan.names[seating[lost["seat"]]], lost["why"])
        if key not in failures:
            where = {key: lost[key] for key in ("deal", "seed", "game", "seat")}
            players = [plan.names[player] for player in seating]
            failures[key] = {"name": key[0], "why": key[1], "games": 0, "first": {**where, "players": players}}
        failures[key]["games"] += 1
    return list(failures.values())
