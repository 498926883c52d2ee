"""Mistakes by size: what a loss in win share is called."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["GRADES", "SIGNS", "grade"]

GRADES: Mapping[str, float] = {"blunder": 0.20, "mistake": 0.10, "inaccuracy": 0.05}
"""The smallest loss in win share of each class, the worst class first."""
SIGNS: Mapping[str, str] = {"blunder": "??", "mistake": "?", "inaccuracy": "?!"}
"""The sign of each class after a move, as in chess."""
_ROUNDING = 1e-9


def grade(loss: float) -> str | None:
    """The class of a move that gives away this share of the win; None for one that is good enough.

    Args:
        loss: 0..1.
    """
    return next((name for name, least in GRADES.items() if loss >= least - _ROUNDING), None)
