"""The progress of a run: its stage, the time left and the newest numbers, as a table or in one line."""

from __future__ import annotations

import time

from rich.table import Table

from speicher_training.train.metrics import (
    EVALUATION,
    IMITATION,
    LOSSES,
    PRETRAINING,
    SEARCH,
    UPDATE,
    VALUE_FINETUNING,
    Line,
    loss_of,
)

__all__ = ["STARTING", "ProgressTable"]

STARTING = "starting"
"""The stage before the first numbers."""

_STAGES = {
    PRETRAINING: "pretraining",
    UPDATE: "learning",
    SEARCH: "learning from search",
    IMITATION: "imitation at the end",
    VALUE_FINETUNING: "value fine-tuning",
}


class ProgressTable:
    """The newest numbers of a run. Give each line of its metrics to `add`, and show the table with rich."""

    def __init__(self, steps: int | None, minutes: float | None) -> None:
        """Begin with no numbers.

        Args:
            steps: Decisions of the learner in all; None if a time limits the run.
            minutes: The minutes of the run in all; None if a number of decisions limits it.
        """
        self.steps, self.minutes = steps, minutes
        self.newest: dict[str, Line] = {}
        """The newest line of each stage, by kind."""
        self.evaluations: dict[str, Line] = {}
        self.stage = STARTING
        self._began: dict[str, Line] = {}
        """The first line of each stage, by kind."""
        self._seconds = 0.0
        self._read_at = time.monotonic()
        """What the run had taken in all at the newest line, and when that was read."""

    def add(self, line: Line) -> None:
        """Take the numbers of a line of the metrics."""
        if line["kind"] == EVALUATION:
            self.evaluations[f"{line['players']} players, {line['opponent']}"] = line
        else:
            self.newest[line["kind"]] = line
            self._began.setdefault(line["kind"], line)
            self.stage = _STAGES[line["kind"]]
        self._seconds, self._read_at = line["seconds"], time.monotonic()

    @property
    def decisions(self) -> int:
        """Decisions of the learner so far."""
        steps: int = self.newest.get(UPDATE, {}).get("steps", 0)
        return steps

    @property
    def rate(self) -> float:
        """Decisions of the learner per second of the learning stage, from its first update on: that one compiles."""
        if UPDATE not in self.newest:
            return 0.0
        first, newest = self._began[UPDATE], self.newest[UPDATE]
        steps, seconds = (newest[key] - first[key] for key in ("steps", "learning_seconds"))
        if not seconds:
            steps, seconds = newest["steps"], newest["learning_seconds"]
        return float(steps / seconds) if seconds else 0.0

    def seconds_left(self) -> float | None:
        """The time left of a run that minutes limit, else of its stage; None while it cannot be estimated."""
        since = time.monotonic() - self._read_at
        if self.minutes is not None:
            return max(0.0, 60.0 * self.minutes - self._seconds - since)
        if self.stage != _STAGES[UPDATE]:
            left = self._seconds_left_of_other_stage()
        else:
            left = (self.steps - self.decisions) / self.rate if self.rate and self.steps is not None else None
        return None if left is None else max(0.0, left - since)

    def _seconds_left_of_other_stage(self) -> float | None:
        """The time until the end of a stage before or after learning, when its newest line was read."""
        for kind, name in _STAGES.items():
            if name == self.stage:
                first, newest = self._began[kind], self.newest[kind]
                decisions, seconds = newest["decisions"] - first["decisions"], newest["seconds"] - first["seconds"]
                return (newest["of"] - newest["decisions"]) * seconds / decisions if decisions > 0 else None
        return None

    def sentence(self) -> str:
        """The newest numbers in one line, for output that is no terminal."""
        if self.stage == STARTING:
            return STARTING
        for kind in (PRETRAINING, IMITATION):
            if self.stage == _STAGES[kind]:
                line = self.newest[kind]
                return (
                    f"{self.stage}: {line['decisions']:,} of {line['of']:,} decisions, "
                    f"agreement with the teacher {line['agreement']:.2f}"
                )
        for kind in (SEARCH, VALUE_FINETUNING):
            if self.stage == _STAGES[kind]:
                line = self.newest[kind]
                parts = [f"{self.stage}: {line['decisions']:,} of {line['of']:,} decisions"]
                return ", ".join(parts + self._evaluated() * (kind == SEARCH))
        update = self.newest.get(UPDATE, {})
        share = update.get("league/win_share")
        parts = [f"learning: {self.decisions:,} decisions", f"{self.rate:,.0f}/s"]
        if update.get("games/nodes", 1) != 1:
            parts.append(f"games on {self._workers(update)}")
        if share is not None:
            parts.append(f"win share in the league {share:.2f}")
        return ", ".join(parts + self._evaluated())

    def _evaluated(self) -> list[str]:
        return [f"{name} {evaluation['win_share']:.2f}" for name, evaluation in self.evaluations.items()]

    @staticmethod
    def _workers(update: Line) -> str:
        """The cores and machines that games are played on, in words."""
        nodes, cores = int(update["games/nodes"]), int(update["games/cores"])
        on = f"{cores} core{'s' * (cores != 1)}"
        return on if nodes == 1 else f"{on} of {nodes} machines"

    def __rich__(self) -> Table:
        """The table."""
        table = Table(title="Training", show_header=False, title_justify="left")
        table.add_column(style="bold")
        table.add_column(justify="right")
        table.add_row("stage", self.stage)
        if PRETRAINING in self.newest:
            line = self.newest[PRETRAINING]
            table.add_row("pretraining decisions", f"{min(line['decisions'], line['of']):,} of {line['of']:,}")
            table.add_row("agreement with the teacher", f"{line['agreement']:.3f}")
        of = f" of {self.steps:,}" if self.steps is not None else ""
        table.add_row("decisions", f"{self.decisions:,}{of}")
        table.add_row("decisions/s", f"{self.rate:,.0f}")
        update = self.newest.get(UPDATE, {})
        if "games/cores" in update:
            table.add_row("games played on", self._workers(update))
        left = self.seconds_left()
        title = "time left" if self.minutes is not None else "time left in this stage"
        table.add_row(title, "" if left is None else f"{int(left // 60)} min {int(left % 60):02d} s")
        for key, title in LOSSES.items():
            if key in update:
                table.add_row(title, f"{loss_of(update, key):.4f}")
        stages = {
            SEARCH: "searched decisions", IMITATION: "decisions of imitation",
            VALUE_FINETUNING: "value fine-tuning decisions",
        }  # fmt: skip
        for kind, title in stages.items():
            if kind in self.newest:
                line = self.newest[kind]
                table.add_row(title, f"{min(line['decisions'], line['of']):,} of {line['of']:,}")
        table.add_section()
        for key, value in update.items():
            if key.startswith("win_share/"):
                table.add_row(f"win share against {key.removeprefix('win_share/')}", f"{value:.3f}")
        table.add_section()
        for name, line in self.evaluations.items():
            interval = f"{line['win_share']:.3f}  [{line['low']:.3f}, {line['high']:.3f}]"
            table.add_row(f"evaluation: {name}", interval)
        return table
