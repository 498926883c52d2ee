"""Where a number comes from: the versions of the software, its commit, the machine and the day."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from speicher_training.machine import lines_of, usable_cores

__all__ = ["commit", "describe_machine", "platform_name", "processor", "today", "versions"]

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "sb3-contrib", "torch")
GIT_SECONDS = 10


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The versions of Python, of this package and of those packages that are installed, by name."""
    found = {"python": platform.python_version(), "speicher-env": _version("speicher-env") or "not installed"}
    return found | {name: text for name in packages if (text := _version(name))}


def commit() -> dict[str, Any]:
    """The commit of this package's source tree, and whether the tree was changed since; None for an installed one."""
    try:
        _git("ls-files", "--error-unmatch", Path(__file__).name)  # not a project that merely contains this package
        return {"commit": _git("rev-parse", "HEAD"), "changed": bool(_git("diff", "HEAD", "--name-only"))}
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "changed": None}


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory and system."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(usable_cores()) or os.cpu_count(),
        "memory_gib": _memory(),
        "system": platform_name(),
    }


def platform_name() -> str:
    """The operating system and the kind of processor, such as "Linux x86_64"."""
    return f"{platform.system()} {platform.machine()}"


def processor() -> str:
    """The processor's name."""
    for line in lines_of("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def today() -> str:
    """The date in UTC."""
    return datetime.now(UTC).date().isoformat()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    # A session of its own, where Ctrl-C does not end it: the commit would be missing.
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=GIT_SECONDS, check=True, start_new_session=True
    )
    return result.stdout.strip()


def _memory() -> float | None:
    for line in lines_of("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 2**20, 1)
    return None
