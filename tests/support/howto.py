"""Runs the how-to pages: applies the changes that a page shows to a copy of the source, then runs its commands there.

- A ```` ```diff ```` block is applied with `git apply`.
- A ```` ```console ```` block is run as on every other page, see `tests.support.pages`, without compilation.
- The files of the diffs must be those that the page lists under "Files to touch".
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks_of, run_page

HOW_TO = ROOT / "docs" / "how-to"
COPIED = ("speicher_env", "agents", "training", "apps", "tests", "pyproject.toml", "README.md")
_CHANGED = re.compile(r"^\+\+\+ b/(.+)$")
_NEW_FILE = re.compile(r"^--- /dev/null\n\+\+\+ b/(.+)$", re.MULTILINE)
_NEW_FILE_HEADER = r"diff --git a/\1 b/\1\nnew file mode 100644\n--- /dev/null\n+++ b/\1"
_LISTED = re.compile(r"^- `([^`]+)`")


def copy_source(folder: Path) -> None:
    """Copy what the changes may touch, and make the copy the one that Python imports."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
        else:
            shutil.copy(source, folder / name)


def surroundings(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Set the environment of the commands."""
    paths = [folder, folder / "agents", folder / "training", folder / "apps"]
    patch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
    patch.setenv("NUMBA_DISABLE_JIT", "1")


def changed_files(page: str, name: str) -> list[str]:
    """The files that the diffs of a page change, in order."""
    lines = page.splitlines()
    diffs = [block for block in blocks_of(lines, name) if block.language == "diff"]
    found = [_CHANGED.match(line) for block in diffs for line in lines[block.start : block.stop]]
    return list(dict.fromkeys(match[1] for match in found if match))


def listed_files(page: str) -> list[str]:
    """The files that a page lists under "Files to touch"."""
    section = page.split("## Files to touch\n", 1)[1].split("\n## ", 1)[0]
    return [match[1] for line in section.splitlines() if (match := _LISTED.match(line))]


def run_how_to(page: str, name: str, folder: Path) -> str:
    """Apply the diffs and run the commands of a page in order; the page with its outputs as they are now."""
    lines = page.splitlines()
    for block in blocks_of(lines, name):
        if block.language == "diff":
            content = _NEW_FILE.sub(_NEW_FILE_HEADER, "\n".join(lines[block.start : block.stop]) + "\n")
            applied = subprocess.run(
                ["git", "apply", "--recount", "-"], cwd=folder, input=content, text=True, capture_output=True
            )
            assert applied.returncode == 0, f"{name}:{block.start}: {applied.stderr}"
    return run_page(page, name, folder)
