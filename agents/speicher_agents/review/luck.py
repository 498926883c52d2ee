"""What chance could have brought: the supplies that may follow a move, and the mean of what they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from speicher_agents.review.judge import Shares
from speicher_env.chance import NextSupply
from speicher_env.game import Game

__all__ = ["SUPPLIES", "Expected", "Supplies", "is_left_to_chance", "possible_supplies"]

SUPPLIES = 32
"""Supplies that are drawn for each reveal by default."""


@dataclass(frozen=True)
class Expected:
    """What a move is worth to each seat."""

    shares: Shares
    error: Shares
    """Standard error of each share from the draw of the supplies; 0 if none was drawn."""


@dataclass(frozen=True)
class Supplies:
    """Supplies that may come."""

    drawn: tuple[tuple[str, ...], ...]
    """Each as the names in the order in which they are drawn, see `speicher_env.chance`."""
    weights: tuple[float, ...]
    """They add up to 1."""
    complete: bool
    """Whether these are all that can come; else they are a sample."""

    def mean(self, shares: Sequence[Shares]) -> Expected:
        """The mean of what the supplies are worth."""
        table = np.array(shares)
        error = np.zeros(table.shape[1])
        if not self.complete and len(table) > 1:
            error = table.std(axis=0, ddof=1) / np.sqrt(len(table))
        return Expected(tuple((np.array(self.weights) @ table).tolist()), tuple(error.tolist()))


def is_left_to_chance(before: Game, after: Game) -> bool:
    """Whether a move was followed by a supply that could have been another one.

    Args:
        before: The position in which the move was made.
        after: The position after it.
    """
    if after.over or after.round == before.round:
        return False
    following = before.next_supply
    return following is not None and following.count > 1


def possible_supplies(following: NextSupply, count: int, seed: str) -> Supplies:
    """All supplies that can come if they are at most `count`, else that many drawn as the game would draw them.

    Args:
        following: What the next supply can bring.
        count: 1 or more.
        seed: Any text; the same text gives the same supplies.
    """
    if following.count <= count:
        drawn, weights = zip(*following.outcomes(), strict=True)
        return Supplies(drawn, tuple(map(float, weights)), complete=True)
    sample = tuple(following.sample(_seed(seed, number)) for number in range(count))
    return Supplies(sample, (1 / count,) * count, complete=False)


def _seed(text: str, number: int) -> int:
    return int.from_bytes(sha256(f"{text} {number}".encode()).digest()[:8], "big")
