"""What a search found at a decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from speicher_env.rules.actions import ACTION_TEXTS


@dataclass(frozen=True)
class SearchReport:
    """One decision: how often each legal action was tried, what it is worth to every seat, and what should follow."""

    seat: int
    """Who decides."""
    actions: tuple[int, ...]
    """The ids of the legal actions, ascending."""
    visits: np.ndarray
    """(actions,) int64: iterations that began with each action; they add up to `iterations`."""
    values: np.ndarray
    """(actions, players) float64: mean payoff of each seat, -1..1; nan for an action never tried."""
    best: int
    """The id of the action that the search plays."""
    line: tuple[int, ...]
    """The principal line: the best action, then each time the most visited one, as far as no chance comes between."""

    @property
    def iterations(self) -> int:
        """Iterations in all."""
        return int(self.visits.sum())

    @property
    def value(self) -> np.ndarray:
        """(players,) float64: mean payoff of each seat over all iterations."""
        tried = self.visits > 0
        value: np.ndarray = np.average(self.values[tried], axis=0, weights=self.visits[tried])
        return value

    @property
    def texts(self) -> tuple[str, ...]:
        """The legal actions as texts."""
        return tuple(ACTION_TEXTS[action] for action in self.actions)

    @property
    def line_texts(self) -> tuple[str, ...]:
        """The principal line as texts."""
        return tuple(ACTION_TEXTS[action] for action in self.line)

    def __str__(self) -> str:
        """A table, the most visited action first, and the principal line."""
        order = sorted(range(len(self.actions)), key=lambda row: (-self.visits[row], self.actions[row]))
        width = max(len(text) for text in self.texts)
        lines = [f"seat {self.seat}, {self.iterations} iterations, best {ACTION_TEXTS[self.best]!r}"]
        lines += [
            f"  {self.texts[row]:{width}}  {self.visits[row]:8d}  "
            + " ".join(f"{value:+.3f}" for value in self.values[row])
            for row in order
        ]
        lines.append("line: " + ", ".join(self.line_texts))
        return "\n".join(lines)
