"""Learning curves of a sweep: for each combination the mean over its seeds, with its interval as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from speicher_training.intervals import mean_interval, within
from speicher_training.sweep.grid import Trial, named
from speicher_training.train.plots import SHARES_SHOWN, write_curves

__all__ = ["band", "save_curves"]

MOST_POINTS = 100
WIDTH, HEIGHT = 12.0, 3.6
"""Inches of the picture, and of each of its rows."""


def band(curves: Sequence[tuple[Sequence[float], Sequence[float]]]) -> np.ndarray:
    """The mean of curves with its interval where all have values: rows of place, mean, low and high.

    Between two points a curve is taken to be straight. A single curve has an interval of no width.

    Args:
        curves: Places in rising order, and values.
    """
    first, last = max(places[0] for places, _ in curves), min(places[-1] for places, _ in curves)
    places = np.unique([place for curve, _ in curves for place in curve if first <= place <= last])
    if len(places) > MOST_POINTS:
        places = np.linspace(first, last, MOST_POINTS)
    values = np.array([np.interp(places, *curve) for curve in curves])
    shares = [within(mean_interval(column), 0.0, 1.0) for column in values.T]
    return np.array(
        [(place, share["estimate"], share["low"], share["high"]) for place, share in zip(places, shares, strict=True)]
    )


def save_curves(folder: Path, trials: Sequence[Trial], results: Mapping[str, Mapping[str, Any]]) -> list[Path]:
    """Draw `curves.png` and `curves.svg` into a folder: a row for each opponent, over decisions and over time.

    Raises:
        FileError: If they cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups: dict[str, list[Mapping[str, Any]]] = {}
    for trial in trials:
        if trial.name in results:
            groups.setdefault(named(trial.combination) or trial.recipe.name, []).append(results[trial.name])
    opponents = list(dict.fromkeys(
        (line["players"], line["opponent"]) for group in groups.values() for result in group
        for line in result["evaluations"]
    ))  # fmt: skip
    rows = max(1, len(opponents))
    figure = Figure(figsize=(WIDTH, HEIGHT * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 2, squeeze=False, sharey=True)
    for (players, opponent), row in zip(opponents, axes, strict=False):
        for axis, (key, scale, label) in zip(
            row, (("steps", 1e6, "decisions of the learner, millions"), ("seconds", 60, "minutes of the run")),
            strict=True,
        ):  # fmt: skip
            for name, group in groups.items():
                curves = [_curve(result, players, opponent, key, scale) for result in group]
                points = band([curve for curve in curves if curve[0]]) if any(curve[0] for curve in curves) else None
                if points is None or not len(points):
                    continue
                (line,) = axis.plot(points[:, 0], points[:, 1], marker=".", label=name)
                axis.fill_between(points[:, 0], points[:, 2], points[:, 3], alpha=0.2, color=line.get_color())
            axis.axhline(1 / players, color="0.5", linestyle="--", linewidth=0.8, label="par")
            axis.set(xlabel=label, ylabel=f"share of the win against {opponent}", ylim=SHARES_SHOWN)
            axis.set_title(f"{players} players", fontsize=10)
            axis.grid(alpha=0.3)
    if axes[0][0].lines:
        axes[0][0].legend(fontsize=8)
    figure.suptitle("Mean over the seeds, development deals; bands: 95 % intervals over the seeds", fontsize=11)
    return write_curves(figure, folder)


def _curve(
    result: Mapping[str, Any], players: int, opponent: str, key: str, scale: float
) -> tuple[list[float], list[float]]:
    lines = [line for line in result["evaluations"] if (line["players"], line["opponent"]) == (players, opponent)]
    return [line[key] / scale for line in lines], [line["win_share"] for line in lines]
