"""`python -m benchmarks.review`: how long reviews take, and how sure their luck is."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_agents import load_agent, seed_for
from speicher_agents.review import JUDGE, Judge, review_game
from speicher_apps.meter.report import header
from speicher_env import Game
from speicher_training.machine import on_one_core

SEED = 2_000_700_000
"""Of the first game; no player was trained or tuned on these deals."""
GAMES = 1


def run(judge: str, games: int) -> dict[str, Any]:
    """Review games of the judge against itself."""
    with on_one_core():
        rows = [_measured(judge, players, games) for players in (2, 3, 4, 5)]
    return header("python -m benchmarks.review") | {"judge": judge, "games": games, "seed": SEED, "rows": rows}


def _measured(spec: str, players: int, games: int) -> dict[str, Any]:
    judge, found = Judge(spec), []
    review_game(_played("random", players, SEED - 1), Judge("baseline"), supplies=1)  # everything is compiled by it
    for number in range(games):
        record = _played(spec, players, SEED + number)
        begin = time.process_time()  # a machine with other work does not change it
        judged = 0

        def count(done: int, total: int) -> None:
            nonlocal judged
            judged = done

        review = review_game(record, judge, progress=count)
        losses = [decision.loss for decision in review.decisions]
        found.append(
            {
                "seconds": time.process_time() - begin,
                "decisions": len(losses),
                "positions": judged,
                "loss": float(np.mean(losses)),
                "inaccuracies": sum(decision.grade is not None for decision in review.decisions),
                "luck_error": float(np.mean([balance.luck_error for balance in review.balances])),
            }
        )
        print(f"{players} players: {found[-1]['decisions']} decisions in {found[-1]['seconds']:.1f} s", flush=True)
    return {"players": players} | {key: float(np.mean([row[key] for row in found])) for key in found[0]}


def _played(spec: str, players: int, seed: int) -> dict[str, Any]:
    """The record of a game of a player against itself."""
    game, player = Game(players, seed=seed), load_agent(spec)
    player.reset(seed_for(seed, 0))
    while not game.over:
        game.play(player.action(game))
    return game.to_record()


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each number of players."""
    table = Table(title=f"Reviews by {result['judge']}", box=box.SIMPLE_HEAD)
    for column in result["rows"][0]:
        table.add_column(column, justify="right")
    for row in result["rows"]:
        table.add_row(*(f"{value:.4g}" for value in row.values()))
    console.print(table)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.review", __doc__)
    result = run("guided:20", 1) if options.quick else run(JUDGE, GAMES)
    write("review", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
