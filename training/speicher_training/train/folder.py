"""The folder of a run: what it is a run of, and where its files are."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from speicher_agents.baselines import Network, Shape, read_tensors, write_tensors
from speicher_agents.baselines.tensors import BadTensors
from speicher_training.files import is_part, make_folder, remove_parts, write_file
from speicher_training.provenance import commit, processor, versions
from speicher_training.train.errors import TrainingError
from speicher_training.train.recipe import Recipe

FORMAT = "speicherstadt-run/1"
RUN, RECIPE, CHECKPOINT, METRICS, SNAPSHOTS, TENSORBOARD = (
    "run.json", "recipe.toml", "checkpoint.pickle", "metrics.jsonl", "league", "tensorboard",
)  # fmt: skip
SPARE = 64 << 20
"""Bytes of room wanted beyond the weights."""


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path, shape: Shape) -> None:
        self.path = path
        self.checkpoint = path / CHECKPOINT
        self.metrics = path / METRICS
        self.snapshots = path / SNAPSHOTS
        self.tensorboard = path / TENSORBOARD
        self._shape = shape

    def open(
        self, recipe: Recipe, seed: int, start: str | None, parameters: int, before: Sequence[Mapping[str, Any]] = ()
    ) -> bool:
        """Make the folder, or see that what is there is the same run; whether that run is to go on.

        Args:
            recipe: Of the run.
            seed: Of the run.
            start: The baseline that it starts from.
            parameters: Of the network, for the room that is needed.
            before: The runs behind that baseline; kept if the run is new.
        """
        identity = _identity(recipe, seed, start)
        file = self.path / RUN
        try:
            self._check_content(identity)
            make_folder(self.path, SPARE + 4 * parameters * (recipe.league.keep + 4))
            remove_parts(self.path)
            if not file.exists():  # first of all: a run that is killed from here on is known again
                told = {**identity, "command": sys.argv, **origin(), "before": list(before)}
                write_file(file, json.dumps(told, indent=1) + "\n")
            if not (self.path / RECIPE).exists():
                write_file(self.path / RECIPE, recipe.text())
            self.snapshots.mkdir(exist_ok=True)
            remove_parts(self.snapshots)
        except OSError as error:
            raise TrainingError(
                f"{self.path}: it cannot be used ({error.strerror}), must be a folder for a run"
            ) from None
        return self.checkpoint.exists()

    def _check_content(self, identity: Mapping[str, Any]) -> None:
        """See that the folder is new or empty, or holds the same run."""
        if (self.path / RUN).exists():
            other = _difference(identity, _read_run(self.path / RUN))
            if other:
                raise TrainingError(f"{self.path}: it holds another run ({other}), must be that run or a new folder")
        elif self.path.exists() and not self.path.is_dir():
            raise TrainingError(f"{self.path}: it is a file, must be a folder for the run")
        elif self.path.exists() and not all(is_part(path) for path in self.path.iterdir()):
            raise TrainingError(f"{self.path}: it holds other files and no run, must be a new or an empty folder")

    def goes_on(self) -> bool:
        """Whether there is a checkpoint; no if the path cannot be looked at, of which `open` tells."""
        try:
            return self.checkpoint.exists()
        except OSError:
            return False

    def before(self) -> list[dict[str, Any]]:
        """The runs behind the baseline that this one started from."""
        found: list[dict[str, Any]] = _read_run(self.path / RUN).get("before", [])
        return found

    def save_snapshot(self, name: str, network: Network) -> None:
        """Keep the weights of a snapshot."""
        write_file(self._snapshot(name), write_tensors(network.tensors()))

    def read_snapshot(self, name: str) -> Network:
        """The network of a snapshot."""
        path = self._snapshot(name)
        try:
            return Network.from_tensors(self._shape, read_tensors(path.read_bytes()))
        except (OSError, BadTensors) as error:
            raise TrainingError(f"{path}: the snapshot cannot be read ({error}), the run cannot go on") from None

    def _snapshot(self, name: str) -> Path:
        return self.snapshots / f"{name}.safetensors"


def origin() -> dict[str, Any]:
    """The versions and the commit that a run is made with, and the processor."""
    return {"versions": versions(), **commit(), "processor": processor()}


def _identity(recipe: Recipe, seed: int, start: str | None) -> dict[str, Any]:
    """What makes it the same run; how long it goes on does not."""
    tables = {table: {key: value for key, value in told.items() if (table, key) != ("ppo", "steps")}
              for table, told in recipe.tables.items()}  # fmt: skip
    return {"format": FORMAT, "recipe": recipe.name, "seed": seed, "from": start, "settings": tables}


def _difference(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """In what a run differs from another, in few words."""
    if own["format"] != other.get("format"):
        return f"format {other.get('format')}"
    tables = other.get("settings")
    if not isinstance(tables, dict) or not all(isinstance(settings, dict) for settings in tables.values()):
        return "without settings"
    for table, settings in own["settings"].items():
        for key, value in settings.items():
            found = tables.get(table, {}).get(key)
            if found != value:
                return f"{table}.{key} is {found} there and {value} here"
    if own["settings"] != tables:
        return "other settings"
    if own["from"] != other.get("from"):
        return f"from {other.get('from') or 'no baseline'}"
    return f"seed {other.get('seed')}" if own["seed"] != other.get("seed") else ""


def _read_run(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(told, dict):
            raise ValueError
    except (OSError, ValueError):
        raise TrainingError(f"{file}: it cannot be read, must be the description of a run") from None
    return told
