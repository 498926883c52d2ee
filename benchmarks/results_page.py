"""The page of results: what the baselines reach in the arena, each number with its command, and the plot of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import learning
from benchmarks.aims import (
    AIMS,
    BELOW,
    PAIRED,
    RATE,
    Results,
    Share,
    Summary,
    difference,
    share,
    told_rates,
    verdict,
)
from benchmarks.baselines import COUNTS, RUNS, SPEED, TWO, UNIVERSAL
from benchmarks.parts import measured_on, page, table
from benchmarks.strength import LADDER
from benchmarks.strength_page import ranged
from speicher_agents.baselines import Card

PLOT = "images/baselines"
MISSING = "–"


def results_page(results: Results, cards: Mapping[str, Card]) -> str:
    """docs/results.md; `cards` are those of the packaged baselines."""
    return page(
        "# Results",
        "What the [baselines](baselines.md) reach in the [arena](arena.md), on deals of its evaluation range, which no "
        "training and no choice has seen. In brackets 95 % intervals from a bootstrap over deals. They speak of the "
        "deals and not of training: each baseline is one run, and another seed would give another network. "
        "[How to report results](reporting.md) says how to put numbers of your own beside these.",
        stale(results, {name: card.sha256 for name, card in cards.items()}),
        "## What was to be reached",
        "*Met, not beyond doubt*: the estimate is there, the low end of its interval is not. *Par* is what equal "
        "players would have.",
        aims_table(results),
        f"![Win shares with their intervals, and what was to be reached]({PLOT}.svg)" if results else "",
        *learning.section(cards),
        *two_players(results),
        *more_players(results),
        *universal(results),
        *speed(results),
        "## Measuring again",
        "```bash\npython -m benchmarks.baselines          # an hour of one core; goes on when interrupted\n"
        "python -m benchmarks.baselines_page     # this page and the one on baselines\n```",
        by="baselines_page",
    )  # fmt: skip


def stale(results: Results, weights: Mapping[str, str]) -> str:
    """A warning where results are of other weights than those that are packaged."""
    found = [
        name for name, told in results.items() for one, sha in told.get("baselines", {}).items()
        if weights.get(one) != sha
    ]  # fmt: skip
    if not found:
        return ""
    named = ", ".join(dict.fromkeys(found))
    return f'!!! warning "Other weights"\n    These were measured with other weights than the package has now: {named}.'


def aims_table(results: Results) -> str:
    """Every aim, what was measured, and whether it is met."""
    rows: list[tuple[object, ...]] = []
    for aim in AIMS:
        found = aim.measured(results)
        rows.append((
            aim.what, f"{100 / aim.players:.0f} %", f"≥ {100 * aim.least:.3g} %", percent(found),
            verdict(found, aim.least),
        ))  # fmt: skip
    for (players, opponent), (run, special, against) in PAIRED.items():
        found = _difference(results, run, special, against)
        what = f"`baseline:{UNIVERSAL}` less `baseline:{players}p`, against `{opponent}`, {players} players"
        rows.append((what, "", f"≥ −{100 * BELOW:.0f} points", percent(found, sign="+"), verdict(found, -BELOW)))
    slowest = min((told["games"]["median"] for told in told_rates(results)), default=None)
    rows.append((
        "decisions/s of the slowest baseline on one core, rules included", "", f"≥ {RATE:,}",
        MISSING if slowest is None else f"{slowest:,.0f}",
        "not measured" if slowest is None else "met" if slowest >= RATE else "**missed**",
    ))  # fmt: skip
    return table(("what", "par", "aim", "measured", ""), rows)


def two_players(results: Results) -> Iterator[str]:
    """Against each scripted player and search, and search led by the baseline."""
    yield "## Two players"
    runs = {"2p-ladder": LADDER.split(), "2p-flat": [None], "2p-mcts": [None]}
    yield from _section(results, f"baseline:{TWO}", runs)
    yield "### Search led by it"
    yield from _section(results, "guided:200", {"2p-guided": [None], "2p-guided-deep": [None]})


def _section(results: Results, who: str, runs: Mapping[str, list[str] | list[None]]) -> Iterator[str]:
    """A row for each opponent of some runs, and the commands."""
    rows = []
    for name, opponents in runs.items():
        if name not in results:
            continue
        told = results[name]
        for opponent in opponents:
            own, other = told["players"][0]["name"], opponent or told["players"][1]["name"]
            pair = next(one for one in told["pairs"] if (one["first"], one["second"]) == (own, other))
            rows.append((
                f"`{_label(name, opponent)}`", told["deals"], percent(share(told, opponent)),
                ranged(pair["lead"], 1, sign="+"), time_of(told, own), time_of(told, other),
            ))  # fmt: skip
    yield from _commands(list(runs))
    yield (
        table(
            (f"`{who}` against", "deals", "win share, %", "points ahead", "time of a decision", "the opponent's"), rows
        )
        if rows
        else "Not measured yet."
    )


def more_players(results: Results) -> Iterator[str]:
    """One seat among others of one kind."""
    yield "## Three, four and five players"
    yield (
        "One seat for the baseline, every seat in turn, and the same opponent in all others. *Times par* is the win "
        "share in parts of what equal players would have."
    )
    names = [f"{count}p-{kind}" for count in COUNTS for kind in ("merchant", "mcts")]
    yield from _commands(names)
    rows = []
    for name in names:
        if name in results:
            told = results[name]
            count, own = told["num_players"], share(told)
            rows.append((
                count, f"`{RUNS[name].arguments.split()[1]}`", told["deals"], f"{100 * told['par']:.1f}", percent(own),
                f"{count * own['estimate']:.2f}", time_of(told, told["players"][0]["name"]),
            ))  # fmt: skip
    yield (
        table(
            ("players", "in all other seats", "deals", "par, %", "win share, %", "times par", "time of a decision"),
            rows,
            2,
        )
        if rows
        else "Not measured yet."
    )


def universal(results: Results) -> Iterator[str]:
    """The baseline for all, beside the specialists."""
    yield "## One network for all"
    yield (
        "The universal baseline at the tasks of the specialists, on the same deals. The interval of the difference is "
        "made as if the deals were different ones, which is a little wider than need be."
    )
    names = [run for run, _, _ in PAIRED.values()]
    yield from _commands([*names, "universal-sampled"])
    ladder = {(2, name): ("universal-2p-ladder", "2p-ladder", name) for name in LADDER.split()}
    rows = []
    for (players, opponent), (run, special, against) in (ladder | PAIRED).items():
        if run in results:
            own = share(results[run], against)
            other = percent(share(results[special], against)) if special in results else MISSING
            apart = percent(_difference(results, run, special, against), sign="+")
            rows.append((players, f"`{opponent}`", results[run]["deals"], percent(own), other, apart))
    yield (
        table(("players", "against", "deals", "universal, %", "specialist, %", "difference, points"), rows, 2)
        if rows
        else "Not measured yet."
    )
    if "universal-sampled" in results:
        yield from _sampled(results["universal-sampled"])


def _sampled(told: Summary) -> Iterator[str]:
    own, special, merchant = (player["name"] for player in told["players"])
    yield "On decks drawn afresh for every deal, with two players:"
    pairs = {(pair["first"], pair["second"]): pair for pair in told["pairs"]}
    rows = [
        (label, told["deals"], percent(pairs[names]["ahead"]), ranged(pairs[names]["lead"], 1, sign="+"))
        for label, names in {
            f"`baseline:{UNIVERSAL}` against `merchant`": (own, merchant),
            f"`baseline:{TWO}` against `merchant`": (special, merchant),
            f"`baseline:{UNIVERSAL}` against `baseline:{TWO}`": (own, special),
        }.items()
    ]
    yield table(("sampled decks", "deals", "win share, %", "points ahead"), rows)


def speed(results: Results) -> Iterator[str]:
    """Decisions per second."""
    yield "## Speed"
    points = told_rates(results)
    if not points:
        yield "Not measured yet."
        return
    told = results[SPEED]
    yield (
        f"Decisions per second on one core, {told['batch']:,} at a time: of the network alone, and of whole games that "
        "it plays against itself, with rules, observations and masks. Slowest and fastest of "
        f"{told['rounds']} rounds in brackets. " + measured_on(told)
    )
    rows = [
        (f"`baseline:{one['baseline']}`", one["players"], _rate(one["network"]), _rate(one["games"])) for one in points
    ]
    yield table(("", "players", "network alone", "whole games"), rows)


def draw(results: Results, folder: Path) -> None:
    """The shares of the aims with their intervals and what was to be reached, as SVG and PNG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    found = [(aim, told) for aim in AIMS if (told := aim.measured(results)) is not None]
    with mpl.rc_context({"svg.hashsalt": "speicher-baselines", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, 1 + 0.28 * len(found)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for row, (aim, told) in enumerate(found):
            axes.plot([100 * told["low"], 100 * told["high"]], [row, row], color="#0072b2", linewidth=2)
            axes.plot([100 * told["estimate"]], [row], "o", color="#0072b2", markersize=4)
            axes.plot([100 * aim.least], [row], "|", color="#d55e00", markersize=12, markeredgewidth=2)
            axes.plot([100 / aim.players], [row], "|", color="0.6", markersize=8)
        axes.set_yticks(range(len(found)), [aim.what.replace("`", "") for aim, _ in found])
        axes.invert_yaxis()
        axes.set(xlim=(0, 101), xlabel="win share, % (95 % intervals)\norange: what was to be reached, grey: par")
        axes.grid(axis="x", alpha=0.3)
        path = folder / PLOT
        path.parent.mkdir(parents=True, exist_ok=True)
        about = digest(results)
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Description": about})
        figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Description": about, "Software": None})


def digest(results: Results) -> str:
    """What the plot is of, in a few letters that stand in it."""
    found = [(aim.run, aim.opponent, aim.measured(results)) for aim in AIMS]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


def percent(found: Share | None, sign: str = "") -> str:
    """A share with its interval, in percent."""
    return MISSING if found is None else ranged(found, 1, 100, sign)


def time_of(told: Summary, name: str) -> str:
    """Seconds of a player for a decision."""
    seconds = told["decision_times"].get(name, {}).get("seconds")
    if seconds is None:
        return MISSING
    unit, scale = next(((unit, scale) for unit, scale in (("s", 1), ("ms", 1e-3)) if seconds >= scale), ("µs", 1e-6))
    return f"{seconds / scale:.3g} {unit}"


def _label(run: str, opponent: str | None) -> str:
    return opponent or RUNS[run].arguments.split()[1]


def _commands(names: list[str]) -> Iterator[str]:
    yield "```bash\n" + "\n".join(f"speicher arena {RUNS[name].arguments}" for name in names) + "\n```"


def _difference(results: Results, run: str, special: str, against: str | None) -> Share | None:
    if run not in results or special not in results:
        return None
    return difference(share(results[run], against), share(results[special], against))


def _rate(told: dict[str, Any]) -> str:
    return f"{told['median']:,.0f} [{told['low']:,.0f}–{told['high']:,.0f}]"
