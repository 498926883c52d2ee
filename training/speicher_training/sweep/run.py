"""A sweep from its settings to its table: trials that are finished are kept, and the others are carried out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from speicher_training.files import write_files
from speicher_training.sweep.carry_out import Watch, carry_out, prepared
from speicher_training.sweep.curves import save_curves
from speicher_training.sweep.grid import Trial, trials_of
from speicher_training.sweep.ledger import Ledger
from speicher_training.sweep.progress import SweepProgress
from speicher_training.sweep.table import combined, markdown
from speicher_training.sweep.trial import Budget, Interrupted, carry_out_trial
from speicher_training.train.recipe import Recipe
from speicher_training.train.run_folder import origin
from speicher_training.train.run_settings import RunSettings

__all__ = ["Sweep", "Swept", "sweep"]


@dataclass(frozen=True)
class Swept:
    """The result of a sweep."""

    folder: Path
    rows: list[dict[str, Any]]
    """One for each combination of settings, see `speicher_training.sweep.table.combined`."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why trials have failed, by their names."""
    complete: bool = True
    """Whether all trials are finished."""


def sweep(recipe: Recipe, out: Path, varied: Mapping[str, Sequence[Any]], seeds: int = 3, **options: Any) -> Swept:
    """Train with every combination of settings and several seeds; a sweep that is in the folder already resumes.

    Args:
        recipe: What is not varied.
        out: The sweep's folder.
        varied: The values of each setting that is varied, by its path, as in `{"ppo.entropy": [0.003, 0.01]}`.
        seeds: Seeds 1 to this.
        options: `steps` or `minutes` of each trial; `jobs` and `ray` as for `carry_out`; `watch`, called with a
            `SweepProgress` whenever it changes; `interrupted`, asked often.

    Raises:
        ArgumentError: For an argument that is wrong, before anything is written.
        FileError: For a folder that is in use, of another sweep or damaged, or a file that cannot be written or read.
    """
    run = {name: options.pop(name) for name in ("jobs", "ray", "watch", "interrupted") if name in options}
    return Sweep(recipe, out, varied, seeds, **options).carry_out(**run)


class Sweep:
    """A sweep, checked as a whole before anything is written."""

    def __init__(
        self,
        recipe: Recipe,
        out: Path,
        varied: Mapping[str, Sequence[Any]],
        seeds: int = 3,
        *,
        steps: int | None = None,
        minutes: float | None = None,
    ) -> None:
        """Make ready; `carry_out` does the work. See `sweep` for the arguments."""
        self.recipe, self.varied, self.seeds = recipe, varied, seeds
        self.budget: Budget = {
            unit: value for unit, value in (("steps", steps), ("minutes", minutes)) if value is not None
        }
        self.trials = trials_of(recipe, varied, seeds)
        for trial in self.trials:
            RunSettings(seed=trial.seed, **self.budget).check(trial.recipe)
        self.ledger = Ledger(out, recipe, self.budget)

    def missing(self) -> list[Trial]:
        """The trials that are not finished."""
        return [trial for trial in self.trials if self.ledger.result(trial) is None]

    def carry_out(
        self,
        *,
        jobs: int | None = None,
        ray: str | None = None,
        watch: Callable[[SweepProgress], None] = lambda progress: None,
        interrupted: Interrupted = lambda: False,
    ) -> Swept:
        """Carry out the trials that are not finished, and write `sweep.json`, `table.md` and the curves."""
        failures: dict[str, str] = {}
        with prepared(jobs=jobs, ray=ray if self.missing() else None), self.ledger.open():
            missing = {trial.name: trial for trial in self.missing()}
            progress = SweepProgress(len(missing), len(self.trials) - len(missing))

            def begun(name: str) -> None:
                progress.begin(name)
                watch(progress)

            def report(name: str, values: dict[str, Any]) -> None:
                progress.report(name, values["part"])
                watch(progress)

            def finished(name: str, result: dict[str, Any]) -> None:
                self.ledger.add(missing[name], result)
                progress.end(name)
                watch(progress)

            def failed(name: str, why: str) -> None:
                failures[name] = why
                progress.end(name, failed=True)
                watch(progress)

            if missing:
                works = {
                    name: partial(carry_out_trial, trial, self.ledger.run_folder(trial), self.budget)
                    for name, trial in missing.items()
                }
                watching = Watch(begun, report, finished, failed, interrupted)
                carry_out(works, watching, jobs=jobs, ray=ray)
            return self._write(failures)

    def _write(self, failures: dict[str, str]) -> Swept:
        results = {trial.name: result for trial in self.trials if (result := self.ledger.result(trial)) is not None}
        rows = combined(self.trials, results)
        folder = self.ledger.folder
        about = {
            "recipe": self.recipe.name, "varied": {path: list(values) for path, values in self.varied.items()},
            "seeds": self.seeds, **self.budget, **origin(), "combinations": rows,
            "trials": [
                {"trial": trial.name, "settings": dict(trial.combination), "seed": trial.seed, **results[trial.name]}
                for trial in self.trials if trial.name in results
            ],
            "failures": failures,
        }  # fmt: skip
        write_files(
            {folder / "sweep.json": json.dumps(about, indent=1) + "\n", folder / "table.md": markdown(rows) + "\n"}
        )
        if results:
            save_curves(folder, self.trials, results)
        return Swept(folder, rows, failures, len(results) == len(self.trials))
