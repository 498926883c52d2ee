"""How searches are compiled: with a cache of their own, so that an edit in a scripted player does not throw it away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numba.extending import overload

from speicher_agents.baselines.forward import SOURCES
from speicher_env._jit import COMPILED, Compiler

__all__ = ["by_class", "jit"]

jit = Compiler(*COMPILED, Path(__file__).parent, *SOURCES, what="the searching players", seconds=20)


def by_class(functions: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """The function for the class of its first argument, a named tuple; compiled code looks it up while it compiles."""

    def call(first: Any, *others: Any) -> Any:
        return functions[type(first)](first, *others)

    @overload(call)  # type: ignore[untyped-decorator]
    def _compiled(first: Any, *others: Any) -> Callable[..., Any]:
        function = functions[first.instance_class]

        def compiled(first: Any, *others: Any) -> Any:
            return function(first, *others)

        return compiled

    return call
