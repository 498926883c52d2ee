"""Players over many reviewed games: where they lose win share, and how lucky they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from speicher_agents.review.grades import GRADES
from speicher_env.render.words import seat_name
from speicher_env.rules.cards import SEASON_NAMES

__all__ = ["PHASES", "summary"]

PHASES: Mapping[str, str] = {"demand": "placing", "purchase": "buying", "loading": "loading"}
"""The parts of a round, and what a player does in each."""
_SEASONS = SEASON_NAMES[:-1]
"""Those in which decisions are made: with the 4th fire the game is over."""
_KINDS = tuple((phase, season) for phase in PHASES for season in _SEASONS)


def summary(reviews: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the reviews say of each player, per game, as plain values.

    Args:
        reviews: As `as_json` gives them. Players are told apart by their names, or by their seats in games without.
    """
    seats: dict[str, list[dict[str, Any]]] = {}
    games = 0
    for review in reviews:
        games += 1
        for seat in range(review["players"]):
            name = review["names"][seat] if review["names"] else seat_name(seat)
            seats.setdefault(name, []).append(_seat(review, seat))
    return {"games": games, "players": [_player(name, rows) for name, rows in seats.items()]}


def _seat(review: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """One seat of one game."""
    lost = dict.fromkeys(_KINDS, 0.0)
    decisions = [decision for decision in review["decisions"] if decision["seat"] == seat]
    for decision in decisions:
        lost[decision["phase"], decision["season"]] += decision["loss"]
    balance = review["seats"][seat]
    return {
        "share": balance["end"],
        "luck": balance["luck"],
        "lost": sum(lost.values()),
        "by_kind": lost,
        "decisions": len(decisions),
        "grades": balance["grades"],
    }


def _player(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = {kind: float(np.mean([row["by_kind"][kind] for row in rows])) for kind in _KINDS}
    return {
        "name": name,
        "seats": len(rows),
        "decisions": sum(row["decisions"] for row in rows),
        **{key: _mean([row[key] for row in rows]) for key in ("share", "luck", "lost")},
        "lost_by_phase": {
            phase: round(sum(lost for (of_phase, _), lost in kinds.items() if of_phase == phase), 6) for phase in PHASES
        },
        "lost_by_season": {
            season: round(sum(lost for (_, of_season), lost in kinds.items() if of_season == season), 6)
            for season in _SEASONS
        },
        "grades": {grade: round(float(np.mean([row["grades"][grade] for row in rows])), 6) for grade in GRADES},
    }


def _mean(values: list[float]) -> dict[str, float]:
    """The mean per game and its standard error."""
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return {"mean": round(float(np.mean(values)), 6), "error": round(error, 6)}
