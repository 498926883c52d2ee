"""The folder of a run: locked while in use, never mixed with another run, and checked before it is used or changed.

`run.json` says which run it is and ends with its own digest. The checkpoint has its digest in its first line; it names
the `run.json` it belongs to, holds the digests of the snapshots and all lines of the metrics. `finished.json` has the
digests of all files of a run that has come to its end.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from speicher_agents.baselines import Network, read_tensors, write_tensors
from speicher_agents.baselines.tensors import BadTensors
from speicher_env.errors import FileError
from speicher_env.messages import shown
from speicher_env.reading import path_shown, read_bytes, read_json, reason
from speicher_training.files import (
    LOCK,
    check_manifest,
    digest_of,
    is_part,
    locked,
    make_folder,
    manifest,
    remove_parts,
    write_file,
)
from speicher_training.provenance import commit, processor, versions
from speicher_training.train.checkpoint import read_checkpoint
from speicher_training.train.recipe import Recipe

__all__ = ["RunFolder", "origin"]

FORMAT = "speicherstadt-run/3"
RUN, RECIPE, CHECKPOINT, METRICS, FINISHED = (
    "run.json", "recipe.toml", "checkpoint.pickle", "metrics.jsonl", "finished.json",
)  # fmt: skip
BASELINE = ("baseline.json", "baseline.safetensors")
SNAPSHOTS, TENSORBOARD = "league", "tensorboard"
SPARE = 64 << 20
"""Bytes of free space needed beyond the weights."""
LARGEST_JSON, LARGEST_SNAPSHOT = 1 << 20, 1 << 32


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path, recipe: Recipe, seed: int, start: str | None) -> None:
        """Name the folder; nothing is read or written yet.

        Args:
            path: The folder.
            recipe: Of the run.
            seed: Of the run.
            start: The baseline that the run starts from.
        """
        self.path = path
        self.recipe = recipe
        self.checkpoint = path / CHECKPOINT
        self.metrics = path / METRICS
        self.tensorboard = path / TENSORBOARD
        self.snapshots = path / SNAPSHOTS
        self.digests: dict[str, str] = {}
        """Of the snapshots, by name."""
        self._identity = _identity(recipe, seed, start)
        self._run: dict[str, Any] = {}

    def has_checkpoint(self) -> bool:
        """Whether there is a checkpoint; False if the path cannot be looked at, which `open` reports."""
        with suppress(OSError, ValueError):
            return self.checkpoint.exists()
        return False

    @contextmanager
    def open(self, parameters: int, before: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
        """Make the folder, or check that it holds the same run, and lock it for the length of the block.

        Args:
            parameters: Of the network, for the free space that is needed.
            before: The runs that led to the baseline that this run starts from; kept if the run is new.

        Raises:
            FileError: If the folder is in use, holds anything else, is damaged, or cannot be written to.
        """
        self._check_content()
        make_folder(self.path, SPARE + 4 * parameters * (self.recipe.league.keep + 4))
        with locked(self.path):
            self._check_content()  # again, as another process may have had it until now
            remove_parts(self.path)
            if not self._run:  # written before all else: a run that is killed from here on is recognized
                self._run = sealed({**self._identity, "command": sys.argv, **origin(), "before": list(before)})
                write_file(self.path / RUN, json.dumps(self._run, indent=1) + "\n")
            write_file(self.path / RECIPE, self.recipe.text())
            make_folder(self.snapshots)
            remove_parts(self.snapshots)
            yield

    def _check_content(self) -> None:
        """Check that the folder is new or empty, or holds this run."""
        try:
            if (self.path / RUN).exists():
                self._run = _read_sealed(self.path / RUN, "the description of a run")
                difference = _difference(self._identity, self._run)
                if difference:
                    raise FileError(
                        f"{path_shown(self.path)}: holds another run ({difference}); continue that one or choose a new "
                        "folder."
                    )
            elif self.path.exists() and not self.path.is_dir():
                raise FileError(f"{path_shown(self.path)}: is a file; must be a folder for the run.")
            elif self.path.exists() and not all(is_part(path) or path.name == LOCK for path in self.path.iterdir()):
                raise FileError(f"{path_shown(self.path)}: holds files and no run; must be a new or an empty folder.")
        except OSError as error:
            raise FileError(f"{path_shown(self.path)}: cannot be used as a folder: {reason(error)}.") from None

    @property
    def before(self) -> list[dict[str, Any]]:
        """The runs that led to the baseline that this run starts from."""
        runs: list[dict[str, Any]] = self._run["before"]
        return runs

    # Checkpoints and snapshots

    def read_checkpoint(self) -> dict[str, Any] | None:
        """The checkpoint of this run, checked; None if there is none yet."""
        if not self.checkpoint.exists():
            return None
        state = read_checkpoint(self.checkpoint)
        if state["run"] != self._run["sha256"]:
            raise FileError(f"{path_shown(self.checkpoint)}: is the checkpoint of another run than {RUN} beside it.")
        self.digests = dict(state["snapshots"])
        return state

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of the folder."""
        return {"run": self._run["sha256"], "snapshots": dict(self.digests)}

    def save_snapshot(self, name: str, network: Network) -> None:
        """Keep the weights of a snapshot."""
        content = write_tensors(network.tensors())
        write_file(self._snapshot(name), content)
        self.digests[name] = digest_of(content)

    def read_snapshot(self, name: str) -> Network:
        """The network of a snapshot, checked."""
        path = self._snapshot(name)
        content = read_bytes(path, LARGEST_SNAPSHOT, "a snapshot of this run")
        if digest_of(content) != self.digests.get(name):
            raise FileError(f"{path_shown(path)}: is damaged or was edited (its digest differs).")
        try:
            return Network.from_tensors(self.recipe.shape, read_tensors(content))
        except BadTensors as error:
            raise FileError(f"{path_shown(path)}: is no network: {error}.") from None

    def _snapshot(self, name: str) -> Path:
        return self.snapshots / f"{name}.safetensors"

    # The end of a run

    def read_finished(self) -> dict[str, Any] | None:
        """The results of a finished run; None if it is not finished, or one of its files has changed since.

        The files of such a run are made again from its checkpoint.
        """
        try:
            finished = _read_sealed(self.path / FINISHED, "the results of a run")
            if finished.get("kind") != FINISHED:
                return None
            check_manifest(self.path, finished["files"])
        except FileError:
            return None
        return finished

    def write_finished(self, results: Mapping[str, Any]) -> None:
        """Say that the run has come to its end, with its results and the digests of all files."""
        files = manifest(self.path, (RUN, CHECKPOINT, METRICS, *BASELINE))
        write_file(
            self.path / FINISHED, json.dumps(sealed({"kind": FINISHED, **results, "files": files}), indent=1) + "\n"
        )

    def remove_finished(self) -> None:
        """Say that the run has not come to its end."""
        try:
            (self.path / FINISHED).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"{path_shown(self.path / FINISHED)}: cannot be removed: {reason(error)}.") from None


def origin() -> dict[str, Any]:
    """The versions and the commit that a run is made with, and the processor."""
    return {"versions": versions(), **commit(), "processor": processor()}


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with its own digest, "sha256", as the last key."""
    return {**value, "sha256": _digest(value)}


def _digest(value: Mapping[str, Any]) -> str:
    return digest_of(json.dumps(value, sort_keys=True).encode())


def _read_sealed(path: Path, allowed: str) -> dict[str, Any]:
    """A JSON object that `sealed` has made, checked."""
    value = read_json(path, LARGEST_JSON, allowed)
    if value.get("format", FORMAT) == FORMAT and value.get("sha256") != _digest(
        {key: part for key, part in value.items() if key != "sha256"}
    ):
        raise FileError(f"{path_shown(path)}: is damaged or was edited (its digest differs); must be {allowed}.")
    return value


def _identity(recipe: Recipe, seed: int, start: str | None) -> dict[str, Any]:
    """What makes it the same run; how long it lasts does not."""
    tables = {
        table: {key: value for key, value in settings.items() if (table, key) != ("ppo", "steps")}
        for table, settings in recipe.tables.items()
    }
    return {"format": FORMAT, "recipe": recipe.name, "seed": seed, "from": start, "settings": tables}


def _difference(run: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What makes another run differ from this one, in few words."""
    if run["format"] != other.get("format"):
        return f"format {shown(other.get('format'))}"
    for table, settings in run["settings"].items():
        for key, value in settings.items():
            there = other["settings"].get(table, {}).get(key)
            if there != value:
                return f"{table}.{key} is {there} there and {value} here"
    if run["settings"] != other["settings"]:
        return "other settings"
    if run["from"] != other["from"]:
        return f"from {other['from'] or 'no baseline'}"
    return f"seed {other['seed']}" if run["seed"] != other["seed"] else ""
