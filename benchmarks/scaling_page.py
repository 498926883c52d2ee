"""The page on how cost grows with games, players and threads, and its plot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.parts import Result, measured_on, page, table
from speicher_apps.meter.report import decisions

PLOT = "images/scaling"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Distinct for colour-blind readers too."""


def scaling_page(scaling: Result) -> str:
    """docs/scaling.md."""
    points = scaling["points"]
    counts = sorted({point["players"] for point in points})
    threads = sorted({point["threads"] for point in points})
    at = {(point["players"], point["games"], point["threads"]): point for point in points}
    sizes = sorted({point["games"] for point in points})
    sections = []
    for number in threads:
        rows = [(f"{games:,}", *(decisions(at[count, games, number]) for count in counts)) for games in sizes]
        name = "one thread" if number == 1 else f"{number} threads"
        sections += [
            f"## {name.capitalize()}",
            table((f"games, {name}", *(f"{count} players" for count in counts)), rows, left=0),
        ]
    if len(threads) > 1:
        rows = [
            (
                f"{games:,}",
                *(f"×{at[count, games, 2]['median'] / at[count, games, 1]['median']:.2f}" for count in counts),
            )
            for games in sizes
        ]
        sections += [
            "## Two threads over one",
            table(("games", *(f"{count} players" for count in counts)), rows, left=0),
        ]
    return page(
        "# How cost grows",
        "Decisions per second of `Batch.step` with observation and mask, all seats decided by the caller, by the "
        "number of games, players and threads. " + second_thread(at, sizes, counts),
        measured_on(scaling) + f" Median of {scaling['rounds']} rounds of {scaling['seconds']:g} s, slowest and "
        "fastest round in brackets; the calls of `step` alone, their actions drawn beforehand, the games at different "
        "moments.",
        f"![Decisions per second by games, players and threads]({PLOT}.svg)",
        *sections,
        "## Memory",
        "What each game adds to a batch, with its observation, mask and state. It is allocated once, before the first "
        "step.",
        table(("players", "bytes of a game"), [(count, f"{size:,}") for count, size in scaling["memory"].items()], 0),
    )  # fmt: skip


def second_thread(at: dict[tuple[int, int, int], Result], sizes: Sequence[int], counts: Sequence[int]) -> str:
    """From how many games on a second thread pays."""
    if (counts[0], sizes[0], 2) not in at:
        return ""
    slower = [
        games
        for games in sizes
        if any(at[count, games, 2]["median"] <= at[count, games, 1]["median"] for count in counts)
    ]
    later = [games for games in sizes if not slower or games > max(slower)]
    if not later:
        return "A second thread did not pay for every number of players, whatever the number of games."
    return f"A second thread pays from {later[0]:,} games on."


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
