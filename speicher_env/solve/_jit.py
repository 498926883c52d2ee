"""How the solver is compiled: with a cache of its own, so that an edit in it does not throw that of the rules away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from speicher_env._jit import COMPILED, Compiler

__all__ = ["jit", "jit_inlined"]

F = TypeVar("F", bound=Callable[..., Any])

jit = Compiler(*COMPILED, Path(__file__).parent, what="the solver", seconds=20)


def jit_inlined(function: F) -> F:
    """`jit` for functions that are compiled into each of their callers: the memory of a search is many arrays."""
    return jit(function, forceinline=True)
