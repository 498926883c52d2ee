"""What a finished run says beyond its report: the maximal lottery, circles, luck and the advantage of seats."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from speicher_training.arena.bootstrap import Bootstrap
from speicher_training.arena.finished import Finished
from speicher_training.arena.lottery import REPLICATES, circles, standings, top_cycle
from speicher_training.arena.luck import PARTS, results_of_lineups, with_intervals
from speicher_training.arena.tally import tally
from speicher_training.intervals import Interval

__all__ = ["analyse_run"]

FEWEST = 10
"""With fewer deals variances are not told apart."""


def analyse_run(run: Finished, replicates: int = REPLICATES) -> dict[str, Any]:
    """The analysis of a run as plain values."""
    numbers = tally(run.games)
    ahead = numbers.ahead.mean(axis=0)
    names = run.names
    return {
        "players": list(names),
        "num_players": run.num_players,
        "deals": run.games.deals,
        "lottery": [asdict(each) for each in standings(names, numbers.ahead, run.first_seed, replicates)],
        "top_cycle": [names[place] for place in top_cycle(ahead)],
        "circles": [[names[place] for place in three] for three in circles(ahead)],
        "luck": _luck(run) if run.games.deals >= FEWEST else [],
        "seats": _seats(run, numbers.seats, replicates),
    }


def _luck(run: Finished) -> list[dict[str, Any]]:
    """The parts of the variance: their mean over all lineups, if there are several, then those of each lineup."""
    lineups = results_of_lineups(run.games)
    parts = [with_intervals(results) for _, results in lineups]
    rows = [
        {"players": [run.names[player] for player in lineup], **shares}
        for (lineup, _), shares in zip(lineups, parts, strict=True)
    ]
    if len(rows) < 2:
        return rows
    means = {part: _mean([shares[part] for shares in parts]) for part in PARTS}
    return [{"players": [], **means}, *rows]


def _mean(intervals: list[Interval]) -> Interval:
    """The mean of intervals, end by end: lineups share their deals, so they err alike."""
    return {end: float(np.mean([interval[end] for interval in intervals])) for end in ("estimate", "low", "high")}


def _seats(run: Finished, seats: np.ndarray | None, replicates: int) -> list[dict[str, Any]]:
    """Each player's win share against itself by place, from its mirrors."""
    if seats is None:
        return []
    bootstrap = Bootstrap(run.games.deals, run.first_seed, replicates)
    drawn, mean = bootstrap.shares(seats), seats.mean(axis=0)
    found = []
    for player, name in enumerate(run.names):
        places = []
        for place in range(run.num_players):
            low, high = bootstrap.interval(drawn[:, player, place], mean[player, place]).tolist()
            places.append({"estimate": float(mean[player, place]), "low": low, "high": high})
        found.append({"name": name, "places": places})
    return found
