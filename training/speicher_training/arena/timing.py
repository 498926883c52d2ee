"""How long players take to decide, and what they use. It differs from run to run, so that no run reproduces it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from speicher_env.batch import Batch
from speicher_env.errors import IllegalAction
from speicher_training.arena.plan import Plan, Seated, is_outside
from speicher_training.arena.store import Times, Usage

__all__ = ["decision_times", "total_usage"]

_GAMES = 64
"""Games that a compiled player plays against itself to be timed."""


def decision_times(plan: Plan, seated: list[Seated], asked: Iterable[Times]) -> dict[str, dict[str, Any]]:
    """Seconds for a decision and the number of decisions, by player; for compiled players with the engine's time."""
    asked = list(asked)
    times: dict[str, dict[str, Any]] = {}
    for name, player in zip(plan.names, seated, strict=True):
        if is_outside(player):
            chunks = [chunk[name] for chunk in asked if name in chunk]
            decisions, seconds = sum(count for count, _ in chunks), sum(taken for _, taken in chunks)
        else:
            decisions, seconds = _compiled(plan, player)
        if decisions:
            times[name] = {
                "seconds": seconds / decisions,
                "decisions": int(decisions),
                "with_engine": not is_outside(player),
            }
    return times


def total_usage(chunks: Iterable[Usage]) -> Usage:
    """What players have used in all chunks together."""
    total: Usage = {}
    for chunk in chunks:
        for name, counts in chunk.items():
            known = total.setdefault(name, {})
            for key, amount in counts.items():
                known[key] = known.get(key, 0) + amount
    return total


def _compiled(plan: Plan, player: Seated) -> tuple[int, float]:
    spec: Any = "random" if player is None else player
    batch = Batch(_GAMES, plan.num_players, plan.deck, "none", [spec] * plan.num_players, autoreset="disabled")
    try:
        batch.reset(np.arange(_GAMES))  # once to warm up
        before = batch.decisions
        began = time.perf_counter()
        batch.reset(np.arange(_GAMES))
    except IllegalAction:  # it has forfeited games, which the report says elsewhere
        return 0, 0.0
    return batch.decisions - before, time.perf_counter() - began
