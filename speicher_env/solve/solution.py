"""`solve`: exact values of the positions in which nothing is left to chance, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.solve.memory import BLOCKS, OUT_OF_POSITIONS, SOLVED, Search, make_search, with_larger_table
from speicher_env.solve.payoffs import AIM_STEP, aim_of
from speicher_env.solve.pools import POINT
from speicher_env.solve.search import evaluate_actions, is_determined_at

if TYPE_CHECKING:
    from speicher_env.game import Game

__all__ = ["LIMIT", "Prospect", "Solution", "Value", "is_determined", "solve"]

LIMIT = 1_000_000
"""Positions that are looked at unless the caller says otherwise."""
MOST_POSITIONS = 2**62
"""A limit that is never reached, and that compiled code can count to."""


class Prospect(NamedTuple):
    """What one seat ends with; the larger one is the better one."""

    share: float
    """Share of the win: 1 for a sole winner, 1/k for each of k winners, 0 for a loser."""
    lead: int
    """Points ahead of the best other seat, negative for one that is behind."""


@dataclass(frozen=True)
class Value:
    """How the game ends if every seat plays for itself from here on."""

    points: tuple[int, ...]
    """Points of each seat at the end."""
    coins: tuple[int, ...]
    """Coins of each seat at the end."""
    worst: tuple[Prospect, ...]
    """What each seat can count on, however seats choose that are indifferent."""
    best: tuple[Prospect, ...]
    """What each seat can hope for, if seats that are indifferent choose in its favour."""
    unique: bool
    """Whether shares and leads, coins included, are the same however indifferent seats choose."""

    @property
    def prospects(self) -> tuple[Prospect, ...]:
        """Share of the win and lead of each seat."""
        keys = list(zip(self.points, self.coins, strict=True))
        winners = keys.count(max(keys))
        return tuple(
            Prospect(
                1 / winners if key == max(keys) else 0.0,
                key[0] - max(points for other, points in enumerate(self.points) if other != seat),
            )
            for seat, key in enumerate(keys)
        )

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the win of each seat."""
        return tuple(prospect.share for prospect in self.prospects)


@dataclass(frozen=True)
class Solution:
    """What a position is worth to every seat, exactly, or why that is not known."""

    seat: int
    """Who decides."""
    values: Mapping[str, Value]
    """What each legal action is worth, by its text, in action order; empty if the position was not solved."""
    best: tuple[str, ...]
    """The actions that are best for the seat that decides, alike to it; by the rule for ties it plays the first."""
    positions: int
    """Positions that were looked at."""
    reason: str = ""
    """Why the position was not solved; empty if it was."""

    @property
    def exact(self) -> bool:
        """Whether the position was solved."""
        return not self.reason

    @property
    def value(self) -> Value:
        """What the position is worth: the value of the action that the seat plays.

        Raises:
            ArgumentError: If the position was not solved.
        """
        if self.reason:
            raise ArgumentError(f"the position has no exact value: {self.reason}")
        return self.values[self.best[0]]


def is_determined(game: Game) -> bool:
    """Whether nothing is left to chance in a running game: the supply of the last round is on the table.

    Args:
        game: The game.
    """
    return bool(is_determined_at(game.states_view, 0))


def solve(game: Game, limit: int = LIMIT) -> Solution:
    """What every legal action of a game is worth, see `Game.solve`.

    Args:
        game: A running game; it stays as it is.
        limit: Positions to look at before giving up.

    Raises:
        ArgumentError: If the game is over, or `limit` is not a whole number from 1.
    """
    if game.player is None:
        raise ArgumentError("the game is over, so there is no decision to solve.")
    most = check_count("limit", limit)
    if not is_determined(game):
        return Solution(game.player, {}, (), 0, "cards are left to be drawn, it is not the last round.")
    search = make_search(game.num_players, min(most, MOST_POSITIONS))
    while (outcome := evaluate_actions(search, game.states_view, 0)) != SOLVED:
        if outcome == OUT_OF_POSITIONS:
            return Solution(game.player, {}, (), int(search.counts[0]), f"it takes more than {limit} positions.")
        search = with_larger_table(search, outcome)
    return _solution(game, game.player, search)


def _solution(game: Game, seat: int, search: Search) -> Solution:
    """The result of a search that came to its end."""
    players, actions = game.num_players, game.legal()
    rows = search.branches[0, : len(actions)].tolist()
    values = {action: _value(row, players) for action, row in zip(actions, rows, strict=True)}
    chosen = search.worth[0, :players].tolist()
    aims = [_aim(row[:players], seat) for row in rows]
    alike = [n for n, aim in enumerate(aims) if aim == max(aims)]
    first = next(n for n in alike if rows[n][:players] == chosen)
    best = [first, *(n for n in alike if n != first)]
    return Solution(seat, values, tuple(actions[n] for n in best), int(search.counts[0]))


def _value(row: list[int], players: int) -> Value:
    result, least, most = (row[players * block : players * (block + 1)] for block in range(BLOCKS))
    ends = [divmod(key, POINT) for key in result]
    return Value(
        tuple(points for points, _ in ends),
        tuple(coins for _, coins in ends),
        tuple(map(_prospect, least)),
        tuple(map(_prospect, most)),
        least == most,
    )


def _aim(result: list[int], seat: int) -> int:
    return int(aim_of(np.array(result), len(result), seat))


def _prospect(aim: int) -> Prospect:
    """Share and lead of an aim, see `payoffs.aim_of`."""
    if 0 < aim < AIM_STEP:
        return Prospect(1 / (MAX_PLAYERS + 1 - aim), 0)
    lead = aim // AIM_STEP
    # The nearest whole number of points: coins differ by less than half a point's worth, or by more, with 512 and up.
    return Prospect(float(aim > 0), (lead + POINT // 2) // POINT)
