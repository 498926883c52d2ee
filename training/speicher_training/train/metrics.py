"""The metrics file of a run: a line of JSON for each update and each evaluation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from speicher_training.files import write_file
from speicher_training.train.errors import TrainingError

Line = dict[str, Any]
Watcher = Callable[[Line], None]
"""Called with each line, for whoever shows them."""


class MetricsFile(KVWriter):
    """Where stable-baselines3's logger writes numbers to."""

    def __init__(self, path: Path, watch: Watcher = lambda line: None) -> None:
        self.path = path
        self.watch = watch

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add the numbers of an update."""
        numbers = {key: float(value) for key, value in key_values.items() if isinstance(value, int | float)
                   or hasattr(value, "dtype")}  # fmt: skip
        self.add({"kind": "update", "steps": int(step), **{k: v for k, v in numbers.items() if math.isfinite(v)}})

    def add(self, line: Line) -> None:
        """Add a line."""
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            raise TrainingError(f"{self.path}: the file cannot be written ({error.strerror})") from None
        self.watch(line)

    def close(self) -> None:
        """Nothing is open."""


def read_metrics(path: Path) -> list[Line]:
    """The lines of a metrics file; a last one that was cut short is left out."""
    if not path.exists():
        return []
    lines: list[Line] = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return lines


def evaluation_curves(path: Path) -> list[Line]:
    """The evaluations in a metrics file as curves, one for each number of players and opponent, as a card tells them.

    Each has `players`, `opponent` and lists of equal length: `steps`, `minutes` since the run began, `win_share`. What
    was evaluated twice after the same steps, as when a finished run is started again, is there once.
    """
    found: dict[tuple[int, str], dict[int, Line]] = {}
    for line in read_metrics(path):
        if line["kind"] == "evaluation":
            found.setdefault((line["players"], line["opponent"]), {})[line["steps"]] = line
    return [
        {
            "players": players,
            "opponent": opponent,
            "steps": list(lines),
            "minutes": [round(line["seconds"] / 60, 2) for line in lines.values()],
            "win_share": [round(line["win_share"], 4) for line in lines.values()],
        }
        for (players, opponent), lines in found.items()
    ]


def cut_metrics(path: Path, steps: int) -> None:
    """Forget what was written after a checkpoint: a run that goes on from there will write it again."""
    kept = [line for line in read_metrics(path) if line["steps"] <= steps]
    write_file(path, "".join(json.dumps(line) + "\n" for line in kept))
