"""Compiled code kept on disk is never stale, whichever module an edit is made in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import speicher_env

PACKAGE = Path(speicher_env.__file__).parent

# Each rule lies in another module than what is edited: a constant that it reads, a function that it calls.
PROGRAM = """
from speicher_env.rules.loading import capacity
from speicher_env.rules.setup import sample_deck
from speicher_env.rules.state import blank_states
import speicher_env

states = blank_states(1)
states["owner"] = 0
states["fire_value"] = 1
print(speicher_env.__path__[0])
print(capacity(states[0], 0))
sample_deck(states[0])
print(states["fireman_value"][0].tolist())
"""


class Copy:
    """A copy of the package to edit, with a cache folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.cache = folder / "cache"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, self.source / "speicher_env", ignore=ignore)

    def edit(self, module: str, before: str, after: str) -> None:
        path = self.source / "speicher_env" / module
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1
        path.write_text(text.replace(before, after), encoding="utf-8")

    def run(self) -> tuple[int, str]:
        """What the two rules give in a fresh process: the capacity and the sampled firemen."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "COV_", "PYTHON"))
        }
        environment |= {"PYTHONPATH": str(self.source), "NUMBA_CACHE_DIR": str(self.cache)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=self.source,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        where, capacity, firemen = done.stdout.splitlines()
        assert Path(where) == self.source / "speicher_env"
        return int(capacity), firemen

    def compiled(self) -> set[Path]:
        """The files of compiled code in the cache."""
        return set(self.cache.rglob("*.nbc"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("jit_cache"))


def test_compiled_code_is_kept_and_an_edit_elsewhere_makes_it_anew(copy: Copy) -> None:
    capacity, firemen = copy.run()
    assert capacity == 5
    kept = copy.compiled()
    assert kept, "nothing was cached, so nothing could be stale"

    # Unchanged sources: the same results from the same files.
    assert copy.run() == (capacity, firemen)
    assert copy.compiled() == kept

    copy.edit("rules/state.py", "\nWAREHOUSE_SPACE = 4\n", "\nWAREHOUSE_SPACE = 6\n")
    assert copy.run() == (7, firemen)
    assert copy.compiled() > kept

    copy.edit("rules/stream.py", "\nWARM_UP = 12\n", "\nWARM_UP = 13\n")
    later = copy.run()
    assert later[0] == 7
    assert later[1] != firemen

    # Back to the first sources: their code is still there, and right.
    copy.edit("rules/state.py", "\nWAREHOUSE_SPACE = 6\n", "\nWAREHOUSE_SPACE = 4\n")
    copy.edit("rules/stream.py", "\nWARM_UP = 13\n", "\nWARM_UP = 12\n")
    now = copy.compiled()
    assert copy.run() == (capacity, firemen)
    assert copy.compiled() == now


def test_checked_indices_are_compiled_apart(copy: Copy) -> None:
    """Code compiled with and without NUMBA_BOUNDSCHECK never stands in for the other."""
    program = "from speicher_env._jit import jit; print(jit.folder)"
    folders = set()
    for checked in ("0", "1"):
        environment = os.environ | {
            "PYTHONPATH": str(copy.source),
            "NUMBA_CACHE_DIR": str(copy.cache),
            "NUMBA_BOUNDSCHECK": checked,
            "NUMBA_DISABLE_JIT": "0",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=copy.source,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        folders.add(done.stdout.strip())
    assert len(folders) == 2
