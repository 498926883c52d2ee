"""The arena: players against each other on shared deals, and numbers that say how sure they are."""

from __future__ import annotations

from speicher_training.arena.errors import ArenaError
from speicher_training.arena.panel import load_panel, panels
from speicher_training.arena.results import Results, load_results
from speicher_training.arena.run import arena, run_arena
from speicher_training.arena.seeds import RANGES
from speicher_training.arena.settings import Extent, Output, Protocol, Settings, Work

__all__ = [
    "RANGES",
    "ArenaError",
    "Extent",
    "Output",
    "Protocol",
    "Results",
    "Settings",
    "Work",
    "arena",
    "load_panel",
    "load_results",
    "panels",
    "run_arena",
]
