"""`python -m benchmarks.editions`: what a network of the first edition of the deck loses on the second.

The baseline has one seat and `merchant` has all others, on the same number of deals with either edition. The deals
are from the development range.
"""

from __future__ import annotations

from typing import Any

from benchmarks.baselines import COUNTS, UNIVERSAL
from benchmarks.results import ROOT, folder_of, simple_options, write
from benchmarks.strength import win_share
from speicher_apps.meter.report import header

FIRST_EDITION = ROOT / "benchmarks" / "decks" / "first-edition.toml"
DEALS, QUICK_DEALS = 2000, 4
TABLES = tuple((UNIVERSAL, count) for count in (2, *COUNTS))
"""Baselines and player counts."""


def main() -> None:
    """Measure and write the result."""
    options = simple_options("benchmarks.editions", __doc__)
    deals = QUICK_DEALS if options.quick else DEALS
    rows: list[dict[str, Any]] = []
    for baseline, players in TABLES:
        row = {"baseline": baseline, "players": players}
        for edition, deck in (("first", str(FIRST_EDITION)), ("second", "standard")):
            row[edition] = win_share(f"baseline:{baseline}", "merchant", players, deals, deck)
        rows.append(row)
        print(row, flush=True)
    result = header("python -m benchmarks.editions") | {"deals": deals, "rows": rows}
    write("editions", result, folder_of(options))


if __name__ == "__main__":
    main()
