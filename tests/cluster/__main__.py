"""The command `python -m tests.cluster`: all cases or some by name; `--small` is the one that runs with the tests."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.cluster import arena_cases, executor_cases, growing_cases, sweep_cases, training_cases
from tests.cluster.report import Report

CASES = {
    **arena_cases.CASES,
    **executor_cases.CASES,
    **growing_cases.CASES,
    **sweep_cases.CASES,
    **training_cases.CASES,
}
"""Each is called with an empty folder and the report. To add cases, merge those of another module here."""
SMALL = ("nodes",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.cluster", description="Work on a Ray cluster whose nodes, drivers and players fail."
    )
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], metavar="CASE", help=f"of {', '.join(CASES)}")
    parser.add_argument("--small", action="store_true", help=f"only {', '.join(SMALL)}")
    options = parser.parse_args(arguments)
    report = Report()
    for name in options.cases or (SMALL if options.small else CASES):
        with report.of(name), tempfile.TemporaryDirectory(prefix="speicher-cluster-") as folder:
            CASES[name](Path(folder), report)
    print(", ".join(f"{number} {thing}" for thing, number in report.counts.items()))
    if report.faults:
        print(*report.faults, sep="\n")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
