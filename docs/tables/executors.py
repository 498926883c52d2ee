"""Tables of what workers bring: arenas on each executor, and what executors add to a task."""

from __future__ import annotations

from statistics import median

from benchmarks.results import read
from docs.tables.markdown import measured_on, paragraphs, table

TITLES = {
    "network": "a network against a scripted player, `--lanes 512`",
    "compiled": "two compiled players",
}


def rates() -> str:
    """Games per second by who works, and the time that executors add to a task."""
    result = read("executors")
    rows = []
    for kind, ways in result["games_per_second"].items():
        one, two, ray = (median(ways[way]) for way in ("1 worker", "2 workers", "Ray, 2 cores"))
        rows.append(
            (TITLES[kind], f"{one:,.0f}", f"{two:,.0f}", f"{ray:,.0f}", f"×{two / one:.2f}", f"{ray / two:.0%}")
        )
    header = ("players", "1 worker", "2 workers", "Ray, 2 cores", "2 workers over 1", "Ray over 2 workers")
    tasks = [(name, f"{seconds * 1e6:,.0f} µs") for name, seconds in result["seconds_for_nothing"].items()]
    return paragraphs(
        measured_on(result) + f" Games per second, median of {result['rounds']} rounds taken in turn.",
        table(header, rows),
        "What an executor adds to a task, by one that does nothing:",
        table(("executor", "time"), tasks),
    )


TABLES = {"executors": rates}
