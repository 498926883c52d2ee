"""Learning curves of a run, or of several, from their metrics files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from speicher_training.files import write_file
from speicher_training.train.metrics import LOSSES, loss_of, read_metrics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SHARES_SHOWN", "save_curves", "write_curves"]

SHARES_SHOWN = (-0.03, 1.03)
"""The range of an axis of win shares: a curve at 0 or 1 is seen whole."""


def save_curves(folder: Path, runs: Sequence[Path] = ()) -> list[Path]:
    """Draw `curves.png` and `curves.svg` into a folder: the win shares of evaluations with intervals, and the losses.

    Args:
        folder: Of the run, and where the pictures go.
        runs: Folders of runs to draw. Default: the run itself.

    Raises:
        FileError: If they cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplot_mosaic([["share"] * len(LOSSES), list(LOSSES)], height_ratios=[2, 1])
    counts: set[int] = set()
    for run in runs or [folder]:
        lines = read_metrics(run / "metrics.jsonl")
        evaluations = [line for line in lines if line["kind"] == "evaluation"]
        counts.update(line["players"] for line in evaluations)
        for players, opponent in dict.fromkeys((line["players"], line["opponent"]) for line in evaluations):
            curve = [line for line in evaluations if (line["players"], line["opponent"]) == (players, opponent)]
            steps = [line["steps"] / 1e6 for line in curve]
            label = f"{players} players, {opponent}" + (f", {run.name}" if len(runs) > 1 else "")
            (drawn,) = axes["share"].plot(steps, [line["win_share"] for line in curve], marker=".", label=label)
            low, high = ([line[end] for line in curve] for end in ("low", "high"))
            axes["share"].fill_between(steps, low, high, alpha=0.2, color=drawn.get_color())
        for key, title in LOSSES.items():
            with_key = [line for line in lines if key in line]
            steps, values = ([line["steps"] / 1e6 for line in with_key], [loss_of(line, key) for line in with_key])
            axes[key].plot(steps, values, linewidth=0.8)
            axes[key].set_title(title, fontsize=9)
    axes["share"].set(xlabel="decisions of the learner, millions", ylabel="share of the win", ylim=SHARES_SHOWN)
    for players in sorted(counts):
        axes["share"].axhline(1 / players, color="0.5", linestyle="--", linewidth=0.8, label=f"{players} players, par")
    axes["share"].set_title("Development deals, every seat, one opponent in all others; 95 % intervals", fontsize=10)
    if axes["share"].lines:
        axes["share"].legend(fontsize=8)
    axes["share"].grid(alpha=0.3)
    return write_curves(figure, folder)


def write_curves(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as `curves.png` and `curves.svg`; returns their paths."""
    paths = [folder / f"curves.{kind}" for kind in ("png", "svg")]
    for path in paths:
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], dpi=120)
        write_file(path, picture.getvalue())
    return paths
