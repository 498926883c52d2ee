"""How the solver is compiled: with a cache of its own, so that an edit in it does not throw that of the rules away."""

from __future__ import annotations

from pathlib import Path

from speicher_env._jit import COMPILED, Compiler

__all__ = ["jit"]

jit = Compiler(*COMPILED, Path(__file__).parent, what="the solver", seconds=20)
