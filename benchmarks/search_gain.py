"""`python -m benchmarks.search_gain`: how much better a guided search decides than the network that guides it.

Positions are drawn from games of `baseline:2p` against itself, with its actions drawn by their probabilities. What each
action is worth there is estimated by a long search that tries all actions often. The gain of a search is the mean
payoff of what it chooses less that of the network's likeliest action.

This is quick and precise enough to compare settings; who wins against whom is for the arena to say.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_agents import load_agent
from speicher_agents.baselines import Baseline
from speicher_agents.baselines.guided import GuidedByBaseline
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_training.machine import on_one_core

BASELINE = "2p"
SEED = 2_600_000_000
"""Of the first game, in the range for development."""
GAMES, QUICK_GAMES = 300, 4
SHARE = 0.024
"""Of the decisions of these games."""
ITERATIONS = (16, 64, 200)
REFERENCE = {"root": "puct", "c": 8.0, "temperature": 4.0}
REFERENCE_ITERATIONS, QUICK_REFERENCE_ITERATIONS = 3000, 100
"""Of the long search. With this much exploration every action is tried hundreds of times."""


class Setting(NamedTuple):
    """One way to choose at the root."""

    root: str
    scale: float
    """In halving, and in the improved policy."""
    temperature: float
    """Of the priors."""


SETTINGS = (
    Setting("puct", 3.0, 2.0),
    Setting("puct", 3.0, 4.0),
    Setting("halving", 0.3, 1.0),
    Setting("halving", 0.3, 2.0),
    Setting("halving", 1.0, 1.0),
    Setting("halving", 1.0, 2.0),
    Setting("halving", 3.0, 1.0),
    Setting("halving", 3.0, 2.0),
    Setting("halving", 10.0, 2.0),
    Setting("halving", 3.0, 4.0),
)


class Positions(NamedTuple):
    """Positions whose actions have been valued."""

    states: np.ndarray
    """(rows,) STATE."""
    values: np.ndarray
    """(rows, 184): the payoff of the deciding seat after each legal action, -inf for the others."""
    likeliest: np.ndarray
    """(rows,): the payoff of the network's likeliest action."""


def drawn_positions(games: int) -> np.ndarray:
    """Some decisions of games of the network against itself."""
    player, rng = load_agent(f"baseline:{BASELINE},temperature=1"), np.random.default_rng(SEED)
    batch = Batch(games, 2, autoreset="disabled")
    batch.reset(np.arange(games) + SEED)
    lanes, drawn = np.arange(games), []
    while lanes.size:
        views = batch.views(lanes)
        drawn.append(views.states[rng.random(lanes.size) < SHARE].copy())
        batch.step(player.act(views), lanes)
        lanes = lanes[~batch.ended[lanes]]
    return np.concatenate(drawn)


def valued(states: np.ndarray, iterations: int) -> Positions:
    """Estimate what each action is worth, by a long search."""
    judge = Baseline(BASELINE)
    reports = GuidedByBaseline(judge, iterations, seed=1, **REFERENCE).reports(states)
    values = np.full((len(states), 184), -np.inf)
    for row, report in enumerate(reports):
        tried = np.nan_to_num(report.values[:, report.seat], nan=-np.inf)
        values[row, list(report.actions)] = np.where(np.isfinite(tried), tried, tried[np.isfinite(tried)].min())
    first = GuidedByBaseline(judge, 2, temperature=1.0, scale=0.0).targets(states, noise=False)
    return Positions(states, values, values[np.arange(len(states)), first.policy.argmax(axis=1)])


def gains(setting: Setting, iterations: int, positions: Positions) -> dict[str, Any]:
    """How much better the action of a search is than that of the network, and so is its improved policy."""
    search = GuidedByBaseline(
        Baseline(BASELINE), iterations, seed=7, root=setting.root, scale=setting.scale, temperature=setting.temperature
    )
    begin = perf_counter()
    targets = search.targets(positions.states, noise=False)
    seconds = perf_counter() - begin
    rows = np.arange(len(positions.states))
    finite = np.where(np.isfinite(positions.values), positions.values, 0.0)
    by_action = positions.values[rows, targets.actions] - positions.likeliest
    by_policy = (targets.policy * finite).sum(axis=1) - positions.likeliest
    return setting._asdict() | {
        "iterations": iterations, "ms": round(1e3 * seconds / len(rows), 3),
        "action": by_action.mean(), "action_error": by_action.std() / len(rows) ** 0.5,
        "policy": by_policy.mean(), "policy_error": by_policy.std() / len(rows) ** 0.5,
    }  # fmt: skip


def run(games: int, reference: int) -> dict[str, Any]:
    """Measure all settings in the same positions."""
    with on_one_core():
        positions = valued(drawn_positions(games), reference)
        rows = [gains(setting, iterations, positions) for setting in SETTINGS for iterations in ITERATIONS]
    best = (positions.values.max(axis=1) - positions.likeliest).mean()
    return header("python -m benchmarks.search_gain") | {
        "positions": len(positions.states), "reference": reference, "best": best, "rows": rows,
    }  # fmt: skip


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each setting, and a column for each number of iterations."""
    table = Table(title="Payoff gained by a decision, in %: by the action, and by the policy", box=box.SIMPLE_HEAD)
    table.add_column("setting")
    for iterations in ITERATIONS:
        table.add_column(f"{iterations} iterations", justify="right")
    for setting in SETTINGS:
        rows = [row for row in result["rows"] if Setting(row["root"], row["scale"], row["temperature"]) == setting]
        name = f"{setting.root}, scale {setting.scale:g}, temperature {setting.temperature:g}"
        table.add_row(name, *(f"{100 * row['action']:.2f} {100 * row['policy']:.2f}" for row in rows))
    console.print(table)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.search_gain", __doc__)
    sizes = (QUICK_GAMES, QUICK_REFERENCE_ITERATIONS) if options.quick else (GAMES, REFERENCE_ITERATIONS)
    result = run(*sizes)
    write("search_gain", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
