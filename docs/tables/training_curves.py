"""The plots of the page on training: learning curves of ablations, and how long it takes to become strong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.ablations import BASE, OPPONENTS, VARIANTS
from docs.tables.markdown import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT, TIME_PLOT = "images/ablations", "images/time-to-strength"
SHOWN = OPPONENTS[-2:]
"""Opponents in the plot; the weaker ones are beaten soon by all."""
BASE_COLOR, COLOR = "#d55e00", "#0072b2"
"""Distinct for colour-blind readers too."""
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def points(results: Sequence[Result], opponent: str) -> list[tuple[float, float, float, float]]:
    """Millions of decisions, mean share in %, lowest and highest, where all runs have an evaluation."""
    found = [
        {one["steps"]: 100 * one["win_share"] for one in result["curve"] if one["opponent"] == opponent}
        for result in results
    ]
    common = sorted(set.intersection(*(set(one) for one in found)))
    shares = {steps: [one[steps] for one in found] for steps in common}
    return [(steps / 1e6, fmean(shares[steps]), min(shares[steps]), max(shares[steps])) for steps in common]


def draw(runs: dict[str, list[Result]], folder: Path) -> None:
    """The learning curves, a column for each variant and a row for each opponent, as SVG and PNG."""
    pyplot = load_pyplot()
    variants = [name for name in VARIANTS if name != BASE and name in runs]
    figure, grid = pyplot.subplots(
        len(SHOWN), max(1, len(variants)), figsize=(1.5 + 2.3 * max(1, len(variants)), 4.4), sharex=True, sharey="row",
        squeeze=False, layout="constrained",
    )  # fmt: skip
    for row, opponent in enumerate(SHOWN):
        for axes, name in zip(grid[row], variants, strict=False):
            for which, color in ((BASE, BASE_COLOR), (name, COLOR)):
                steps, mean, low, high = zip(*points(runs[which], opponent), strict=True)
                axes.plot(steps, mean, color=color, marker=".", linewidth=1.4, label=which)
                axes.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)
            axes.set_ylim(0, 100)
            axes.grid(alpha=0.3)
            if row == 0:
                axes.set_title(VARIANTS[name].title, fontsize=8)
                axes.legend(fontsize=7)
        grid[row][0].set_ylabel(f"win share against {opponent}, %", fontsize=8)
    figure.supxlabel("decisions of the learner, millions", fontsize=8)
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
