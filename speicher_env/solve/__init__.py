"""Exact values: the last round solved, see `Game.solve`."""

from __future__ import annotations

from speicher_env.solve.solution import LIMIT, Prospect, Solution, Solver, Value, is_determined, solve

__all__ = ["LIMIT", "Prospect", "Solution", "Solver", "Value", "is_determined", "solve"]
