"""Tables and the plot of the page on how cost grows with games, players and threads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import read
from docs.tables.markdown import Result, measured_on, paragraphs, table
from speicher_apps.meter.report import decisions

PLOT = "images/scaling"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Distinct for colour-blind readers too."""


def machine() -> str:
    """Where the numbers of the page were measured."""
    scaling = read("scaling")
    return measured_on(scaling) + f" Median of {scaling['rounds']} rounds of {scaling['seconds']:g} s."


def rates() -> str:
    """Decisions per second by games and players, a table for each number of threads."""
    at, counts, sizes, threads = _grid(read("scaling"))
    tables = []
    for number in threads:
        rows = [(f"{games:,}", *(decisions(at[count, games, number]) for count in counts)) for games in sizes]
        name = "one thread" if number == 1 else f"{number} threads"
        tables.append(table((f"games, {name}", *(f"{count} players" for count in counts)), rows, _right(counts)))
    return paragraphs(*tables)


def second_thread() -> str:
    """The speed of two threads over one, and from how many games on the second pays."""
    at, counts, sizes, threads = _grid(read("scaling"))
    if 2 not in threads:
        return ""
    gain = {(count, games): at[count, games, 2]["median"] / at[count, games, 1]["median"]
            for count in counts for games in sizes}  # fmt: skip
    rows = [(f"{games:,}", *(f"×{gain[count, games]:.2f}" for count in counts)) for games in sizes]
    slower = [games for games in sizes if any(gain[count, games] <= 1 for count in counts)]
    later = [games for games in sizes if not slower or games > max(slower)]
    verdict = (
        f"A second thread pays from {later[0]:,} games on."
        if later
        else "A second thread did not pay for every number of players, whatever the number of games."
    )
    return paragraphs(verdict, table(("games", *(f"{count} players" for count in counts)), rows, _right(counts)))


def memory() -> str:
    """Bytes that each game adds to a batch."""
    rows = [(count, f"{size:,}") for count, size in read("scaling")["memory"].items()]
    return table(("players", "bytes of a game"), rows, "rr")


Point = tuple[int, int, int]
"""Players, games, threads."""


def _grid(scaling: Result) -> tuple[dict[Point, Result], list[int], list[int], list[int]]:
    """The measured points, and the players, games and threads that they are for."""
    points = scaling["points"]
    players, games, threads = (sorted({point[key] for point in points}) for key in ("players", "games", "threads"))
    return {(point["players"], point["games"], point["threads"]): point for point in points}, players, games, threads


def _right(counts: Sequence[int]) -> str:
    return "r" * (len(counts) + 1)


def draw(scaling: Result, folder: Path) -> None:
    """The plot, as SVG and PNG; the SVG says which results it shows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "speicher"
    points = scaling["points"]
    figure, axes = pyplot.subplots(figsize=(8, 4.8), layout="constrained")
    for count, color in zip(sorted({point["players"] for point in points}), COLORS, strict=False):
        for number in sorted({point["threads"] for point in points}):
            line = [point for point in points if (point["players"], point["threads"]) == (count, number)]
            games = [point["games"] for point in line]
            style = "-" if number == 1 else "--"
            label = f"{count} players, {'one thread' if number == 1 else f'{number} threads'}"
            axes.plot(games, [point["median"] for point in line], style, color=color, marker="o", ms=3, label=label)
            low, high = ([point[end] for point in line] for end in ("low", "high"))
            axes.fill_between(games, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="games in the batch", ylabel="decisions per second")
    axes.set_xticks(sorted({point["games"] for point in points}))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    path = folder / PLOT
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Description": digest(scaling)})
    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Description": digest(scaling), "Software": None})
    pyplot.close(figure)


def digest(scaling: Result) -> str:
    """What the plot says of the results that it shows."""
    return "results " + hashlib.sha256(json.dumps(scaling["points"], sort_keys=True).encode()).hexdigest()


TABLES = {
    "scaling machine": machine,
    "scaling rates": rates,
    "scaling second thread": second_thread,
    "scaling memory": memory,
}
