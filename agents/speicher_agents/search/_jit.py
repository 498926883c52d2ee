"""How searches are compiled: with a cache of their own, so that an edit in a scripted player does not throw it away."""

from __future__ import annotations

from pathlib import Path

from speicher_env._jit import COMPILED, Compiler

__all__ = ["jit"]

jit = Compiler(*COMPILED, Path(__file__).parent, what="the searching players", seconds=20)
