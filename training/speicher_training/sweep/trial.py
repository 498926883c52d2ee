"""One trial of a sweep: an ordinary training run, whose results travel as plain values."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speicher_env.errors import FileError
from speicher_env.reading import read_json
from speicher_training.files import write_file
from speicher_training.provenance import processor
from speicher_training.sweep.grid import Trial
from speicher_training.train import train
from speicher_training.train.metrics import EVALUATION, Line, read_metrics

__all__ = ["Budget", "Interrupted", "Report", "carry_out_trial"]

Budget = dict[str, Any]
"""`steps` or `minutes` of a trial; empty for the steps of its recipe."""
Report = Callable[[dict[str, Any]], None]
"""Called with plain values that tell how far a trial is."""
Interrupted = Callable[[], bool]
"""Asked often; True makes a trial keep its state and end."""

CORE = "core_seconds.json"
"""Beside the files of the run: its core time so far, work that was lost and done again included."""
EVERY = 5.0
"""Seconds between two reports of a trial, if nothing was evaluated."""
EVALUATION_FIELDS = ("steps", "seconds", "opponent", "players", "win_share", "low", "high")


def carry_out_trial(
    trial: Trial, folder: Path, budget: Budget, report: Report, interrupted: Interrupted
) -> dict[str, Any] | None:
    """Train from the beginning, or from where an earlier call was ended; None if interrupted.

    Args:
        trial: What to train.
        folder: Of the run. What it holds already is not done again.
        budget: How long.
        report: Called with `steps`, `part` (of the budget, 0..1) and `evaluations`.
        interrupted: Asked often.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    core = _CoreTime(folder / CORE)
    steps, minutes = budget.get("steps") or trial.recipe.ppo.steps, budget.get("minutes")
    reported = -EVERY

    def watch(line: Line) -> None:
        nonlocal reported
        now = time.monotonic()
        if line["kind"] != EVALUATION and now - reported < EVERY:
            return
        reported = now
        core.save()
        part = line["seconds"] / (60 * minutes) if minutes else line["steps"] / steps
        report({"steps": int(line["steps"]), "part": min(1.0, part), "evaluations": _evaluations(folder)})

    trained = train(
        trial.recipe, folder, seed=trial.seed, plots=False, jobs=1, watch=watch, interrupted=interrupted, **budget
    )  # fmt: skip
    core.save()
    if not trained.complete:
        return None
    return {
        "steps": trained.steps,
        "seconds": round(trained.seconds, 3),
        "core_seconds": round(core.seconds, 3),
        "processor": processor(),
        "evaluations": _evaluations(folder),
    }


def _evaluations(folder: Path) -> list[Line]:
    """The evaluations of a run; one that was made twice, before and after an interruption, counts once."""
    evaluations = {
        (line["steps"], line["players"], line["opponent"]): {key: line[key] for key in EVALUATION_FIELDS}
        for line in read_metrics(folder / "metrics.jsonl")
        if line["kind"] == EVALUATION
    }
    return list(evaluations.values())


class _CoreTime:
    """The core time of a run, over all processes that have worked at it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._since = time.process_time()
        try:
            before = read_json(path, 1 << 10, "the core time of a trial").get("seconds")
        except FileError:  # there is none yet, or it is damaged, which must not stop the run
            before = None
        self._before = float(before) if isinstance(before, int | float) else 0.0

    @property
    def seconds(self) -> float:
        return self._before + time.process_time() - self._since

    def save(self) -> None:
        if self._path.parent.exists():
            write_file(self._path, f'{{"seconds": {self.seconds:.3f}}}\n')
