"""Runs the code in the pages of the documentation, so that what they show is what happens.

The conventions of a page:

- A ```` ```python ```` block is run. The blocks of one page share their names, in order, and a folder of their own.
- What it prints stands in a ```` ```text ```` block right behind it; a block without one prints nothing.
- In a ```` ```console ```` block the lines that begin with ``$`` are run by the shell, in the same folder, and the
  lines behind each are what it printed. A command must succeed; one that should not ends with
  ``|| echo "exit code $?"``.
- A line ``...`` in an output stands for any number of lines.
- A block that shows a file, between lines ``--8<--``, is not run; the file has a test of its own. (A line
  ``--8<-- "FILE"`` would do for the site, but is Python to ruff, which formats it.)
- Other blocks (`bash`, `toml`, `json`) are not run.

Warnings are errors, except on pages of training frameworks. ``python -m tests.support.pages`` writes the outputs anew
where they have changed; read the difference before you keep it. With names of pages it does so for these only, as the
Python of a framework needs it: ``build/stacks/torchrl/bin/python -m tests.support.pages docs/integrations/torchrl.md``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "docs" / "integrations" / "language-models.md",  # needs no framework but those of the extra [dev]
)
ANY_LINES = "..."
PROMPT = "$ "
SNIPPET = "--8<--"

_FENCE = re.compile(r"```(\w*)$")
_HIDDEN_FENCE = re.compile(r"\s+(?:```|~~~)|~~~|````")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    start: int  # number of its first line of content, from 0
    stop: int  # number of the fence that ends it


class PageError(Exception):
    """A page that cannot be run, with the place."""


def blocks_of(lines: list[str], name: str) -> list[Block]:
    """The fenced blocks of a page; one that these rules would overlook is refused."""
    blocks: list[Block] = []
    opened: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        if opened is None:
            if _HIDDEN_FENCE.match(line):
                raise PageError(f"{name}:{number + 1}: a block must begin with three backticks and be not indented")
            fence = _FENCE.match(line)
            if fence is None and line.startswith("```"):
                raise PageError(f"{name}:{number + 1}: {line!r}: behind the backticks stands one word, the language")
            if fence is not None:
                opened = fence[1], number + 1
        elif line == "```":
            blocks.append(Block(*opened, number))
            opened = None
    if opened is not None:
        raise PageError(f"{name}:{opened[1]}: this block does not end")
    return blocks


def run_page(page: str, name: str, folder: Path, *, warnings_are_errors: bool = True) -> str:
    """Run the blocks of a page in a folder; the page with its outputs as they are now."""
    lines = page.splitlines()
    blocks = blocks_of(lines, name)
    names: dict[str, Any] = {"__name__": "__main__"}
    changes: list[tuple[int, int, list[str]]] = []
    for block, behind in pairwise([*blocks, None]):
        content = lines[block.start : block.stop]
        if block.language == "console":
            changes.append((block.start, block.stop, _run_console(content, f"{name}:{block.start + 1}", folder)))
        elif block.language == "python" and not content[0].startswith(SNIPPET):
            printed = _run_python(content, block.start, name, names, warnings_are_errors)
            if behind is not None and behind.language == "text" and not any(lines[block.stop + 1 : behind.start - 1]):
                shown = lines[behind.start : behind.stop]
                changes.append((behind.start, behind.stop, shown if matches(shown, printed) else printed))
            elif printed:
                changes.append((block.stop + 1, block.stop + 1, ["", "```text", *printed, "```"]))
    for start, stop, new in reversed(changes):
        lines[start:stop] = new
    return "\n".join(lines) + "\n"


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, with ``...`` for any number of lines."""
    pattern = "".join("(?:.*\n)*" if line.strip() == ANY_LINES else re.escape(line + "\n") for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def _lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.rstrip("\n").split("\n")] if output else []


def _run_python(
    content: list[str], start: int, name: str, names: dict[str, Any], warnings_are_errors: bool
) -> list[str]:
    # Empty lines in front, so that a traceback names the line of the page.
    source = compile("\n" * start + "\n".join(content), name, "exec")
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("error" if warnings_are_errors else "ignore")
        exec(source, names)
    return _lines(output.getvalue())


def _run_console(content: list[str], place: str, folder: Path) -> list[str]:
    if not content or not content[0].startswith(PROMPT):
        raise PageError(f"{place}: a console block must begin with a line '$ COMMAND'")
    new: list[str] = []
    shown: list[str] = []
    printed: list[str] | None = None
    for line in [*content, PROMPT]:
        if not line.startswith(PROMPT):
            shown.append(line)
            continue
        if printed is not None:
            new += shown if matches(shown, printed) else printed
        shown = []
        if line != PROMPT:
            new.append(line)
            printed = _run_command(line.removeprefix(PROMPT), place, folder)
    return new


def _run_command(command: str, place: str, folder: Path) -> list[str]:
    scripts = str(Path(sys.executable).parent)
    surroundings = {
        **os.environ,
        "PATH": os.pathsep.join((scripts, os.environ.get("PATH", ""))),
        "PYTHONWARNINGS": "" if " -m pip " in command else "error",  # pip and build tools warn of themselves
        "COLUMNS": "80",
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=surroundings, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        raise PageError(f"{place}: {command!r} failed with exit code {done.returncode}:\n{done.stdout}")
    return _lines(done.stdout)


def main(paths: Sequence[str] = ()) -> None:
    """Write the outputs of every page, or of some, anew, and say which ones have changed."""
    for path in [Path(name) for name in paths] or PAGES:
        before = path.read_text(encoding="utf-8")
        strict = path.parent.name != "integrations"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            after = run_page(before, path.name, Path(folder), warnings_are_errors=strict)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.name}: outputs written anew")


if __name__ == "__main__":
    main(sys.argv[1:])
