"""Table of the page on search: how fast the searches are."""

from __future__ import annotations

from benchmarks.results import read
from benchmarks.search import PLAYERS, SPECS
from docs.tables.markdown import code, measured_on, paragraphs, table


def speed() -> str:
    """Playouts per second of each search, by number of players."""
    result = read("search")
    medians = {(point["search"], point["players"]): point["median"] for point in result["points"]}
    rows = [(code(spec), *(f"{medians[spec, players]:,.0f}" for players in PLAYERS)) for spec in SPECS]
    return paragraphs(
        f"{measured_on(result)} Median of {result['rounds']} games, {result['iterations']} playouts for each decision.",
        table(("search", *(f"{players} players" for players in PLAYERS)), rows, "l" + "r" * len(PLAYERS)),
    )


TABLES = {"search speed": speed}
