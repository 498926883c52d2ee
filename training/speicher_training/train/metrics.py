"""The metrics of a run: `metrics.jsonl` with a line of JSON for each update, each evaluation and each part of a stage.

A checkpoint keeps all lines written before it, so a run that resumes begins with a file as it was then, whatever
happened to it in between.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from speicher_env.arguments import is_whole
from speicher_env.errors import FileError
from speicher_env.reading import parse_json, path_shown, read_bytes, reason
from speicher_training.files import write_file

__all__ = [
    "EVALUATION",
    "IMITATION",
    "LOSSES",
    "PRETRAINING",
    "SEARCH",
    "UPDATE",
    "VALUE_FINETUNING",
    "Line",
    "MetricsFile",
    "Watcher",
    "evaluation_curves",
    "loss_of",
    "read_metrics",
]

Line = dict[str, Any]
Watcher = Callable[[Line], None]
"""Called with each line, to show it."""

PRETRAINING, UPDATE, EVALUATION = "pretraining", "update", "evaluation"
SEARCH, IMITATION, VALUE_FINETUNING = "search", "imitation", "value_finetuning"
"""The kinds of lines."""
ENTROPY = "train/entropy_loss"
LOSSES = {
    "train/policy_gradient_loss": "policy loss",
    "train/value_loss": "value loss",
    ENTROPY: "entropy",
    "train/approx_kl": "approximate KL divergence",
    "train/explained_variance": "explained variance",
}
"""The names of the logger's losses, in words, see `loss_of`."""
LARGEST_FILE = 1 << 30
_NUMBERS = {
    EVALUATION: ("steps", "seconds", "players", "win_share", "low", "high"),
    UPDATE: ("steps",),
    PRETRAINING: ("steps", "decisions"),
    SEARCH: ("steps", "decisions"),
    IMITATION: ("steps", "decisions"),
    VALUE_FINETUNING: ("steps", "decisions"),
}
"""The fields of each kind of line that are read again, and are numbers."""


class MetricsFile(KVWriter):
    """The metrics file of a run, written by the logger of stable-baselines3 and by the stages of the run."""

    def __init__(
        self,
        path: Path,
        times: Callable[[], Mapping[str, float]] = dict,
        watch: Watcher = lambda line: None,
    ) -> None:
        """Name the file; it is written by `begin`.

        Args:
            path: The file.
            times: Gives the times that are added to every line.
            watch: Called with each line.
        """
        self.path, self.times, self.watch = path, times, watch
        self.lines: list[Line] = []
        """All lines of the file."""

    def begin(self, lines: Iterable[Line] = ()) -> None:
        """Replace the file by these lines."""
        self.lines = list(lines)
        write_file(self.path, "".join(json.dumps(line) + "\n" for line in self.lines))

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add the numbers of an update, without the times of stable-baselines3, which know of no interruption."""
        numbers = {
            key: float(value)
            for key, value in key_values.items()
            if (isinstance(value, int | float) or hasattr(value, "dtype")) and not key.startswith("time/")
        }
        finite = {key: value for key, value in numbers.items() if math.isfinite(value)}
        self.add({"kind": UPDATE, "steps": int(step), **finite})

    def add(self, line: Line) -> None:
        """Add a line, with the times unless it has its own."""
        line = line if "seconds" in line else {**line, **self.times()}
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            raise FileError(f"{path_shown(self.path)}: cannot be written: {reason(error)}.") from None
        self.lines.append(line)
        self.watch(line)

    def close(self) -> None:
        """Nothing is open."""


def read_metrics(path: Path) -> list[Line]:
    """The lines of a metrics file; a last line that was cut short is left out.

    Raises:
        FileError: If it cannot be read, or another line is none of a run's.
    """
    if not path.exists():
        return []
    *whole, _ = read_bytes(path, LARGEST_FILE, "the metrics of a run").split(b"\n")
    return [_checked(text, f"{path_shown(path)}, line {number}") for number, text in enumerate(whole, 1)]


def _checked(text: bytes, where: str) -> Line:
    """A line whose fields have the right types."""
    line = parse_json(text, where, "a line that a run has written")
    fields = _NUMBERS.get(kind) if isinstance(kind := line.get("kind"), str) else None
    if (
        fields is None
        or not is_whole(line.get("steps"))
        or not all(_is_number(line.get(field)) for field in fields)
        or (kind == EVALUATION and not (is_whole(line["players"]) and isinstance(line.get("opponent"), str)))
    ):
        raise FileError(f"{where}: is damaged; must be a line that a run has written.")
    return line


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def evaluation_curves(lines: Iterable[Line]) -> list[Line]:
    """The evaluations among the lines of a run as curves, one for each number of players and opponent, for its card.

    Each has `players`, `opponent` and lists of equal length: `steps`, `minutes` since the run began, `win_share`.
    """
    curves: dict[tuple[int, str], list[Line]] = {}
    for line in lines:
        if line["kind"] == EVALUATION:
            curves.setdefault((line["players"], line["opponent"]), []).append(line)
    return [
        {
            "players": players,
            "opponent": opponent,
            "steps": [line["steps"] for line in evaluations],
            "minutes": [round(line["seconds"] / 60, 2) for line in evaluations],
            "win_share": [round(line["win_share"], 4) for line in evaluations],
        }
        for (players, opponent), evaluations in curves.items()
    ]


def loss_of(line: Line, key: str) -> float:
    """A loss of an update; the entropy itself, which the logger has as a loss."""
    value: float = line[key]
    return -value if key == ENTROPY else value
