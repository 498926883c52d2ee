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


def before_last() -> str:
    """The same for the round before the last of two players."""
    result = read("solver")
    if "before_last" not in result:
        return "Not measured yet: `python -m benchmarks.solver` makes this table."
    rows = [
        (
            row["stage"],
            f"{row['solved']} of {row['games']}",
            " / ".join(f"{value:,.0f}" for value in row["positions"].values()),
            " / ".join(f"{value / 1000:,.1f}" for value in row["milliseconds"].values()),
        )
        for row in result["before_last"]
    ]
    header = ("from", "solved", "positions", "seconds")
    return paragraphs(table(header, rows, "lrrr"), f"At most {result['limit']:,} positions.")


def _unsolved(rows: list[dict[str, int]]) -> str:
    missing = sum(row["games"] - row["solved"] for row in rows)
    return f" {missing} positions were not solved." if missing else " All were solved."


TABLES = {"solver reach": reach, "solver reach before the last": before_last}
