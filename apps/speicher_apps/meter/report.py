"""A run of the meter, as JSON and as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from speicher_apps.meter.layers import CALLS, NOTES, measure_layers
from speicher_apps.meter.starts import measure_starts, sizes
from speicher_training.provenance import describe_machine, today, versions

__all__ = [
    "START_TITLES", "call_time", "decisions", "doubts", "header", "print_report", "run_bench", "shared_core",
    "short", "two_threads_over_one",
]  # fmt: skip

SCHEMA = "speicher-bench/1"
START_TITLES = {
    "import": "import speicher_env",
    "first_reset_cold": "first reset and observation, compiling",
    "first_reset_cached": "first reset and observation, from the compile cache",
    "first_step_cold": "the same with a first step, compiling",
    "first_step_cached": "the same with a first step, from the compile cache",
}


def header(command: str) -> dict[str, Any]:
    """The command, the machine and the date of a measurement."""
    return {"command": command, "date": today(), "machine": describe_machine(), "versions": versions()}


def run_bench(
    players: Sequence[int],
    *,
    seconds: float,
    rounds: int,
    command: str = "speicher bench",
    progress: Callable[[str], None] = lambda what: None,
) -> dict[str, Any]:
    """Measure all layers, the first seconds and sizes."""
    begun = header(command)
    return {
        "schema": SCHEMA,
        **begun,
        "seconds": seconds,
        "rounds": rounds,
        "sizes": sizes(players),
        "layers": measure_layers(
            players, seconds=seconds, rounds=rounds, progress=lambda title, count: progress(f"{title}, {count} players")
        ),
        "starts": measure_starts(rounds, progress),
    }


def print_report(result: dict[str, Any], console: Console) -> None:
    """Print the run as tables."""
    machine, versions = result["machine"], result["versions"]
    console.print(f"{result['date']}, {machine['processor']}, {machine['usable_cores']} cores, {machine['system']}")
    console.print(", ".join(f"{name} {text}" for name, text in versions.items()))
    console.print(
        f"Median of {result['rounds']} rounds of {result['seconds']:g} s, slowest–fastest in brackets; one thread "
        "unless stated otherwise."
    )
    console.print(layers_table(result))
    ratio = two_threads_over_one(result)
    if ratio:
        console.print("Two threads over one: " + ", ".join(f"{count} players ×{x:.2f}" for count, x in ratio.items()))
    console.print(starts_table(result))
    console.print(sizes_table(result))
    for note in NOTES:
        console.print(note, style="dim")
    for sentence in doubts(result):
        console.print(sentence, style="yellow")


def layers_table(result: dict[str, Any]) -> Table:
    """A row for each layer, a column for each number of players."""
    counts = sorted(result["sizes"]["players"], key=int)
    table = Table(title="Decisions per second, or time of a call", box=box.SIMPLE_HEAD)
    table.add_column("layer")
    for count in counts:
        table.add_column(f"{count} players", justify="right")
    for layer in result["layers"].values():
        if "missing" in layer:
            table.add_row(layer["title"], layer["missing"])
            continue
        cell = call_time if layer["unit"] == CALLS else decisions
        table.add_row(layer["title"], *(cell(layer["players"][count]) for count in counts))
    return table


def decisions(rate: dict[str, Any]) -> str:
    """A rate with its spread."""
    return f"{short(rate['median'])} [{short(rate['low'])}–{short(rate['high'])}]"


def call_time(rate: dict[str, Any]) -> str:
    """A rate of calls as the time of a call."""
    size, unit = (1e3, "ms") if rate["median"] < 1e3 else (1e6, "µs")
    return f"{size / rate['median']:.2f} {unit} [{size / rate['high']:.2f}–{size / rate['low']:.2f}]"


def short(number: float) -> str:
    """A number with three significant digits: 5.31 M, 431 k, 72."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= 0.9995 * size:
            part = number / size
            return (
                f"{part:.2f}{letter}"
                if part < 9.995
                else f"{part:.1f}{letter}"
                if part < 99.95
                else f"{part:.0f}{letter}"
            )
    return f"{number:.0f}"


def two_threads_over_one(result: dict[str, Any]) -> dict[str, float]:
    """How much faster two threads step the same batch, for each number of players."""
    one, two = (result["layers"].get(name, {}).get("players", {}) for name in ("batch_many", "batch_two_threads"))
    return {count: two[count]["median"] / one[count]["median"] for count in one if count in two}


def starts_table(result: dict[str, Any]) -> Table:
    """The table of the first seconds."""
    table = Table(title="The first seconds, each in a new process", box=box.SIMPLE_HEAD)
    table.add_column("what")
    table.add_column("seconds", justify="right")
    for name, title in START_TITLES.items():
        spread = result["starts"][name]
        table.add_row(title, f"{spread['median']:.2f} [{spread['low']:.2f}–{spread['high']:.2f}]")
    return table


def sizes_table(result: dict[str, Any]) -> Table:
    """The table of sizes."""
    sizes = result["sizes"]
    table = Table(title=f"Sizes: a state {sizes['state_bytes']} bytes, {sizes['actions']} actions", box=box.SIMPLE_HEAD)
    for name in ("players", "observation", "bytes of a game in a batch"):
        table.add_column(name, justify="right")
    for count, size in sizes["players"].items():
        table.add_row(count, str(size["observation"]), f"{size['batch_bytes']:,}")
    return table


BUSY = 0.95
WIDE = 1.25


def doubts(result: dict[str, Any]) -> list[str]:
    """Warnings that the machine was busy: shared cores, rounds far apart."""
    shared = []
    wide = []
    for layer in result["layers"].values():
        for count, rate in layer.get("players", {}).items():
            if layer["threads"] == 1 and rate["cpu"] < BUSY:
                shared.append(f"{layer['title']} ({count})")
            if rate["high"] > WIDE * rate["low"]:
                wide.append(f"{layer['title']} ({count})")
    warnings = [shared_core(shared)] if shared else []
    if wide:
        warnings.append(f"The fastest round was more than {WIDE - 1:.0%} above the slowest: {_some(wide)}.")
    return warnings


def shared_core(names: list[str]) -> str:
    """The warning about measurements during which other processes used the core."""
    return f"Other processes used part of the core, so these rates are too low: {_some(names)}."


def _some(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + more
