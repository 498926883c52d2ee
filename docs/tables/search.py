"""Tables of the page on search: how fast the searches are, and what a guided one gains."""

from __future__ import annotations

from benchmarks.results import read
from benchmarks.search import PLAYERS, SPECS
from benchmarks.search_gain import ITERATIONS, SETTINGS, Setting
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


def gain() -> str:
    """What the decisions of a guided search are worth beyond those of its network, by settings of the root."""
    result = read("search_gain")
    rows = []
    for setting in SETTINGS:
        own = [row for row in result["rows"] if Setting(row["root"], row["scale"], row["temperature"]) == setting]
        by_iterations = {row["iterations"]: row for row in own}
        gains = (
            f"{100 * by_iterations[count]['action']:+.2f} ± {196 * by_iterations[count]['action_error']:.2f}"
            for count in ITERATIONS
        )
        scale = f"{setting.scale:g}" if setting.root == "halving" else ""
        rows.append((code(setting.root), scale, f"{setting.temperature:g}", *gains))
    columns = ("`root`", "`scale`", "`temperature`", *(f"{count} iterations" for count in ITERATIONS))
    return paragraphs(
        f"{measured_on(result)} {result['positions']} positions. An oracle that knew the reference would gain "
        f"{100 * result['best']:.2f}.",
        table(columns, rows, "l" + "r" * (2 + len(ITERATIONS))),
    )


TABLES = {"search speed": speed, "search gain": gain}
