"""The plots of the page on training: learning curves of ablations, and how long it takes to become strong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ablations import BASE, OPPONENTS, VARIANTS
from docs.tables.markdown import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT, TIME_PLOT = "images/ablations", "images/time-to-strength"
SHOWN = OPPONENTS[-1]
"""The opponent in the plot; the weaker ones are beaten soon by all."""
IN_A_ROW = 4
BASE_COLOR, COLOR = "#d55e00", "#0072b2"
"""Distinct for colour-blind readers too."""
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def points(result: Result, opponent: str) -> list[tuple[float, float]]:
    """Minutes and share in %, at every evaluation of a run against an opponent."""
    return [(one["seconds"] / 60, 100 * one["win_share"]) for one in result["curve"] if one["opponent"] == opponent]


def draw(runs: dict[str, list[Result]], folder: Path) -> None:
    """The learning curves, a place for each variant and a line for each run, as SVG and PNG."""
    pyplot = load_pyplot()
    variants = [name for name in VARIANTS if name != BASE and name in runs and runs[name][0]["curve"]]
    lines = max(1, -(-len(variants) // IN_A_ROW))
    figure, grid = pyplot.subplots(
        lines, IN_A_ROW, figsize=(1.9 * IN_A_ROW, 0.5 + 1.8 * lines), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes in grid.flat[len(variants) :]:
        axes.set_visible(False)
    for axes in grid.flat[max(0, len(variants) - IN_A_ROW) : len(variants)]:
        axes.tick_params(labelbottom=True)
    for axes, name in zip(grid.flat, variants, strict=False):
        for which, color in ((BASE, BASE_COLOR), (name, COLOR)):
            for place, result in enumerate(runs[which]):
                minutes, won = zip(*points(result, SHOWN), strict=True)
                axes.plot(minutes, won, ".-", color=color, linewidth=1, label=which if place == 0 else None)
        axes.set(ylim=(0, 80))
        axes.grid(alpha=0.3)
        axes.set_title(VARIANTS[name].title, fontsize=8)
        axes.legend(fontsize=7)
    figure.supylabel(f"win share against {SHOWN}, %", fontsize=8)
    figure.supxlabel("minutes", fontsize=8)
    save_figure(figure, folder / PLOT, digest(runs))


def draw_times(times: dict[str, list[Result]], folder: Path) -> None:
    """The win share by minutes, a line for each run, as SVG and PNG."""
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 3.6), layout="constrained")
    for (name, results), color in zip(times.items(), COLORS * len(times), strict=False):
        for place, result in enumerate(results):
            minutes = [one["seconds"] / 60 for one in result["curve"]]
            won = [100 * one["win_share"] for one in result["curve"]]
            label = f"{name}, {len(results)} seeds" if place == 0 else None
            axes.plot(minutes, won, ".-", color=color, linewidth=1, label=label)
    first = next(iter(times.values()))[0]
    axes.axhline(100 * first["aim"], color="0.4", linewidth=0.8, zorder=0)
    axes.set(xlabel="minutes on one core", ylabel=f"win share against {first['opponent']}, %", ylim=(0, 100))
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    save_figure(figure, folder / TIME_PLOT, digest(times))


def digest(runs: dict[str, list[Result]]) -> str:
    """What a plot says of the results that it shows."""
    told = {name: [result["curve"] for result in results] for name, results in runs.items()}
    return "results " + hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def load_pyplot():  # type: ignore[no-untyped-def]  # a module
    """Pyplot, which takes half a second to load, set up for the plots of pages."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "speicher", "font.size": 8})
    return pyplot


def save_figure(figure: Figure, path: Path, about: str) -> None:
    """Write a plot as SVG and PNG, with what it says of its results; close it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Description": about})
    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Description": about, "Software": None})
    load_pyplot().close(figure)
