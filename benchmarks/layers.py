"""`python -m benchmarks.layers`: `speicher bench`, kept for the pages."""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks.results import add_arguments, folder_of, write
from speicher_apps.cli.bench import QUICK_ROUNDS, QUICK_SECONDS, ROUNDS, SECONDS
from speicher_apps.meter.report import print_report, run_bench

PLAYERS = (2, 3, 4, 5)


def main() -> None:
    """Measure, keep, show."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layers", description=__doc__)
    add_arguments(parser)
    options = parser.parse_args()
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    result = run_bench(PLAYERS, seconds=seconds, rounds=rounds, command="python -m benchmarks.layers")
    write("layers", result, folder_of(options))
    print_report(result, Console())


if __name__ == "__main__":
    main()
