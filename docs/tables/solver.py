"""Tables of the page on exact play."""

from __future__ import annotations

from benchmarks.results import read
from docs.tables.markdown import measured_on, paragraphs, table


def reach() -> str:
    """Positions and times of exact solutions from each stage of the last round."""
    result = read("solver")
    rows = [
        (
            str(row["players"]),
            row["stage"],
            str(row["games"]),
            " / ".join(f"{value:,.0f}" for value in row["positions"].values()),
            " / ".join(f"{value:,.1f}" for value in row["milliseconds"].values()),
            f"{row['unique']:.0%}",
        )
        for row in result["rows"]
    ]
    header = ("players", "from", "games", "positions", "milliseconds", "one outcome")
    return paragraphs(table(header, rows, "llrrrr"), measured_on(result) + _unsolved(result["rows"]))


def _unsolved(rows: list[dict[str, int]]) -> str:
    missing = sum(row["games"] - row["solved"] for row in rows)
    return f" {missing} positions were not solved." if missing else " All were solved."


TABLES = {"solver reach": reach}
