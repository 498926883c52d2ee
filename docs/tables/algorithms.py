"""Tables and the plot of the page that compares algorithms. They show what is measured so far."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.algorithms import ALGORITHMS, COUNTS, CURVE_POINTS, KEPT, PANEL, SHORT, Extent, Run
from benchmarks.runs import is_kept
from docs.tables.ablations import changed
from docs.tables.markdown import Result, code, measured_on, paragraphs, table
from docs.tables.training_curves import load_pyplot, save_figure
from speicher_training.intervals import mean_interval, within
from speicher_training.train.recipe import load_recipe

PLOT = "images/algorithms"
NOT_MEASURED = "not measured yet"
COMMAND = "`python -m benchmarks.algorithms` measures it"
SHOWN = PANEL[1:]
"""Opponents in the plot; all algorithms soon beat `random`."""
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
"""Distinct for colour-blind readers too."""

Runs = dict[str, list[Result]]
"""By algorithm, seed by seed."""


def kept_runs(players: int) -> Runs:
    """The results that there are; those of the longest budget, should there be several."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(KEPT.glob(f"*-{players}p-[0-9]*.json"))]
    longest = max((result["core_minutes"] or 0 for result in results), default=0)
    found: Runs = {}
    for result in sorted(results, key=lambda result: (list(ALGORITHMS).index(result["algorithm"]), result["seed"])):
        if result["core_minutes"] == longest:
            found.setdefault(result["algorithm"], []).append(result)
    return found


def measured() -> str:
    """What was measured on what, as far as there is anything."""
    every = [result for players in COUNTS for results in kept_runs(players).values() for result in results]
    if not every:
        return f"Not measured yet: {COMMAND}."
    first, seeds = every[0], max(result["seed"] for result in every)
    which = f"seeds 1 to {seeds}" if seeds > 1 else "seed 1"
    warning = "" if seeds > 2 else "**A first look: another seed may give another order.** "
    return paragraphs(
        f"{warning}{first['core_minutes']:g} minutes of core time for each run, {which}; {first['deals']} held-out "
        f"deals against each player of the panel, each from every seat. {measured_on(first)}"
    )


def panel(players: int) -> str:
    """What each algorithm has reached against the panel."""
    runs = kept_runs(players)
    if not runs:
        return f"Not measured yet: {COMMAND}."
    rows: list[tuple[object, ...]] = []
    for name, algorithm in ALGORITHMS.items():
        results = runs.get(name, [])
        if not results:
            rows.append((algorithm.title, NOT_MEASURED, *["–"] * (len(PANEL) + 2)))
            continue
        shares = [over_seeds([share_against(result, opponent) for result in results]) for opponent in PANEL]
        decisions = fmean(result["steps"] for result in results) / 1e6
        rows.append((algorithm.title, len(results), f"{decisions:.2f}", *shares, deviation(results[0])))
    against = (f"against {code(opponent)}, %" for opponent in PANEL)
    return table(("algorithm", "seeds", "decisions, millions", *against, "deviation gain, points"), rows)


def share_against(result: Result, opponent: str) -> float:
    """The win share of a run against a player of the panel."""
    return next(float(row["win_share"]["estimate"]) for row in result["panel"] if row["opponent"] == opponent)


def over_seeds(shares: Sequence[float]) -> str:
    """A mean of shares in %, with its interval over seeds if there are several."""
    interval = within(mean_interval(shares), 0.0, 1.0)
    estimate, low, high = (f"{100 * interval[end]:.1f}" for end in ("estimate", "low", "high"))
    return estimate if len(shares) == 1 else f"{estimate} [{low}, {high}]"


def deviation(result: Result) -> str:
    """What a best response wins beyond par from what a run has learned."""
    path = KEPT / f"deviation-{result['algorithm']}-{result['players']}p.json"
    if not is_kept(path, {"seed": result["seed"], "digest": result["digest"]}):
        return NOT_MEASURED
    gain = json.loads(path.read_text(encoding="utf-8"))["gain"]
    return "{estimate:+.1f} [{low:+.1f}, {high:+.1f}]".format(**{end: 100 * value for end, value in gain.items()})


def pairs(players: int) -> str:
    """The win share of each algorithm against each other one, in %, a mean over seeds; and over all others."""
    path = KEPT / f"pairs-{players}p.json"
    found: dict[tuple[str, str], list[float]] = {}
    by_seed: dict[tuple[str, int], list[float]] = {}
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    for row in rows:
        share = row["win_share"]["estimate"]
        ways = [(row["row"], row["column"], share)]
        if players == min(COUNTS):
            ways.append((row["column"], row["row"], 1 - share))
        for one, other, won in ways:
            found.setdefault((one, other), []).append(won)
            by_seed.setdefault((one, row["seed"]), []).append(won)
    names = [name for name in ALGORITHMS if any(name in pair for pair in found)]
    if not names:
        return f"Not measured yet: {COMMAND}."

    def cell(row: str, column: str) -> str:
        if row == column:
            return "–"
        return f"{100 * fmean(found[row, column]):.1f}" if (row, column) in found else NOT_MEASURED

    def over_all(name: str) -> str:
        return over_seeds([fmean(shares) for (one, _), shares in by_seed.items() if one == name])

    lines = [(code(row), *(cell(row, column) for column in names), over_all(row)) for row in names]
    return table(("", *map(code, names), "all others"), lines)


def settings() -> str:
    """What the recipes change."""
    rows = [(f"recipe `{players}p`, in all", changed(_new(SHORT, players))) for players in COUNTS]
    recipes = {name: each for name, each in ALGORITHMS.items() if not each.file}
    rows += [(code(name), changed(each.changes) or "the league of the recipe") for name, each in recipes.items()]
    return table(("", "settings"), rows, "ll")


def _new(changes: dict[str, Result], players: int) -> dict[str, Result]:
    """The settings among these that the recipe has otherwise, but for checkpoints and evaluations."""
    before = load_recipe(f"{players}p").tables
    return {
        name: {key: value for key, value in keys.items() if before[name][key] != value}
        for name, keys in changes.items()
        if name != "run"
    }


def options() -> str:
    """How the example files are called."""
    names = [name for name, algorithm in ALGORITHMS.items() if algorithm.file]
    calls = [
        f"python training/examples/{ALGORITHMS[name].file} "
        + " ".join(Run(name, COUNTS[0], 1, Extent(10), Path()).options[:6])
        for name in names
    ]
    return "```bash\n" + "\n".join(calls) + "\n```"


# The plot


def curves() -> str:
    """The plot, if anything is measured."""
    if not any(kept_runs(players) for players in COUNTS):
        return f"Not measured yet: {COMMAND}."
    words = (
        "Win share over core time, a line for each algorithm: against frugal and merchant, with two and four players"
    )
    return f"![{words}]({PLOT}.svg)"


def points(results: Sequence[Result], opponent: str) -> list[tuple[float, float]]:
    """Core-minutes and the mean win share over the seeds in %, at equal parts of the budget."""
    grid = np.arange(1, CURVE_POINTS + 1) * results[0]["core_minutes"] / CURVE_POINTS
    lines = []
    for result in results:
        chosen = [point for point in result["curve"] if point["opponent"] == opponent]
        minutes = [point["seconds"] / 60 for point in chosen]
        lines.append(np.interp(grid, minutes, [100 * point["win_share"] for point in chosen]))
    return list(zip(grid.tolist(), np.mean(lines, axis=0).tolist(), strict=True))


def digest() -> str:
    """What the plot says of the results that it shows."""
    shown = {players: {name: [points(results, each) for each in SHOWN] for name, results in kept_runs(players).items()}
             for players in COUNTS}  # fmt: skip
    return "results " + hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def draw(folder: Path) -> None:
    """The learning curves, as SVG and PNG; nothing if nothing is measured."""
    every = {players: kept_runs(players) for players in COUNTS}
    if not any(every.values()):
        return
    figure, grid = load_pyplot().subplots(
        len(SHOWN), len(COUNTS), figsize=(8.0, 5.6), sharex="col", squeeze=False, layout="constrained"
    )
    for column, (players, runs) in enumerate(every.items()):
        for row, opponent in enumerate(SHOWN):
            axes = grid[row][column]
            for (name, algorithm), color in zip(ALGORITHMS.items(), COLORS, strict=True):
                if name in runs:
                    minutes, shares = zip(*points(runs[name], opponent), strict=True)
                    axes.plot(minutes, shares, ".-", color=color, linewidth=1.2, label=algorithm.title)
            axes.axhline(100 / players, color="0.5", linewidth=0.8, linestyle=":", zorder=0)
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
            if row == 0:
                axes.set_title(f"{players} players", fontsize=9)
            if row == len(SHOWN) - 1:
                axes.set_xlabel("core-minutes", fontsize=8)
            if column == 0:
                axes.set_ylabel(f"win share against {opponent}, %", fontsize=8)
    lines = {line.get_label(): line for axes in grid[0] for line in axes.lines if line.get_marker() == "."}
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=4, fontsize=7)
    save_figure(figure, folder / PLOT, digest())


TABLES = {
    "algorithms measured": measured,
    **{f"algorithms panel {players}p": partial(panel, players) for players in COUNTS},
    **{f"algorithms pairs {players}p": partial(pairs, players) for players in COUNTS},
    "algorithms curves": curves,
    "algorithms settings": settings,
    "algorithms commands": options,
}
