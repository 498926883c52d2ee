"""What the numbers were measured on, and one core to measure on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib", "torch")
LOOK = 0.2
"""Seconds of watching how busy the cores are."""


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory and system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(usable_cores()) or os.cpu_count(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Python, this package, and what it stands on as far as it is installed."""
    found = {"python": platform.python_version(), "speicher-env": _version("speicher-env") or "not installed"}
    return found | {name: text for name in PACKAGES if (text := _version(name))}


def today() -> str:
    """The date, UTC."""
    return datetime.now(UTC).date().isoformat()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 2**20, 1)
    return None


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


# One core


def usable_cores() -> list[int]:
    """The cores that this process may run on; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def idlest_core() -> int | None:
    """The core that has been least busy while we watched, None where the system does not tell."""
    cores = usable_cores()
    before = _idle_ticks()
    time.sleep(LOOK)
    after = _idle_ticks()
    known = [core for core in cores if core in before and core in after]
    return max(known, key=lambda core: after[core] - before[core]) if known else None


def _idle_ticks() -> dict[int, int]:
    fields = [line.split() for line in _lines("/proc/stat") if line.startswith("cpu") and line[3:4].isdigit()]
    return {int(field[0][3:]): int(field[4]) for field in fields}


@contextmanager
def on_one_core() -> Iterator[int | None]:
    """Keep this process on the idlest core, so that no measurement moves between cores; elsewhere do nothing."""
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
