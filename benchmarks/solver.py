"""`python -m benchmarks.solver`: how far exact solutions reach, in positions and in time, from each stage of a round.

A player plays games against itself, and the first position of each stage of the last round is solved from scratch.
Times are of the processor, on one core. With four and five players the first stage is where `exact` begins to solve.
With two players the stages of the round before the last follow, as far as a limit of positions allows.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_agents import load_agent
from speicher_agents.exact import REACH
from speicher_apps.meter.report import header
from speicher_env import Game
from speicher_env.rules.state import WORKERS
from speicher_env.solve import is_before_last, is_determined
from speicher_training.machine import on_one_core

GAMES = {2: 200, 3: 200, 4: 40, 5: 40}
QUICK_GAMES = 3
PLAYER = "merchant"
SEED = 2_000_500_000
LIMIT = 10_000_000
BEFORE_GAMES = 12
"""Games of two whose round before the last is solved."""
LAST_DECISION = "the last decision"


def stages(players: int) -> dict[str, tuple[str, int]]:
    """The stages by name: the phase, and how many workers are in hand at the most."""
    demand = {f"{REACH[players]} workers to place": ("demand", REACH[players])}
    if REACH[players] == WORKERS * players:
        demand = {"all workers to place": ("demand", REACH[players])}
    return {**demand, "all workers placed": ("purchase", 99), "loading begins": ("loading", 99)}


def positions_of(seed: int, players: int) -> dict[str, Game]:
    """The first position of each stage of a game; a stage without a decision is left out."""
    agent, game, found = load_agent(PLAYER), Game(players, seed=seed), {}
    while not game.over:
        if is_determined(game):
            for stage, (phase, most) in stages(players).items():
                if stage not in found and game.phase == phase and int(game.state["workers"].sum()) <= most:
                    found[stage] = game.copy()
        game.play(agent.action(game))
    return found


def positions_before_last(seed: int) -> dict[str, Game]:
    """The first position of each stage of the round before the last of a game of two, and its last decision."""
    agent, game, found = load_agent(PLAYER), Game(2, seed=seed), {}
    while not is_determined(game):
        if is_before_last(game):
            for stage, phase in (("all workers placed", "purchase"), ("loading begins", "loading")):
                if stage not in found and game.phase == phase:
                    found[stage] = game.copy()
            found[LAST_DECISION] = game.copy()
        game.play(agent.action(game))
    return found


def measure_before_last(games: int) -> list[dict[str, Any]]:
    """Positions and times of each stage of the round before the last, and how many were solved within the limit."""
    names = ("all workers placed", "loading begins", LAST_DECISION)
    solved: dict[str, list[tuple[int, float, bool]]] = {stage: [] for stage in names}
    for seed in range(SEED, SEED + games):
        for stage, game in positions_before_last(seed).items():
            begin = time.process_time()
            solution = game.solve(LIMIT)
            solved[stage].append((solution.positions, time.process_time() - begin, solution.exact))
    rows = []
    for stage, found in solved.items():
        positions, seconds, exact = np.array(found, dtype=float).T
        rows.append(
            {
                "stage": stage,
                "games": len(found),
                "solved": int(exact.sum()),
                "positions": spread(positions),
                "milliseconds": spread(1000 * seconds),
            }
        )
    return rows


def measure(players: int, games: int) -> list[dict[str, Any]]:
    """Positions and times of each stage for one number of players."""
    solved: dict[str, list[tuple[int, float, bool, bool]]] = {stage: [] for stage in stages(players)}
    for seed in range(SEED, SEED + games):
        for stage, game in positions_of(seed, players).items():
            begin = time.process_time()
            solution = game.solve(LIMIT)
            seconds = time.process_time() - begin
            unique = solution.exact and solution.value.unique
            solved[stage].append((solution.positions, seconds, solution.exact, unique))
    rows = []
    for stage, found in solved.items():
        positions, seconds, exact, unique = np.array(found, dtype=float).T
        rows.append(
            {
                "players": players,
                "stage": stage,
                "games": len(found),
                "solved": int(exact.sum()),
                "unique": float(unique.mean()),
                "positions": spread(positions),
                "milliseconds": spread(1000 * seconds),
            }
        )
    return rows


def spread(values: np.ndarray) -> dict[str, float]:
    """Median, 90 % and worst."""
    return {
        "median": round(float(np.median(values)), 3),
        "most of ten": round(float(np.quantile(values, 0.9)), 3),
        "worst": round(float(values.max()), 3),
    }


def run(games: dict[int, int], before: int) -> dict[str, Any]:
    """Measure every number of players, and the round before the last of two."""
    rows = []
    with on_one_core():
        measure(2, 1)  # compiles
        for players, count in games.items():
            rows += measure(players, count)
            print(f"{players} players measured", flush=True)
        before_last = measure_before_last(before)
    found = {"player": PLAYER, "limit": LIMIT, "rows": rows, "before_last": before_last}
    return header("python -m benchmarks.solver") | found


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each stage."""
    table = Table(title="Positions and milliseconds of exact solutions: median, 90 %, worst", box=box.SIMPLE_HEAD)
    for column in ("players", "from", "games", "positions", "ms"):
        table.add_column(column, justify="left" if column == "from" else "right")
    before_last = [{"players": "before the last", **row} for row in result["before_last"]]
    for row in [*result["rows"], *before_last]:
        positions = " / ".join(f"{value:,.0f}" for value in row["positions"].values())
        times = " / ".join(f"{value:,.1f}" for value in row["milliseconds"].values())
        table.add_row(str(row["players"]), row["stage"], str(row["games"]), positions, times)
    console.print(table)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.solver", __doc__)
    result = run(dict.fromkeys(GAMES, QUICK_GAMES), QUICK_GAMES) if options.quick else run(GAMES, BEFORE_GAMES)
    write("solver", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
