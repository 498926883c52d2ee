"""`python -m benchmarks.levels`: how far apart the levels of play are, for 2 to 5 players.

Each level has one seat, every seat in turn, and the level below it all others. The deals are from the development
range, since what is found here chooses the levels.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from benchmarks.results import folder_of, simple_options, write
from benchmarks.strength import win_share
from speicher_apps.levels import LEVELS
from speicher_apps.meter.report import header

DEALS, QUICK_DEALS = 60, 2
COUNTS = (2, 3, 4, 5)


def main() -> None:
    """Measure and write the result."""
    options = simple_options("benchmarks.levels", __doc__)
    deals = QUICK_DEALS if options.quick else DEALS
    rows: list[dict[str, Any]] = []
    for below, level in pairwise(LEVELS):
        shares = {}
        for players in COUNTS:
            specs = [one.spec.format(players=players) for one in (level, below)]
            shares[str(players)] = win_share(specs[0], specs[1], players, deals)
        rows.append({"level": level.name, "spec": level.spec, "below": below.name, "shares": shares})
        print(rows[-1], flush=True)
    result = header("python -m benchmarks.levels") | {"deals": deals, "rows": rows}
    write("levels", result, folder_of(options))


if __name__ == "__main__":
    main()
