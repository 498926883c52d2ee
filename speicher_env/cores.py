"""Compiled code on several cores, without the two ways in which Numba's threading layers end a process.

Numba spreads work over cores by one of three layers, the first that it finds of tbb, omp and workqueue. workqueue ends
the process when two threads use it at once, so here they take turns. omp, with GNU's OpenMP as on Linux, ends a process
that was forked from one which has used it; here this is an error in one sentence.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

import numba

from speicher_env.errors import ArgumentError

__all__ = ["on_cores"]

OMP, WORKQUEUE = "omp", "workqueue"
_turn = threading.Lock()
_layer_of_parent: str | None = None
"""The layer that the parent had used when this process was forked from it; None for any other process."""


def on_cores(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that was compiled to use several cores.

    Raises:
        ArgumentError: If the process was forked from one that has used several cores, and cannot use them itself.
    """
    if _layer_of_parent == OMP and _is_gnu():
        raise ArgumentError(
            "threads: this process was forked from one that has used several cores, after which OpenMP would end it; "
            'use threads=1 here, or start processes with the method "spawn" or "forkserver".'
        )
    with _turns():
        return function(*arguments)


def _turns() -> AbstractContextManager[Any]:
    """What to hold while the cores are used: the turn, if the layer is workqueue or not chosen yet."""
    return _turn if layer() in (None, WORKQUEUE) else nullcontext()


def layer() -> str | None:
    """The threading layer that this process uses; None before the first use."""
    try:
        return str(numba.threading_layer())
    except ValueError:
        return None


def _is_gnu() -> bool:
    """Whether the layer omp is GNU's OpenMP; that of other vendors allows forks."""
    try:
        vendor = import_module("numba.np.ufunc.omppool").openmp_vendor
    except (ImportError, AttributeError):
        return False
    return str(vendor) == "GNU"


def _after_fork() -> None:
    global _layer_of_parent, _turn
    _layer_of_parent, _turn = layer(), threading.Lock()  # a thread that did not survive may hold the old lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
