"""axe-core, which finds what keeps people from using a page; npm fetches it into build/axe when a test wants it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

VERSION = "4.10.3"
_FOLDER = Path(__file__).parents[2] / "build" / "axe"
_FILE = _FOLDER / "node_modules" / "axe-core" / "axe.min.js"
MISSING = f"axe-core {VERSION} cannot be had: npm is missing, or its registry cannot be reached"


def axe_source() -> str | None:
    """The source of axe-core; None if it cannot be had."""
    npm = shutil.which("npm")
    if not _FILE.exists() and npm:
        _FOLDER.mkdir(parents=True, exist_ok=True)
        wanted = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(_FOLDER), f"axe-core@{VERSION}"]
        subprocess.run(wanted, capture_output=True, timeout=60)
    return _FILE.read_text(encoding="utf-8") if _FILE.exists() else None


def violations(page: Any, source: str) -> list[str]:
    """What axe finds on a page, a line for each element."""
    page.evaluate(source)
    found = page.evaluate("async () => (await axe.run(document)).violations")
    return [f"{one['id']}: {node['target'][0]}" for one in found for node in one["nodes"]]
