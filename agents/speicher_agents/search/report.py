"""The result of a search at one decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.thoughts import Thought

__all__ = ["SearchReport"]


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
    preferences: np.ndarray
    """(actions,) float64: how much the search prefers each action; the sum is 1. The share of the visits, or, where
    the root shares its visits out by sequential halving, the improved policy."""
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

    def thought(self, *, shares: bool) -> Thought:
        """The report for people and records; its values are those of the action that the search plays.

        Args:
            shares: Whether preferences are probabilities; a search that visits all actions alike has none.
        """
        preferences = zip(self.texts, self.preferences.tolist(), strict=True)
        values = self.values[self.actions.index(self.best)]
        return Thought(
            probabilities={text: share for text, share in preferences if share} if shares else None,
            values=values.tolist() if np.isfinite(values).all() else None,  # never tried: the budget was too small
            line=list(self.line_texts),
        )

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
