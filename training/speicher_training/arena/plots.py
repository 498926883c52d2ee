"""The plots of a report, each as PNG and SVG."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from speicher_training.arena.analysis import order_of
from speicher_training.arena.schedule import MIRROR
from speicher_training.files import write_file

if TYPE_CHECKING:
    from speicher_training.arena.results import Results

__all__ = ["pairs", "ratings", "save_plots"]

_LOOK: Any = {"svg.hashsalt": "speicher-arena", "svg.fonttype": "none", "font.size": 9}
_COLOR = "#31688e"


def save_plots(results: Results, folder: Path) -> None:
    """Write ratings, pairs, points and seats as PNG and SVG; seats only if players played against themselves."""
    drawings: dict[str, Callable[[Results], Figure]] = {"ratings": ratings, "pairs": pairs, "points": points}
    if results.summary["seats"]:
        drawings["seats"] = seats
    with mpl.rc_context(_LOOK):
        for name, draw in drawings.items():
            figure = draw(results)
            for kind, about in (("png", {"Software": None}), ("svg", {"Date": None})):
                drawn = io.BytesIO()
                figure.savefig(drawn, format=kind, dpi=150, bbox_inches="tight", metadata=about)
                write_file(folder / f"{name}.{kind}", drawn.getvalue())


def ratings(results: Results) -> Figure:
    """Ratings with their intervals, the best on top."""
    figure, axes, players = _begin(results, 1.2)
    for row, player in enumerate(players):
        _bar(axes, player["rating"], row)
    axes.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    _names(axes, players)
    axes.set_xlabel(f"rating, {results.summary['anchor']} = 0 (95 % intervals)")
    return figure


def pairs(results: Results) -> Figure:
    """Who finished ahead of whom, as a heat map."""
    players = _ordered(results)
    names = [player["name"] for player in players]
    size = len(names)
    table = np.full((size, size), np.nan)
    for pair in results.summary["pairs"]:
        first, second = names.index(pair["first"]), names.index(pair["second"])
        table[first, second] = 100 * pair["ahead"]["estimate"]
        table[second, first] = 100 - table[first, second]
    figure = Figure(figsize=(2.5 + 0.65 * size, 1.5 + 0.5 * size))
    axes = figure.add_subplot()
    image = axes.imshow(table, cmap="RdBu", vmin=0, vmax=100, aspect="auto")
    for row, column in np.argwhere(~np.isnan(table)):
        dark = abs(table[row, column] - 50) > 32
        axes.text(column, row, f"{table[row, column]:.0f}", ha="center", va="center", color="w" if dark else "k")
    axes.set_xticks(range(size), names, rotation=45, ha="right")
    axes.set_yticks(range(size), names)
    axes.set_title("row finished ahead of column,\n% of common games", fontsize=9)
    figure.colorbar(image, ax=axes)
    return figure


def points(results: Results) -> Figure:
    """The distribution of each player's points: box from quarter to quarter, whiskers from 5 % to 95 %."""
    figure, axes, players = _begin(results, 1.2)
    plan = results.games.schedule
    names = results.summary["players"]
    order = {player["name"]: number for number, player in enumerate(names)}
    taken = [
        results.games.points[:, (plan.seatings == order[player["name"]]) & (plan.lineup != MIRROR)[:, None]].ravel()
        for player in players
    ]
    axes.boxplot(
        taken, positions=range(len(players)), orientation="horizontal", whis=(5, 95), showfliers=False, widths=0.6,
        patch_artist=True, boxprops={"facecolor": "#cfe0ec"}, medianprops={"color": _COLOR},
    )  # fmt: skip
    _names(axes, players)
    axes.set_xlabel("points (median, quarters, 5 % and 95 %)")
    return figure


def seats(results: Results) -> Figure:
    """Each player against itself: the win share by place in the first round."""
    places = results.summary["num_players"]
    figure, axes, players = _begin(results, 1.2)
    by_name = {seat["name"]: seat["places"] for seat in results.summary["seats"]}
    colors = mpl.colormaps["viridis"](np.linspace(0.1, 0.8, places))
    for row, player in enumerate(players):
        for place in range(places):
            label = f"place {place + 1}" if row == 0 else None
            _bar(
                axes, by_name[player["name"]][place], row + 0.12 * (place - (places - 1) / 2), 100, colors[place], label
            )
    axes.axvline(100 / places, color="0.6", linewidth=0.8, zorder=0)
    _names(axes, players)
    axes.legend(loc="best", fontsize=7)
    axes.set_xlabel("win share against itself, % (95 % intervals), by place in the first round")
    return figure


def _ordered(results: Results) -> list[dict[str, Any]]:
    return [results.summary["players"][number] for number in order_of(results.summary["players"])]


def _begin(results: Results, least: float) -> tuple[Figure, Axes, list[dict[str, Any]]]:
    players = _ordered(results)
    figure = Figure(figsize=(6.5, least + 0.38 * len(players)))
    return figure, figure.add_subplot(), players


def _bar(
    axes: Axes, numbers: dict[str, float], row: float, scale: float = 1, color: Any = _COLOR, label: str | None = None
) -> None:
    estimate = scale * numbers["estimate"]
    reach = [[estimate - scale * numbers["low"]], [scale * numbers["high"] - estimate]]
    axes.errorbar([estimate], [row], xerr=np.maximum(reach, 0), fmt="o", color=color, capsize=3, ms=4, label=label)


def _names(axes: Axes, players: list[dict[str, Any]]) -> None:
    axes.set_yticks(range(len(players)), [player["name"] for player in players])
    axes.set_ylim(len(players) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
