"""What chance could have brought: the supplies that may follow a move, and the mean of what they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from speicher_agents.review.judge import Shares
from speicher_env.chance import arrange
from speicher_env.game import Game
from speicher_env.rules.chance import draw_supply_at

__all__ = ["SUPPLIES", "Expected", "Supplies", "is_left_to_chance", "possible_supplies"]

SUPPLIES = 32
"""Supplies that are drawn for each reveal by default."""
_SPREAD = 0x9E3779B97F4A7C15
"""An odd number: seeds that differ by little are far apart when they are multiplied by it."""


@dataclass(frozen=True)
class Expected:
    """What a move is worth to each seat."""

    shares: Shares
    error: Shares
    """Standard error of each share from the draw of the supplies; 0 if none was drawn."""


@dataclass(frozen=True)
class Supplies:
    """Supplies that may come after a move."""

    before: tuple[Game, ...]
    """For each of them the position before the move, with that supply in the hidden order."""
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


def possible_supplies(game: Game, count: int) -> Supplies:
    """All supplies that can come next if they are at most `count`, else that many drawn as the game would draw them.

    Args:
        game: A position whose next supply is left to chance.
        count: 1 or more.
    """
    following = game.next_supply
    assert following is not None, "a supply comes"
    if following.count <= count:
        drawn, weights = zip(*following.outcomes(), strict=True)
        return Supplies(tuple(_bringing(game, supply) for supply in drawn), tuple(map(float, weights)), complete=True)
    first = (game.seed + len(game.move_ids or ()) * _SPREAD) % 2**64
    sample = tuple(_redrawn(game, (first * _SPREAD + number) % 2**64) for number in range(count))
    return Supplies(sample, (1 / count,) * count, complete=False)


def _bringing(game: Game, supply: tuple[str, ...]) -> Game:
    states = game.states_view.copy()
    arrange(states, supply)
    return Game.from_state(states[0])


def _redrawn(game: Game, seed: int) -> Game:
    states = game.states_view.copy()
    draw_supply_at(states, 0, np.uint64(seed))
    return Game.from_state(states[0])
