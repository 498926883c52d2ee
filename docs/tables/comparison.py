"""The table of other projects in the README: what they offer, and how fast they were on the same machine."""

from __future__ import annotations

from statistics import median

from benchmarks.results import read
from docs.tables.markdown import Result, table
from docs.tables.speed import rates_of
from speicher_apps.meter.report import short

BATCH = "batch"
"""Rows of the measurement in which one call steps many games."""
PROJECTS = {
    "ours": "speicher-env", "pettingzoo": "PettingZoo classic", "openspiel": "OpenSpiel", "pgx": "Pgx",
    "rlcard": "RLCard", "catanatron": "Catanatron",
}  # fmt: skip
FEATURES = {
    "games": ("1", "10", "over 100", "21", "9", "1"),
    "legal actions as": ("mask", "mask", "mask", "mask", "ids", "ids"),
    "one compiled call steps many games": ("yes", "no", "no", "yes", "no", "no"),
    "scripted players": ("yes", "no", "1 game", "no", "5 games", "yes"),
    "tree search": ("yes", "no", "yes", "no", "no", "in its repository"),
    "trained networks": ("yes", "no", "no", "10 games", "no", "no"),
}
"""In the versions that were measured, which the page on speed names; read from their sources."""
assert all(len(cells) == len(PROJECTS) for cells in FEATURES.values())


def comparison() -> str:
    """A column for each project; speeds are the slowest to the fastest of its games."""
    peers = {peer["name"]: peer for peer in read("peers")["peers"]}
    rows: list[tuple[str, ...]] = [(name, *cells) for name, cells in FEATURES.items()]
    for name, many in (("decisions/s, one game at a time", False), ("decisions/s, many games at once", True)):
        rows.append((name, *(_rates(peers[project], many) for project in PROJECTS)))
    return table(("", *PROJECTS.values()), rows, "l" * (1 + len(PROJECTS)))


def _rates(peer: Result, many: bool) -> str:
    rates = sorted(
        median(rates_of(row))
        for row in peer["rows"]
        if row["mask"] and (row["like"] == BATCH) == many and row["game"] != "an empty AEC environment"
    )
    if not rates:
        return "–"
    low, high = short(rates[0]), short(rates[-1])
    return low if low == high else f"{low} to {high}"


TABLES = {"comparison": comparison}
