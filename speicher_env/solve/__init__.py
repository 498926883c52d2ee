"""Exact values: the last two rounds, see `Game.solve`, and games that are small enough to be solved as a whole."""

from __future__ import annotations

from speicher_env.solve.solution import LIMIT, Prospect, Solution, Solver, Value, is_before_last, is_determined, solve
from speicher_env.solve.whole_game import BestResponse, NashConv, Policy, WholeGame

__all__ = [
    "LIMIT",
    "BestResponse",
    "NashConv",
    "Policy",
    "Prospect",
    "Solution",
    "Solver",
    "Value",
    "WholeGame",
    "is_before_last",
    "is_determined",
    "solve",
]
