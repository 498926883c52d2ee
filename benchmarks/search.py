"""`python -m benchmarks.search`: how many playouts a second the searches make on one core, over whole games.

A search plays a game against itself with 1000 playouts for each decision. The rate is all playouts of the game over
the time that all its searches took: early decisions, whose playouts are long, and late ones together.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_agents import load_agent
from speicher_agents.search import Search
from speicher_apps.meter.meter import Lap, LapFunction, measure
from speicher_apps.meter.report import header
from speicher_env import Game
from speicher_training.machine import on_one_core

PLAYERS = (2, 3, 4, 5)
ITERATIONS = 1000
ROUNDS = 5
QUICK_ROUNDS = 2
SEED = 2_000_000_000
"""Of the first game; each round goes on with others."""
SPECS = ("mcts:rollout=random,prior=none", "mcts", "flat:rollout=random", "flat")
"""The searches, as a spec names them."""


def whole_games(spec: str, players: int) -> LapFunction:
    """Laps of a game each, played by the search in all seats; the count is of playouts."""
    search = load_agent(f"{spec}{',' if ':' in spec else ':'}iterations={ITERATIONS}")
    assert isinstance(search, Search)
    seed = SEED

    def lap() -> Lap:
        nonlocal seed
        game = Game(players, seed=seed)
        seed += 1
        playouts, spent = 0, 0.0
        while not game.over:
            begin = perf_counter()
            report = search.search(game)
            spent += perf_counter() - begin
            playouts += report.iterations
            game.play(report.best)
        return Lap(playouts, spent)

    return lap


def run(rounds: int) -> dict[str, Any]:
    """Measure every search at every number of players: a game to warm up, then one for each round."""
    points = []
    with on_one_core():
        for spec in SPECS:
            for players in PLAYERS:
                rate = measure(whole_games(spec, players), seconds=0.0, rounds=rounds)
                points.append({"search": spec, "players": players, **rate.as_dict()})
            print(f"{spec} measured", flush=True)
    return header("python -m benchmarks.search") | {"rounds": rounds, "iterations": ITERATIONS, "points": points}


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each search, a column for each number of players."""
    table = Table(title="Playouts per second on one core, over whole games", box=box.SIMPLE_HEAD)
    table.add_column("search")
    for players in PLAYERS:
        table.add_column(f"{players} players", justify="right")
    for spec in SPECS:
        own = {point["players"]: point for point in result["points"] if point["search"] == spec}
        table.add_row(spec, *(f"{own[n]['median']:,.0f} ({own[n]['low']:,.0f}–{own[n]['high']:,.0f})" for n in PLAYERS))
    console.print(f"{result['date']}, {result['machine']['processor']}")
    console.print(table)
    console.print(
        f"Median of {result['rounds']} games with {result['iterations']} playouts for each decision, slowest–fastest "
        "in brackets; one thread."
    )


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.search", __doc__)
    result = run(QUICK_ROUNDS if options.quick else ROUNDS)
    write("search", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
