"""The one way this package compiles: Numba's `njit` with a cache that cannot be stale.

Numba keeps compiled code beside each file and looks only at that file's time stamp, so an edit in an imported module
(a constant, a rule called from another rule) leaves old machine code in use. Here the cache folder carries a
fingerprint of every source file that is compiled together, of the Python, Numba and NumPy versions and of the flags:
any change starts a fresh folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
KEPT_GENERATIONS = 4
"""Cache folders kept beside the current one, so that two installed versions do not evict each other."""


def _fingerprint(sources: list[Path]) -> str:
    digest = hashlib.sha256()
    flags = (numba.config.BOUNDSCHECK, numba.config.CPU_NAME, numba.config.CPU_FEATURES, numba.config.OPT)
    digest.update(repr((sys.version_info, numba.__version__, np.__version__, flags)).encode())
    for source in sources:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _root() -> Path | None:
    """Where cache folders go: what the user set, beside the package, the user's cache, or nowhere."""
    home_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [PACKAGE / "__pycache__", Path(home_cache) / "speicher_env"]
    return next((place for place in places if _writable(place)), None)


def _drop_old(root: Path, current: Path) -> None:
    """Delete all but the newest few cache folders; another process may be doing the same."""
    others = [folder for folder in root.glob("speicher-jit-*") if folder != current]
    try:
        others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in others[KEPT_GENERATIONS:]:
        shutil.rmtree(folder, ignore_errors=True)


def cache_folder(sources: list[Path]) -> Path | None:
    """The cache folder for code compiled from these sources, or None where no place can be written to."""
    root = _root()
    if root is None:
        return None
    folder = root / f"speicher-jit-{_fingerprint(sources)}"
    folder.mkdir(exist_ok=True)
    _drop_old(root, folder)
    return folder


def sources_in(*places: Path) -> list[Path]:
    """The given Python files, and every Python file in the given folders, in a fixed order."""
    return [source for place in places for source in ([place] if place.is_file() else sorted(place.rglob("*.py")))]


class Compiler:
    """Compiles functions into one cache folder; a package makes one for itself."""

    def __init__(self, *places: Path) -> None:
        """Fingerprint the files and folders that hold all that the compiled functions call and read."""
        self.folder = None if numba.config.DISABLE_JIT else cache_folder(sources_in(*places))

    def __call__(self, function: F, **options: bool) -> F:
        """Compile `function` on its first call, releasing the GIL while it runs; `options` are Numba's."""
        if self.folder is None:
            return self._njit(function, cache=False, **options)
        # Numba decides on a function's cache folder when it is decorated, from this setting alone.
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)
        try:
            return self._njit(function, cache=True, **options)
        finally:
            numba.config.CACHE_DIR = before

    @staticmethod
    def _njit(function: F, **options: bool) -> F:
        compiled: F = numba.njit(nogil=True, error_model="numpy", **options)(function)
        return compiled


COMPILED = tuple(PACKAGE / part for part in ("_jit.py", "_machine.py", "rules", "observation", "rewards.py", "batch"))
"""Where this package's compiled code lives; it takes no constant from anywhere else."""

jit = Compiler(*COMPILED)


def jit_parallel(function: F) -> F:
    """`jit` for functions that spread their work over cores with `numba.prange`."""
    return jit(function, parallel=True)


def jit_inlined(function: F) -> F:
    """`jit` for functions that are compiled into each of their callers.

    For those that take many arrays: handing them over costs seven words for each, more than a rule.
    """
    return jit(function, forceinline=True)
