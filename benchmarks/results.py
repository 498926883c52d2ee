"""The folders of results: JSON that the commands of this folder write and `make pages` makes tables of."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from speicher_training.files import write_file

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
RESULTS = ROOT / "benchmarks" / "results"
"""The results that the pages show. Committed; written by whole runs only."""
TRIALS = BUILD / "benchmarks"
"""Results of quick runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has."""
    parser.add_argument("--quick", action="store_true", help=f"short rounds, written to {TRIALS.relative_to(ROOT)}")
    parser.add_argument("--into", type=Path, help="folder to write to instead")


def simple_options(module: str, description: str | None) -> argparse.Namespace:
    """The options of a command that has no others.

    Args:
        module: Its name, as in ``python -m benchmarks.search``.
        description: Its docstring.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    add_arguments(parser)
    return parser.parse_args()


def folder_of(options: argparse.Namespace) -> Path:
    """The folder that a command writes to."""
    folder: Path = options.into or (TRIALS if options.quick else RESULTS)
    return folder


def write(name: str, result: dict[str, Any], folder: Path) -> None:
    """Keep a result as NAME.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    write_file(path, json.dumps(result, indent=1) + "\n")
    print(f"written to {path}", flush=True)


def read(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """A result from its file."""
    result: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return result
