"""`python -m benchmarks.layers`: `speicher bench`, kept for the pages; with `--against PATH`, two checkouts compared.

The comparison measures this checkout and another one, such as an older commit in a worktree, in alternating rounds.
Each side is a process of its own on the same core, and only one of them works at a time. Rates are per second of
processor time, so that other programs matter less. For each layer the median of the rounds' ratios is printed and kept,
this checkout over the other one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.results import ROOT, TRIALS, add_arguments, folder_of, write
from speicher_apps.cli.bench import QUICK_ROUNDS, QUICK_SECONDS, ROUNDS, SECONDS
from speicher_apps.meter.report import header, print_report, run_bench, short
from speicher_training.machine import on_one_core
from speicher_training.provenance import commit

PLAYERS = (2, 3, 4, 5)
COMPARED_PLAYERS = (2, 5)
COMPARED_LAYERS = (
    "rules", "rules_mask", "rules_refreshed", "batch", "batch_many", "batch_one_seat", "vector_env", "vec_env",
    "seat", "aec_raw", "aec", "game_play", "game_copy",
)  # fmt: skip
LOSS = 0.97
"""A ratio below this is printed as a loss."""

SIDE = """
import json, sys, time
try:
    from speicher_apps.meter.layers import LAYERS
except ImportError:  # where the meter was before it moved
    from speicher_training.bench.layers import LAYERS
layers = {layer.name: layer for layer in LAYERS}
laps = {}
print(json.dumps([name for name, layer in layers.items() if not layer.missing()]), flush=True)
for line in sys.stdin:
    name, players, seconds = json.loads(line)
    lap = laps.get((name, players)) or laps.setdefault((name, players), layers[name].lap(players))
    count = spent = 0
    began, began_cpu = time.perf_counter(), time.process_time()
    until = began + seconds
    while True:
        done = lap()
        count, spent = count + done.count, spent + done.seconds
        if time.perf_counter() >= until:
            break
    share = (time.process_time() - began_cpu) / (time.perf_counter() - began)
    print(json.dumps(count / (spent * share)), flush=True)
"""
"""Measures layers of the checkout on its import path: a line [layer, players, seconds] in, a line with the rate out."""


class Side:
    """A checkout that is measured, in a process of its own."""

    def __init__(self, root: Path) -> None:
        """Start the process; `layers` are those that it can measure."""
        path = os.pathsep.join(str(root / folder) for folder in ("", "agents", "training", "apps"))
        self._process = subprocess.Popen(
            [sys.executable, "-c", SIDE], cwd=root, env={**os.environ, "PYTHONPATH": path}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.layers: list[str] = self._answer()

    def rate(self, layer: str, players: int, seconds: float) -> float:
        """The rate of a round."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([layer, players, seconds]) + "\n")
        self._process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a side of the comparison has ended; its message is above")
        return json.loads(line)

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # closes its input, at which it ends


def compare(
    other: Path, layers: Sequence[str], players: Sequence[int], *, seconds: float, rounds: int
) -> list[dict[str, Any]]:
    """The rates of this checkout and of another one, and their ratio, for each layer and number of players."""
    with on_one_core(), Side(ROOT) as here, Side(other) as there:
        chosen = [(name, count) for name in layers if name in here.layers and name in there.layers for count in players]
        rates: dict[tuple[str, int, bool], list[float]] = {}
        for number in range(-1, rounds):  # the first round warms up
            for place, (name, count) in enumerate(chosen):
                sides = ((here, True), (there, False))
                for side, is_here in (
                    sides if (number + place) % 2 else sides[::-1]
                ):  # whoever is first has no advantage
                    rate = side.rate(name, count, seconds)
                    if number >= 0:
                        rates.setdefault((name, count, is_here), []).append(rate)
    rows = []
    for name, count in chosen:
        ours, theirs = rates[name, count, True], rates[name, count, False]
        ratios = sorted(our / their for our, their in zip(ours, theirs, strict=True))
        rows.append(
            {"layer": name, "players": count, "here": median(ours), "there": median(theirs), "ratio": median(ratios),
             "low": ratios[0], "high": ratios[-1]}
        )  # fmt: skip
    return rows


def comparison_table(rows: Sequence[dict[str, Any]]) -> Table:
    """The rows of a comparison, losses marked."""
    table = Table("layer", "players", "here", "there", "ratio", "of the rounds", "")
    for row in rows:
        table.add_row(
            row["layer"], str(row["players"]), short(row["here"]), short(row["there"]), f"{row['ratio']:.3f}",
            f"{row['low']:.3f}–{row['high']:.3f}", "loss" if row["ratio"] < LOSS else "",
        )  # fmt: skip
    return table


def main() -> None:
    """Measure, keep and show."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layers", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout to compare this one with")
    parser.add_argument("--layers", nargs="+", default=COMPARED_LAYERS, help="layers to compare, by name")
    parser.add_argument(
        "--players", nargs="+", type=int, default=COMPARED_PLAYERS, help="numbers of players to compare"
    )
    options = parser.parse_args()
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    if options.against is None:
        result = run_bench(PLAYERS, seconds=seconds, rounds=rounds, command="python -m benchmarks.layers")
        write("layers", result, folder_of(options))
        print_report(result, Console())
        return
    if not (options.against / "speicher_env").is_dir():
        parser.exit(2, f"--against {options.against}: must be a checkout, a folder with speicher_env in it\n")
    rows = compare(options.against.resolve(), options.layers, options.players, seconds=seconds, rounds=rounds)
    Console().print(comparison_table(rows))
    command = f"python -m benchmarks.layers --against {options.against}"
    write("layers-compared", header(command) | commit() | {"rows": rows}, options.into or TRIALS)


if __name__ == "__main__":
    main()
