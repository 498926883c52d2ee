"""The cores of this machine, and one of them to measure on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["count_cores", "idlest_core", "lines_of", "on_one_core", "usable_cores"]

WATCH_SECONDS = 0.2
"""How long the cores are watched to find the idlest."""


def usable_cores() -> list[int]:
    """The cores that this process may run on; empty if the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def count_cores() -> int:
    """The number of cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def idlest_core() -> int | None:
    """The core that is least busy over `WATCH_SECONDS`; None if the system does not say."""
    cores = usable_cores()
    before = _idle_ticks()
    time.sleep(WATCH_SECONDS)
    after = _idle_ticks()
    known = [core for core in cores if core in before and core in after]
    return max(known, key=lambda core: after[core] - before[core]) if known else None


@contextmanager
def on_one_core() -> Iterator[int | None]:
    """Keep this process on the idlest core, so that no measurement moves between cores; do nothing if unsupported."""
    before = usable_cores()
    core = idlest_core()
    if core is None:
        yield None
        return
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)


def lines_of(path: str) -> list[str]:
    """The lines of a file of the system; none if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _idle_ticks() -> dict[int, int]:
    fields = [line.split() for line in lines_of("/proc/stat") if line.startswith("cpu") and line[3:4].isdigit()]
    return {int(field[0][3:]): int(field[4]) for field in fields}
