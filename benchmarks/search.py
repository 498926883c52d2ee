"""`python -m benchmarks.search`: how many playouts a second the searches make on one core, over whole games.

A search plays a game against itself with 1000 playouts for each decision. The rate is all playouts of the game over
the time that all its searches took: early decisions, whose playouts are long, and late ones together.

Then how many leaves a second a guided search evaluates with a network of the size of the baselines, whose weights are
random: in many games side by side, and in one. Positions are from the middle of games played at random.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_agents import load_agent
from speicher_agents.baselines import Baseline, Card, Layer, Network, Shape
from speicher_agents.search import GuidedSearch, Search
from speicher_apps.meter.meter import Lap, LapFunction, measure
from speicher_apps.meter.report import header
from speicher_env import Game
from speicher_env.batch import Batch
from speicher_training.machine import on_one_core

PLAYERS = (2, 3, 4, 5)
ITERATIONS = 1000
ROUNDS = 5
QUICK_ROUNDS = 2
SEED = 2_000_000_000
"""Of the first game; each round goes on with others."""
SPECS = ("mcts:rollout=random,prior=none", "mcts", "flat:rollout=random", "flat")
"""The searches, as a spec names them."""
GAMES = (256, 1)
"""Games side by side in a guided search."""
LEAVES = 200
"""Its iterations for each decision."""
DECISIONS = 60
"""Random decisions before the positions that it searches."""
SECONDS = 0.3
"""How long a lap of a guided search takes at least."""


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


def guided_search(players: int) -> GuidedSearch:
    """A guided search whose network has random weights and predicts the payoff of every seat."""
    rng = np.random.default_rng(SEED)
    shape = Shape(players, columns=(64, 32), shared=(256, 256), figures=True, every_seat=True)
    stacks = {
        stack: tuple(
            Layer(rng.normal(0.0, (2 / inputs) ** 0.5, (inputs, width)).astype(np.float32), np.zeros(width, np.float32))
            for inputs, width in pairwise(shape.widths(stack))
        )
        for stack in ("policy", "value", "columns", "shared")
    }
    card = Card(
        name="random", players=(players,), deck="standard", padded=False, reward="outcome", shape=shape,
        weights="random.safetensors", sha256="0" * 64,
    )  # fmt: skip
    return GuidedSearch(Baseline((card, Network(shape, **stacks))), LEAVES)


def leaves(players: int, games: int) -> LapFunction:
    """Laps of guided searches of positions side by side; the count is of leaves, with the roots."""
    search = guided_search(players)
    batch = Batch(games, players)
    batch.reset(np.arange(SEED, SEED + games))
    rng = np.random.default_rng(SEED)
    for _ in range(DECISIONS):
        masks = batch.action_masks
        batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
    states = batch.arrays.states.copy()

    def lap() -> Lap:
        begin = perf_counter()
        search.targets(states, noise=False)
        return Lap(games * (LEAVES + 1), perf_counter() - begin)

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
        evaluated = [
            {"games": games, "players": players, **measure(leaves(players, games), SECONDS, rounds).as_dict()}
            for games in GAMES
            for players in PLAYERS
        ]
    return header("python -m benchmarks.search") | {
        "rounds": rounds, "iterations": ITERATIONS, "points": points, "leaves": evaluated,
    }  # fmt: skip


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each search, a column for each number of players."""
    table = Table(title="Playouts per second on one core, over whole games", box=box.SIMPLE_HEAD)
    table.add_column("search")
    for players in PLAYERS:
        table.add_column(f"{players} players", justify="right")
    for spec in SPECS:
        own = {point["players"]: point for point in result["points"] if point["search"] == spec}
        table.add_row(spec, *(f"{own[n]['median']:,.0f} ({own[n]['low']:,.0f}–{own[n]['high']:,.0f})" for n in PLAYERS))
    evaluated = Table(title="Leaves that a guided search evaluates per second on one core", box=box.SIMPLE_HEAD)
    evaluated.add_column("games side by side", justify="right")
    for players in PLAYERS:
        evaluated.add_column(f"{players} players", justify="right")
    for games in GAMES:
        own = {point["players"]: point for point in result["leaves"] if point["games"] == games}
        evaluated.add_row(str(games), *(f"{own[n]['median']:,.0f}" for n in PLAYERS))
    console.print(f"{result['date']}, {result['machine']['processor']}")
    console.print(table)
    console.print(evaluated)
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
