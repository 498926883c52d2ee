"""The types of what WebAssembly is called with, and the list of the functions that it offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from speicher_env.rules.state import STATE

__all__ = ["DOUBLES", "EXPORTS", "FLOATS", "INT", "INTS", "LONGS", "SEED", "STATES", "export", "pointer"]

pointer = types.CPointer
INT = types.int32
SEED = types.uint64
STATES = pointer(numba.from_dtype(STATE))
FLOATS = pointer(types.float32)
DOUBLES = pointer(types.float64)
LONGS = pointer(types.int64)
INTS = pointer(types.int32)

EXPORTS: list[tuple[Callable[..., Any], types.Type, tuple[types.Type, ...]]] = []
"""Each function with the types of its result and of its arguments."""


def export(result: types.Type, *arguments: types.Type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function to `EXPORTS`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        EXPORTS.append((function, result, arguments))
        return function

    return add
