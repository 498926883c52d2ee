"""What a player can tell about a decision besides what it chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Thought:
    """One decision as its player sees it; what a player does not know is None."""

    probabilities: dict[str, float] | None = None
    """How likely it is to choose each legal action, by text; of a search, the share of its visits."""
    values: list[float] | None = None
    """What it expects for each seat, seat 0 first: 1 for a sole win, -1/(n-1) for a loss."""
    line: list[str] | None = None
    """What it expects to be played. The first is its own choice: who thinks and then acts plays that one."""

    def entry(self, player: str) -> dict[str, Any]:
        """The thought as an entry of a record's `think`; `player` is the spec of who thought it."""
        from speicher_env.thoughts import thought  # records are written in terms of it; playing needs none

        return thought(player, self.probabilities, self.values, self.line)
