"""The arena: players against each other on shared deals, and numbers that say how sure they are."""

from __future__ import annotations

from speicher_training.arena.errors import ArenaError
from speicher_training.arena.panel import load_panel, panels
from speicher_training.arena.results import Results, load_results
from speicher_training.arena.run import arena
from speicher_training.arena.seeds import RANGES

__all__ = ["RANGES", "ArenaError", "Results", "arena", "load_panel", "load_results", "panels"]
