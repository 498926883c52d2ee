"""`python -m benchmarks.meaning`: copies and circles, luck, seats and ladders, for players of this package.

Arenas are kept in build/meaning, so that the same command resumes. The page on what the numbers mean shows the result.
"""

from __future__ import annotations

from dataclasses import asdict
from math import isinf
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import BUILD, folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_training.arena import arena
from speicher_training.arena.finished import read_run
from speicher_training.arena.ladder import rungs, spec_with
from speicher_training.arena.luck import with_intervals
from speicher_training.arena.repeated import play_again
from speicher_training.arena.run_analysis import analyse_run
from speicher_training.arena.seeds import EVALUATION, first_seed

SCRIPTED = ("random", "frugal", "firechief", "contractor", "shipper", "spoiler", "merchant")
STRONG = ("merchant", "baseline", "mcts:50", "mcts:200")
ARENAS = {"2p": (SCRIPTED, 2, 500), "3p": (SCRIPTED, 3, 100), "4p": (SCRIPTED, 4, 40), "5p": (SCRIPTED, 5, 12)}
"""Players, players in a game, and deals."""
STRONGER = {"2p-strong": (STRONG, 2, 40)}
EQUALS = (("random", 200, 4), ("frugal", 200, 2), ("merchant", 200, 2), ("mcts:50", 30, 3))
"""Players against themselves, deals, and games on each."""
LADDER, BUDGETS, LADDER_DEALS = "mcts", (10, 20, 40, 80, 160), 40
QUICK_DEALS = 10


def run(quick: bool) -> dict[str, Any]:
    """Play what is missing, and analyse all."""
    arenas = {name: _analysed(name, *arguments, quick=quick) for name, arguments in (ARENAS | STRONGER).items()}
    equals = [
        {"player": spec, "players": players, "deals": deals, "times": times, **_luck(spec, players, deals, times)}
        for spec, deals, times in ((spec, QUICK_DEALS if quick else deals, times) for spec, deals, times in EQUALS)
        for players in (2, 3, 4, 5)
    ]
    return header("python -m benchmarks.meaning") | {"arenas": arenas, "equals": equals, "ladder": _ladder(quick=quick)}


def _analysed(name: str, players: tuple[str, ...], num_players: int, deals: int, *, quick: bool) -> dict[str, Any]:
    folder = BUILD / "meaning" / (f"{name}-quick" if quick else name)
    wanted = QUICK_DEALS if quick else deals
    results = arena(list(players), num_players, deals=wanted, output=folder, plots=False, jobs=1, replicates=200)
    ratings = {player["name"]: player["rating"] for player in results.summary["players"]}
    print(f"{name}: {results.summary['games']} games", flush=True)
    return analyse_run(read_run(folder)) | {"ratings": ratings}


def _luck(spec: str, players: int, deals: int, times: int) -> dict[str, Any]:
    print(f"{spec} against itself, {players} players", flush=True)
    return with_intervals(play_again(spec, players, first_seed(EVALUATION, deals), deals, times))


def _ladder(*, quick: bool) -> dict[str, Any]:
    specs = [spec_with(LADDER, budget) for budget in BUDGETS]
    deals = 2 if quick else LADDER_DEALS
    folder = BUILD / "meaning" / ("ladder-quick" if quick else "ladder")
    results = arena(specs, 2, deals=deals, mirrors=False, output=folder, plots=False, jobs=1, replicates=500)
    found = [asdict(rung) for rung in rungs(results.summary, specs, BUDGETS)]
    for rung in found:
        rung["doublings"] = {end: None if isinf(value) else value for end, value in rung["doublings"].items()}
    return {"spec": LADDER, "deals": deals, "rungs": found}


def print_table(result: dict[str, Any], console: Console) -> None:
    """The lottery of each arena, and the luck of equals."""
    for name, found in result["arenas"].items():
        table = Table(title=f"{name}: maximal lottery", box=box.SIMPLE_HEAD)
        for column in ("player", "part, %", "ahead of it, %"):
            table.add_column(column, justify="left" if column == "player" else "right")
        for row in found["lottery"]:
            table.add_row(row["name"], *(f"{100 * row[key]['estimate']:.1f}" for key in ("weight", "score")))
        console.print(table)
    table = Table(title="Luck between equals, %", box=box.SIMPLE_HEAD)
    for column in ("player", "players", "seat", "deal", "rest"):
        table.add_column(column, justify="left" if column == "player" else "right")
    for row in result["equals"]:
        parts = (f"{100 * row[part]['estimate']:.0f}" for part in ("seat", "deal", "rest"))
        table.add_row(row["player"], str(row["players"]), *parts)
    console.print(table)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.meaning", __doc__)
    result = run(options.quick)
    write("meaning", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
