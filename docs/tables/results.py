"""Tables and the plot of the page of results: what the baselines reach in the arena."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.baselines import COUNTS, RUNS, SMALL, SPEED, TWO, UNIVERSAL
from benchmarks.strength import LADDER
from docs.tables import learning
from docs.tables.aims import (
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
from docs.tables.baselines import kept_results, packaged_cards
from docs.tables.markdown import measured_on, paragraphs, ranged, shell, table, warning

PLOT = "images/baselines"
MISSING = "–"
NOT_MEASURED = "Not measured yet."


def stale(results: Results, weights: Mapping[str, str]) -> str:
    """A warning where results are of other weights than those that are packaged."""
    found = [
        name for name, told in results.items() for one, sha in told.get("baselines", {}).items()
        if weights.get(one) != sha
    ]  # fmt: skip
    if not found:
        return ""
    named = ", ".join(dict.fromkeys(found))
    return warning("Other weights", [f"These were measured with other weights than the package has now: {named}."])


def aims_section(results: Results) -> str:
    """The aims, with a warning where results are of other weights than those in the package."""
    weights = {name: card.sha256 for name, card in packaged_cards().items()}
    return paragraphs(stale(results, weights), aims_table(results))


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


def two_players(results: Results) -> str:
    """The baseline for two players against each scripted player and search."""
    runs: dict[str, list[str] | list[None]] = {
        "2p-ladder": LADDER.split(), "2p-flat": [None], "2p-mcts": [None], "2p-mcts-deep": [None],
    }  # fmt: skip
    return _section(results, runs)


def led_search(results: Results) -> str:
    """Search led by the baseline."""
    return _section(results, {"2p-guided": [None], "2p-guided-800": [None], "2p-guided-deep": [None]})


def _section(results: Results, runs: Mapping[str, list[str] | list[None]]) -> str:
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
                f"`{own}`", f"`{_label(name, opponent)}`", told["deals"], percent(share(told, opponent)),
                ranged(pair["lead"], 1, sign="+"), time_of(told, own), time_of(told, other),
            ))  # fmt: skip
    header = ("player", "against", "deals", "win share, %", "points ahead", "time of a decision", "the opponent's")
    return paragraphs(_commands(list(runs)), table(header, rows, "ll" + "r" * 5) if rows else NOT_MEASURED)


def more_players(results: Results) -> str:
    """One seat among opponents of one kind."""
    names = [f"{count}p-{kind}" for count in COUNTS for kind in ("merchant", "mcts", "guided")]
    rows = []
    for name in names:
        if name in results:
            told = results[name]
            count, own = told["num_players"], share(told)
            who, others = RUNS[name].arguments.split()[:2]
            rows.append((
                count, f"`{who}`", f"`{others}`", told["deals"], f"{100 * told['par']:.1f}", percent(own),
                f"{count * own['estimate']:.2f}", time_of(told, told["players"][0]["name"]),
            ))  # fmt: skip
    header = (
        "players", "in one seat", "in all others", "deals", "par, %", "win share, %", "times par", "time of a decision"
    )  # fmt: skip
    return paragraphs(_commands(names), table(header, rows, "lll" + "r" * 5) if rows else NOT_MEASURED)


def universal(results: Results) -> str:
    """The baseline for all player counts, beside the specialists."""
    names = [run for run, _, _ in PAIRED.values()]
    ladder = {(2, name): ("universal-2p-ladder", "2p-ladder", name) for name in LADDER.split()}
    rows = []
    for (players, opponent), (run, special, against) in (ladder | PAIRED).items():
        if run in results:
            own = share(results[run], against)
            other = percent(share(results[special], against)) if special in results else MISSING
            apart = percent(_difference(results, run, special, against), sign="+")
            rows.append((players, f"`{opponent}`", results[run]["deals"], percent(own), other, apart))
    header = ("players", "against", "deals", "universal, %", "specialist, %", "difference, points")
    return paragraphs(
        _commands([*names, "universal-sampled"]), table(header, rows, "ll" + "r" * 4) if rows else NOT_MEASURED
    )


def small(results: Results) -> str:
    """The networks that play fast, beside the specialists for as many players."""
    two, four = SMALL[2], SMALL[4]
    rows = []
    for run, special, against in (
        (f"{two}-ladder", "2p-ladder", "merchant"), (f"{two}-mcts", "2p-mcts", None), (f"{two}-large", "", None),
        (f"{four}-merchant", "4p-merchant", None), (f"{four}-mcts", "4p-mcts", None),
    ):  # fmt: skip
        if run in results:
            told, opponent = results[run], against or RUNS[run].arguments.split()[1]
            other = percent(share(results[special], against)) if special in results else MISSING
            rows.append((
                f"`{told['players'][0]['name']}`", told["num_players"], f"`{opponent}`", told["deals"],
                percent(share(told, against)), other,
            ))  # fmt: skip
    header = ("player", "players", "against", "deals", "win share, %", "specialist, %")
    names = [name for name in RUNS if name.startswith(tuple(SMALL.values()))]
    return paragraphs(_commands(names), table(header, rows, "llllrr") if rows else NOT_MEASURED)


def sampled(results: Results) -> str:
    """On sampled decks, with two players."""
    if "universal-sampled" not in results:
        return NOT_MEASURED
    told = results["universal-sampled"]
    own, special, merchant = (player["name"] for player in told["players"])
    pairs = {(pair["first"], pair["second"]): pair for pair in told["pairs"]}
    rows = [
        (label, told["deals"], percent(pairs[names]["ahead"]), ranged(pairs[names]["lead"], 1, sign="+"))
        for label, names in {
            f"`baseline:{UNIVERSAL}` against `merchant`": (own, merchant),
            f"`baseline:{TWO}` against `merchant`": (special, merchant),
            f"`baseline:{UNIVERSAL}` against `baseline:{TWO}`": (own, special),
        }.items()
    ]
    return table(("sampled decks", "deals", "win share, %", "points ahead"), rows)


def speed(results: Results) -> str:
    """Decisions per second."""
    points = told_rates(results)
    if not points:
        return NOT_MEASURED
    measured = results[SPEED]
    rows = [
        (f"`baseline:{one['baseline']}`", one["players"], _rate(one["network"]), _rate(one["games"])) for one in points
    ]
    return paragraphs(
        f"{measured['batch']:,} decisions at a time, {measured['rounds']} rounds. {measured_on(measured)}",
        table(("", "players", "network alone", "whole games"), rows),
    )


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


def _commands(names: list[str]) -> str:
    return shell(*(f"speicher arena {RUNS[name].arguments}" for name in names))


def _difference(results: Results, run: str, special: str, against: str | None) -> Share | None:
    if run not in results or special not in results:
        return None
    return difference(share(results[run], against), share(results[special], against))


def _rate(told: dict[str, Any]) -> str:
    return f"{told['median']:,.0f} [{told['low']:,.0f}–{told['high']:,.0f}]"


TABLES = {
    "results aims": lambda: aims_section(kept_results()),
    "results trends": lambda: learning.trends(packaged_cards()),
    "results two players": lambda: two_players(kept_results()),
    "results guided": lambda: led_search(kept_results()),
    "results more players": lambda: more_players(kept_results()),
    "results universal": lambda: universal(kept_results()),
    "results small": lambda: small(kept_results()),
    "results sampled": lambda: sampled(kept_results()),
    "results speed": lambda: speed(kept_results()),
}
