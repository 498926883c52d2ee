"""A review as plain values for JSON: `speicherstadt-review/1`, described by `schema.json` beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from typing import Any

from speicher_agents.review.grades import GRADES
from speicher_agents.review.review import TURNING_POINT, Decision, Reveal, Review

__all__ = ["DIGITS", "FORMAT", "as_json", "schema"]

FORMAT = "speicherstadt-review/1"
"""The name and version of the format, in every review."""
DIGITS = 4
"""After the decimal point of a share."""


def as_json(review: Review) -> dict[str, Any]:
    """The review as plain values; shares are rounded."""
    turning = [_event_of(event) for event in review.turning_points]
    content = {
        "format": FORMAT,
        "players": review.players,
        "names": review.names,
        "deck": review.deck,
        "edition": review.edition,
        "seed": review.seed,
        "judge": review.judge,
        "supplies": review.supplies,
        "grades": GRADES,
        "turning_point": TURNING_POINT,
        "finished": review.finished,
        "points": review.points,
        "end": review.end,
        "seats": [
            {"seat": seat, **asdict(balance), "grades": _counts(review, seat)}
            for seat, balance in enumerate(review.balances)
        ],
        "turning_points": turning,
        "decisions": [_decision(decision) for decision in review.decisions],
        "reveals": [_reveal(reveal) for reveal in review.reveals],
    }
    plain: dict[str, Any] = _plain(content)
    return plain


def schema() -> dict[str, Any]:
    """The JSON Schema of a review."""
    text = resources.files("speicher_agents.review").joinpath("schema.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _decision(decision: Decision) -> dict[str, Any]:
    return {**asdict(decision), "loss": decision.loss, "grade": decision.grade}


def _reveal(reveal: Reveal) -> dict[str, Any]:
    return {**asdict(reveal), "luck": reveal.change}


def _event_of(event: Decision | Reveal) -> dict[str, Any]:
    if isinstance(event, Decision):
        return {"kind": "decision", "move": event.move, "change": event.change}
    return {"kind": "reveal", "move": event.after_move, "change": event.change}


def _counts(review: Review, seat: int) -> dict[str, int]:
    grades = [decision.grade for decision in review.decisions if decision.seat == seat]
    return {name: grades.count(name) for name in GRADES}


def _plain(value: Any) -> Any:
    """The same with lists for tuples and shares rounded."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value
