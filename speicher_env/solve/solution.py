"""`solve`: exact values of the positions in which nothing is left to chance, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.rules.state import DEMAND, EMPTY, MAX_PLAYERS, PURCHASE
from speicher_env.solve.memory import BLOCKS, OUT_OF_POSITIONS, SOLVED, Search, make_search, with_larger_table
from speicher_env.solve.payoffs import AIM_STEP, aim_of
from speicher_env.solve.pools import POINT
from speicher_env.solve.search import evaluate_actions, is_determined_at

if TYPE_CHECKING:
    from speicher_env.game import Game

__all__ = ["LIMIT", "Prospect", "Solution", "Solver", "Value", "is_determined", "solve"]

LIMIT = 2_000_000
"""Positions that are looked at unless the caller says otherwise."""
_CHANGING = (
    "coins", "firemen", "legal", "offer", "offices", "phase", "player", "queue", "seed", "ships", "standing", "workers",
)  # fmt: skip
"""Fields that demand and purchase change. Keys of positions hold them, or they follow from who owns the cards."""
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


def solve(game: Game, limit: int) -> Solution:
    """What every legal action of a game is worth, see `Game.solve`.

    Args:
        game: A running game; it stays as it is.
        limit: Positions to look at before giving up.

    Raises:
        ArgumentError: If the game is over, or `limit` is not a whole number from 1.
    """
    return Solver(limit).solve(game)


class Solver:
    """Solves positions, and remembers those of the last round that it met last: the next decisions cost little then."""

    def __init__(self, limit: int = LIMIT) -> None:
        """Make ready.

        Args:
            limit: Positions to look at in each call before giving up.

        Raises:
            ArgumentError: If `limit` is not a whole number from 1.
        """
        self.limit = check_count("limit", limit)
        self._search: Search | None = None
        self._root: np.void | None = None

    def solve(self, game: Game) -> Solution:
        """What every legal action of a game is worth, see `Game.solve`.

        Args:
            game: A running game; it stays as it is.

        Raises:
            ArgumentError: If the game is over.
        """
        seat = game.player
        if seat is None:
            raise ArgumentError("the game is over, so there is no decision to solve.")
        if not is_determined(game):
            return Solution(seat, {}, (), 0, "cards are left to be drawn, it is not the last round.")
        search = self._search_for(game)
        while (outcome := evaluate_actions(search, game.states_view, 0)) != SOLVED:
            if outcome == OUT_OF_POSITIONS:
                return Solution(seat, {}, (), int(search.counts[0]), f"it takes more than {self.limit} positions.")
            search = self._search = with_larger_table(search, outcome)
        return _solution(game, seat, search)

    def _search_for(self, game: Game) -> Search:
        """The memory for a position: what is known already, if an earlier position can have led to it."""
        state = game.state
        if self._search is None or self._root is None or not _can_follow(self._root, state):
            self._search = make_search(game.num_players, min(self.limit, MOST_POSITIONS))
            self._search.cards[:] = state["card"]
            self._root = state
        self._search.counts[0] = 0
        return self._search

    def __getstate__(self) -> dict[str, int]:
        """The limit; what is remembered is not worth a copy."""
        return {"limit": self.limit}

    def __setstate__(self, kept: dict[str, int]) -> None:
        self.__init__(kept["limit"])  # type: ignore[misc]


def _can_follow(root: np.void, state: np.void) -> bool:
    """Whether a state can follow on another one within its demand and purchase, apart from who has how many coins."""
    if state["phase"] not in (DEMAND, PURCHASE) or state["players"] != root["players"]:
        return False
    then = np.array([root])[0]
    for column, card in enumerate(root["card"].tolist()):
        if card != EMPTY and state["card"][column] == EMPTY:
            owner = int(state["owner"][card])
            cargo = [good for good in root["cargo"][column].tolist() if good != EMPTY]
            then["owner"][card] = owner
            then["card"][column] = then["cargo"][column] = EMPTY
            np.add.at(then["aboard"][owner] if owner >= 0 else then["stock"], cargo, 1)
            then["bought"][max(owner, 0)] += owner >= 0
    for field in _CHANGING:
        then[field] = state[field]
    return then.tobytes() == state.tobytes()


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
