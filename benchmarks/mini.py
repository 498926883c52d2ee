"""`python -m benchmarks.mini`: players in mini-Speicherstadt, whose values are known exactly.

How far each player can be exploited is exact, by a best response of the solver. A search that is right must come closer
to perfect play with more simulations: measured by what its choices lose in every position, and by its estimate of the
value of the first one.
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
from speicher_apps.meter.report import header
from speicher_env import mini
from speicher_env.solve import Policy
from speicher_env.views import Player, Views
from speicher_training.machine import on_one_core

UNIFORM = "uniform"
LADDER = ("contractor", "spoiler", "shipper", "firechief", "frugal", "merchant")
PLAYERS = (UNIFORM, *LADDER, "baseline:2p", "mcts:20", "mcts:100", "mcts:500")
"""Exploited in every position of `tiny` and `mini`."""
FAST = (UNIFORM, *LADDER, "baseline:2p")
"""The same in `midi`."""
SIMULATIONS = (10, 30, 100, 300, 1000, 3000, 10000, 30000)
"""Of the search, with payoffs for the win alone, in every position of `tiny` and those of the first round of `mini`."""
SEEDS = 5
"""Of the estimates of the first position's value."""


def policy_of(spec: str) -> Policy | Player:
    """A player, or the policy that draws from all legal actions alike."""
    return mini.uniform if spec == UNIFORM else load_agent(spec)


def describe(name: str) -> dict[str, Any]:
    """The size and the values of a game, and the time that they take."""
    begin = time.process_time()
    game = mini.solved(name)
    value = game.value()[0]
    seconds = time.process_time() - begin
    return {
        "game": name, "positions": game.positions, "rounds": len(game.rounds), "value": value,
        "margin": mini.solved(name, "margin").value()[0], "seconds": seconds,
    }  # fmt: skip


def exploited(name: str, spec: str) -> dict[str, Any]:
    """How far a player is from perfect play in a game."""
    game, policy = mini.solved(name), policy_of(spec)
    begin = time.process_time()
    found = game.nash_conv(policy)
    return {
        "game": name, "player": spec, "policy_value": game.policy_value(policy)[0], "gains": list(found.gains),
        "exploitability": found.total / 2, "seconds": time.process_time() - begin,
    }  # fmt: skip


def searched(name: str, simulations: int) -> dict[str, Any]:
    """What a search loses in the positions of a game's first round, and what it takes the game's value to be."""
    game, first = mini.solved(name), mini.deal(name)
    spec = f"mcts:{simulations},margin=0"
    begin = time.process_time()
    (lost,) = game.losses(load_agent(spec), rounds=1)
    estimates = []
    for seed in range(SEEDS):
        search = load_agent(spec)
        search.reset(seed)
        (thought,) = search.think(Views.of(first.states_view))
        assert thought is not None and thought.values is not None, "a search has an estimate"
        estimates.append(thought.values[0])
    return {
        "game": name, "simulations": simulations, "positions": len(lost), "loss": float(lost.mean()),
        "wrong": float((lost > 0).mean()), "value": game.value()[0], "estimate": float(np.mean(estimates)),
        "spread": float(np.std(estimates)), "seconds": time.process_time() - begin,
    }  # fmt: skip


def run(quick: bool) -> dict[str, Any]:
    """Measure everything."""
    games = ("tiny",) if quick else tuple(mini.GAMES)
    simulations = SIMULATIONS[:3] if quick else SIMULATIONS
    with on_one_core():
        described = [describe(name) for name in games]
        rows = []
        for name in games:
            for spec in FAST if name == "midi" else PLAYERS:
                rows.append(exploited(name, spec))
                print(f"{name}: {spec} measured", flush=True)
        searches = [searched(name, count) for name in games if name != "midi" for count in simulations]
    return header("python -m benchmarks.mini") | {"games": described, "exploited": rows, "searched": searches}


def print_tables(result: dict[str, Any], console: Console) -> None:
    """The players, then the searches."""
    players = Table(title="Exploitability, exact", box=box.SIMPLE_HEAD)
    for column in ("game", "player", "exploitability"):
        players.add_column(column, justify="right" if column == "exploitability" else "left")
    for row in result["exploited"]:
        players.add_row(row["game"], row["player"], f"{row['exploitability']:.4f}")
    searches = Table(title="Search with growing budget", box=box.SIMPLE_HEAD)
    for column in ("game", "simulations", "mean loss", "estimate", "value"):
        searches.add_column(column, justify="left" if column == "game" else "right")
    for row in result["searched"]:
        numbers = (row["loss"], row["estimate"], row["value"])
        searches.add_row(row["game"], str(row["simulations"]), *(f"{number:.4f}" for number in numbers))
    console.print(players, searches)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.mini", __doc__)
    result = run(options.quick)
    write("mini", result, folder_of(options))
    print_tables(result, Console())


if __name__ == "__main__":
    main()
