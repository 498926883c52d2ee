"""`python -m benchmarks.executors`: arenas by one process, two processes and a Ray cluster of two cores, taken in turn.

The rate is that of a run under way: games between the first and the last chunk over the time between them, so that the
start of processes and of Ray does not count. A task that does nothing shows what an executor adds to each task.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_training.arena import arena
from speicher_training.executor import Executor, InProcess, Processes, Report, Threads, executor_for
from speicher_training.provenance import versions

PLAYERS = {"network": ("baseline:2p", "merchant"), "compiled": ("merchant", "frugal")}
"""By the way they are asked: through Python in processes, or inside the compiled batch in threads; on Ray always in
processes."""
WAYS: dict[str, dict[str, Any]] = {
    "1 worker": {"jobs": 1},
    "2 workers": {"jobs": 2},
    "Ray, 2 cores": {"jobs": 2, "ray": "local"},
}
LANES = {"network": 512, "compiled": 2048}
CHUNKS = {"network": 24, "compiled": 32}
ROUNDS = 5
TASKS = 1000
QUICK = 4
"""A quick run has this many times fewer rounds, chunks and tasks."""


class Nothing:
    """A job whose tasks do nothing."""

    def begin(self, report: Report) -> Callable[[int], int]:
        """See `Job.begin`."""
        return lambda task: task


def games_per_second(kind: str, way: dict[str, Any], chunks: int) -> float:
    """The rate of one arena under way.

    Args:
        kind: Of the players.
        way: The options that say who works.
        chunks: How much is played.
    """
    games, lanes, workers = 2, LANES[kind], way["jobs"]
    times: list[tuple[float, int]] = []
    arena(
        PLAYERS[kind], 2, deals=chunks * lanes // games, lanes=lanes, seed="development", mirrors=False, replicates=1,
        isolated=True, progress=lambda done, total: times.append((time.perf_counter(), done)), **way,
    )  # fmt: skip
    (begun, before), (ended, after) = times[workers], times[-1]
    return (after - before) * games / (ended - begun)


def seconds_for_nothing(executor: Executor, tasks: int) -> float:
    """The median time of a task that does nothing, when one is handed out after the other."""
    from benchmarks import executors  # its job is of a module that workers can import, and not of the program

    times = []
    with executor, executor.crew(executors.Nothing()) as crew:
        for task in range(tasks + 1):
            begun = time.perf_counter()
            crew.submit(task)
            while not crew.wait(60.0):
                pass
            times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])  # the first one starts the worker


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.executors", __doc__)
    part = QUICK if options.quick else 1
    rounds = max(1, ROUNDS // part)
    result = header("python -m benchmarks.executors") | {"rounds": rounds, "players": PLAYERS}
    result["versions"] |= versions(("ray",))
    rates: dict[str, dict[str, list[float]]] = {kind: {way: [] for way in WAYS} for kind in PLAYERS}
    for number in range(rounds):
        for kind, ways in rates.items():
            for way, rounds_of_way in ways.items():
                rounds_of_way.append(games_per_second(kind, WAYS[way], max(8, CHUNKS[kind] // part)))
        print(f"round {number + 1} of {rounds}", flush=True)
    result["games_per_second"] = rates
    chosen: dict[str, Executor] = {
        "this process": InProcess(), "thread": Threads(1), "process": Processes(1), "Ray": executor_for("local", 1),
    }  # fmt: skip
    result["seconds_for_nothing"] = {
        name: seconds_for_nothing(executor, TASKS // part) for name, executor in chosen.items()
    }
    show(result)
    write("executors", result, folder_of(options))


def show(result: dict[str, Any]) -> None:
    """Print the medians and ratios."""
    table = Table("players", *WAYS, "two workers over one", "Ray over two workers")
    for kind, ways in result["games_per_second"].items():
        one, two, ray = (statistics.median(ways[way]) for way in WAYS)
        table.add_row(kind, *(f"{rate:,.0f}" for rate in (one, two, ray)), f"×{two / one:.2f}", f"{ray / two:.0%}")
    console = Console()
    console.print("Games per second, medians:", table)
    for name, seconds in result["seconds_for_nothing"].items():
        console.print(f"a task that does nothing, {name}: {seconds * 1e6:,.0f} µs")


if __name__ == "__main__":
    main()
