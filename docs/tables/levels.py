"""The table of the levels of play: what each wins among players of the level below."""

from __future__ import annotations

from benchmarks.levels import COUNTS
from benchmarks.results import RESULTS, read
from docs.tables.markdown import code, measured_on, paragraphs, ranged, table
from speicher_apps.levels import LEVELS


def levels() -> str:
    """A row for each level; par is an equal share."""
    if not (RESULTS / "levels.json").is_file():
        return "Not measured yet."
    result = read("levels")
    found = {row["level"]: row["shares"] for row in result["rows"]}
    header = ("level", "player", "how it plays", *(f"{count} players, %" for count in COUNTS))
    rows = []
    for level in LEVELS:
        shares = [
            ranged(found[level.name][str(count)], 0, 100) if level.name in found else "" for count in COUNTS
        ]  # fmt: skip
        rows.append((level.name, code(level.spec.format(players="N")), level.note, *shares))
    pars = ("", "", "par, %", *(f"{100 / count:.0f}" for count in COUNTS))
    return paragraphs(
        f"{measured_on(result)} {result['deals']} deals, each played from every seat.",
        table(header, [*rows, pars], "lll" + "r" * len(COUNTS)),
    )


TABLES = {"levels": levels}
