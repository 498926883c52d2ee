"""How a run goes, as a table that is kept up to date."""

from __future__ import annotations

import time

from rich.table import Table

from speicher_training.train.metrics import Line

_LOSSES = {
    "train/policy_gradient_loss": "policy loss",
    "train/value_loss": "value loss",
    "train/entropy_loss": "entropy",
    "train/approx_kl": "change (KL)",
    "train/explained_variance": "variance explained",
}
_NEGATED = "train/entropy_loss"
"""The logger has it as a loss; people read it as the entropy."""


class LiveTable:
    """The newest numbers of a run; hand `add` each line of its metrics, and show it with rich."""

    def __init__(self, steps: int | None, minutes: float | None) -> None:
        self.steps, self.minutes = steps, minutes
        self.started = self.learning = time.monotonic()
        """Of the run, and of what comes behind its head start; seconds."""
        self.first: int | None = None
        """Decisions at the first line, of which none need have been made in this process."""
        self.last: Line = {"steps": 0}
        self.evaluations: dict[str, Line] = {}
        self.head_start: Line | None = None
        self.judgement: Line | None = None

    def add(self, line: Line) -> None:
        """Take up a line of the metrics."""
        if line["kind"] == "evaluation":
            self.evaluations[f"{line['players']} players, {line['opponent']}"] = line
        elif line["kind"] == "pretraining":
            self.head_start = line
            self.learning = time.monotonic()
        elif line["kind"] == "value_finetuning":
            self.judgement = line
        else:
            self.first = line["steps"] if self.first is None else self.first
            self.last = line

    def seconds_left(self) -> float | None:
        """How long the run still takes, None while nobody knows."""
        if self.minutes is not None:
            return max(0.0, 60.0 * self.minutes - (time.monotonic() - self.started))
        done = self.last["steps"] - (self.first or 0)
        if not done or self.steps is None:
            return None
        return max(0.0, (self.steps - self.last["steps"]) * (time.monotonic() - self.learning) / done)

    def sentence(self) -> str:
        """The newest numbers in one line, for where no table can be shown."""
        if self.head_start is not None and not self.last["steps"]:
            told = self.head_start
            return f"head start: {told['decisions']:,} of {told['of']:,} decisions, agreement {told['agreement']:.2f}"
        if self.judgement is not None:
            return f"learning who wins: {self.judgement['decisions']:,} of {self.judgement['of']:,} decisions"
        share = self.last.get("league/win_share")
        parts = [f"{self.last['steps']:,} decisions", f"{self.last.get('time/fps', 0):,.0f}/s"]
        if share is not None:
            parts.append(f"win share in the league {share:.2f}")
        parts += [f"{name} {line['win_share']:.2f}" for name, line in self.evaluations.items()]
        return ", ".join(parts)

    def __rich__(self) -> Table:
        """The table."""
        table = Table(title="Training", show_header=False, title_justify="left")
        table.add_column(style="bold")
        table.add_column(justify="right")
        if self.head_start is not None:
            told = self.head_start
            table.add_row("head start", f"{min(told['decisions'], told['of']):,} of {told['of']:,}")
            table.add_row("agreement with the teacher", f"{told['agreement']:.3f}")
        of = f" of {self.steps:,}" if self.steps is not None else ""
        table.add_row("decisions", f"{self.last['steps']:,}{of}")
        table.add_row("decisions/s", f"{self.last.get('time/fps', 0):,.0f}")
        left = self.seconds_left()
        table.add_row("time left", "" if left is None else f"{int(left // 60)} min {int(left % 60):02d} s")
        for key, title in _LOSSES.items():
            if key in self.last:
                value = -self.last[key] if key == _NEGATED else self.last[key]
                table.add_row(title, f"{value:.4f}")
        if self.judgement is not None:
            told = self.judgement
            table.add_row("learning who wins", f"{min(told['decisions'], told['of']):,} of {told['of']:,}")
        table.add_section()
        for key, value in self.last.items():
            if key.startswith("win_share/"):
                table.add_row(f"win share against {key.removeprefix('win_share/')}", f"{value:.3f}")
        table.add_section()
        for name, line in self.evaluations.items():
            interval = f"{line['win_share']:.3f}  [{line['low']:.3f}, {line['high']:.3f}]"
            table.add_row(f"evaluation: {name}", interval)
        return table
