"""Results of the long tests: with --keep as JSON in benchmarks/results."""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks.results import RESULTS, ROOT, write
from speicher_apps.meter.report import header
from speicher_training.provenance import commit


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Add --keep, which every long test has."""
    parser.add_argument(
        "--keep", action="store_true", help=f"write the result to {RESULTS.relative_to(ROOT)}, which the pages show"
    )


def begin(command: str) -> dict[str, Any]:
    """The first part of a result: the command, the day, the machine and the commit that the test runs on."""
    return header(command) | commit()


def finish(name: str, result: dict[str, Any]) -> None:
    """Write a result as NAME.json."""
    write(name, result, RESULTS)
