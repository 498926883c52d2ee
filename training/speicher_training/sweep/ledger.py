"""The folder of a sweep: which sweep it is, which trials are finished with what results, and where their runs are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from speicher_env.errors import FileError
from speicher_env.reading import path_shown
from speicher_training.files import JsonLines, locked, make_folder, remove_parts
from speicher_training.sweep.grid import Trial
from speicher_training.sweep.trial import Budget
from speicher_training.train.recipe import Recipe

__all__ = ["Ledger"]

FORMAT = "speicherstadt-sweep/1"
FINISHED, RUNS = "finished.jsonl", "trials"
LARGEST = 1 << 30


class Ledger:
    """The finished trials of a sweep: a file with a line for the sweep and one for each trial, each with its digest."""

    def __init__(self, folder: Path, recipe: Recipe, budget: Budget) -> None:
        """Name the folder, and read what is in it already.

        Args:
            folder: Of the sweep.
            recipe: What the sweep does not vary.
            budget: Of each trial.

        Raises:
            FileError: If the folder holds another sweep or something else, or its file is damaged.
        """
        self.folder = folder
        self._lines = JsonLines(folder / FINISHED)
        self._identity = {"format": FORMAT, "recipe": recipe.name, "settings": recipe.tables, "budget": budget}
        self._results: dict[str, dict[str, Any]] = {}
        self._begun = False
        self._read()

    def _read(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError(f"{path_shown(self.folder)}: is a file; must be a folder for the sweep.")
        lines = self._lines.read(LARGEST)
        self._begun = bool(lines)
        if not lines:
            return
        difference = _difference(self._identity, lines[0])
        if difference:
            raise FileError(
                f"{path_shown(self.folder)}: holds another sweep ({difference}); continue that one or choose a new "
                "folder."
            )
        self._results = {line["trial"]: line["result"] for line in lines[1:]}

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make the folder, and lock it for the length of the block."""
        make_folder(self.folder)
        with locked(self.folder):
            self._read()  # again, as another process may have had it until now
            remove_parts(self.folder)
            if not self._begun:
                self._lines.append(self._identity)
                self._begun = True
            yield

    def run_folder(self, trial: Trial) -> Path:
        """The folder of a trial's run."""
        return self.folder.absolute() / RUNS / trial.name

    def result(self, trial: Trial) -> dict[str, Any] | None:
        """The result of a trial; None if it is not finished."""
        return self._results.get(trial.name)

    def add(self, trial: Trial, result: dict[str, Any]) -> None:
        """Keep the result of a finished trial; it is on the disk when this returns."""
        self._lines.append({"trial": trial.name, "result": result})
        self._results[trial.name] = result


def _difference(sweep: dict[str, Any], other: dict[str, Any]) -> str:
    """What makes the other sweep differ from this one, in few words."""
    for what in ("format", "recipe"):
        if sweep[what] != other.get(what):
            return f"{what} {other.get(what)}"
    if sweep["budget"] != other.get("budget"):
        budget = " ".join(f"{value} {unit}" for unit, value in (other.get("budget") or {}).items())
        return f"{budget or 'the steps of the recipe'} for each trial"
    for table, settings in sweep["settings"].items():
        for key, value in settings.items():
            there = other["settings"].get(table, {}).get(key)
            if there != value:
                return f"{table}.{key} is {there} there and {value} here"
    return "" if sweep["settings"] == other["settings"] else "other settings"
