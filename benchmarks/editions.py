"""`python -m benchmarks.editions`: what a network of the first edition of the deck loses on the second.

The baseline has one seat and `merchant` has all others, on the same number of deals with either edition. The deals
are from the development range.
"""

from __future__ import annotations

from typing import Any

from benchmarks.baselines import COUNTS, UNIVERSAL
from benchmarks.results import ROOT, folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_training.arena import arena

FIRST_EDITION = ROOT / "benchmarks" / "decks" / "first-edition.toml"
DEALS, QUICK_DEALS = 2000, 4
TABLES = tuple((UNIVERSAL, count) for count in (2, *COUNTS))
"""Baselines and player counts."""


def win_share(baseline: str, players: int, deck: str, deals: int) -> dict[str, float]:
    """The win share of a baseline among merchants, with its interval."""
    results = arena(
        [f"baseline:{baseline}", "merchant"], players, deals=deals, deck=deck, seed="development", alone=players > 2,
        mirrors=False, plots=False,
    )  # fmt: skip
    share: dict[str, float] = results.summary["players"][0]["win_share"]
    return share


def main() -> None:
    """Measure and write the result."""
    options = simple_options("benchmarks.editions", __doc__)
    deals = QUICK_DEALS if options.quick else DEALS
    rows: list[dict[str, Any]] = []
    for baseline, players in TABLES:
        row = {"baseline": baseline, "players": players}
        for edition, deck in (("first", str(FIRST_EDITION)), ("second", "standard")):
            row[edition] = win_share(baseline, players, deck, deals)
        rows.append(row)
        print(row, flush=True)
    result = header("python -m benchmarks.editions") | {"deals": deals, "rows": rows}
    write("editions", result, folder_of(options))


if __name__ == "__main__":
    main()
