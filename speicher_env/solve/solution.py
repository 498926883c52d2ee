"""`solve`: exact values of positions in the last two rounds, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.rules.cards import FIRE, KIND_OF
from speicher_env.rules.state import DEMAND, EMPTY, IN_PILE, PURCHASE, STATE
from speicher_env.solve.before_last import SHARE, Row, best_of, common_denominator, induce, row_of
from speicher_env.solve.graph import Round, positions_of_round, supplies_after
from speicher_env.solve.memory import OUT_OF_POSITIONS, SOLVED, Search, cleared, make_search, with_larger_table
from speicher_env.solve.search import evaluate_actions, is_determined_at

if TYPE_CHECKING:
    from speicher_env.game import Game

__all__ = ["LIMIT", "Prospect", "Solution", "Solver", "Value", "is_before_last", "is_determined", "solve"]

LIMIT = 2_000_000
"""Positions that are looked at unless the caller says otherwise."""
_CHANGING = (
    "coins", "firemen", "legal", "offer", "offices", "phase", "player", "queue", "seed", "ships", "standing", "workers",
)  # fmt: skip
"""Fields that demand and purchase change. Keys of positions hold them, or they follow from who owns the cards."""
MOST_POSITIONS = 2**62
"""A limit that is never reached, and that compiled code can count to."""


LARGEST_DENOMINATOR = 2**45
"""Of probabilities that are added up: means and what they are made of stay within 64 bits."""


class Prospect(NamedTuple):
    """What one seat ends with, or the mean of it where cards are still drawn; the larger one is the better one."""

    share: float
    """Share of the win: 1 for a sole winner, 1/k for each of k winners, 0 for a loser."""
    lead: float
    """Points ahead of the best other seat, negative for one that is behind."""


@dataclass(frozen=True)
class Value:
    """How the game ends if every seat plays for itself from here on: whole numbers, or means over the next supply."""

    points: tuple[float, ...]
    """Points of each seat at the end."""
    coins: tuple[float, ...]
    """Coins of each seat at the end."""
    prospects: tuple[Prospect, ...]
    """Share of the win and lead of each seat."""
    worst: tuple[Prospect, ...]
    """What each seat can count on, however seats choose that are indifferent."""
    best: tuple[Prospect, ...]
    """What each seat can hope for, if seats that are indifferent choose in its favour."""
    unique: bool
    """Whether shares and leads, coins included, are the same however indifferent seats choose."""

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
    supplies: int = 0
    """Different supplies over which values are means; 0 if nothing is left to chance."""
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


def is_before_last(game: Game) -> bool:
    """Whether a running game is in the round before the last: the next supply brings all cards that are left.

    Args:
        game: The game.
    """
    supply = game.next_supply
    if supply is None or is_determined(game):
        return False
    left = np.flatnonzero(game.state["owner"] == IN_PILE)
    return bool(np.count_nonzero(KIND_OF[left] != FIRE) == supply.columns)


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
        if is_determined(game):
            return self._last_round(game, seat)
        if is_before_last(game):
            return self._before_last(game, seat)
        return _unsolved(seat, 0, "cards are left to be drawn, it is not one of the last two rounds.")

    def _last_round(self, game: Game, seat: int) -> Solution:
        search = self._search_for(game.states_view, min(self.limit, MOST_POSITIONS))
        if search is None:
            return _unsolved(seat, self.limit, self._too_many)
        actions, positions = game.legal(), int(search.counts[0])
        rows = [row_of(row, game.num_players) for row in search.branches[0, : len(actions)].tolist()]
        return _solution(seat, actions, np.array(rows, dtype=np.int64), 1, positions, 0)

    def _before_last(self, game: Game, seat: int) -> Solution:
        """Solve every last round that can follow, and take the mean at each end of the round."""
        following = game.next_supply
        assert following is not None, "the next supply lays out the cards of the last round"
        if following.count > self.limit:
            return _unsolved(seat, 0, f"the next supply has more than {self.limit} outcomes.")
        found = positions_of_round(game.state, min(self.limit, MOST_POSITIONS))
        if found is None:
            return _unsolved(seat, self.limit, self._too_many)
        chances = [supplies_after(found, end) for end in range(len(found.ends))]
        denominator = common_denominator(chances)
        if denominator > LARGEST_DENOMINATOR:
            return _unsolved(seat, 0, "the outcomes of the next supply are too many to add up.")
        looked_at = len(found.states)
        players = game.num_players
        ends = np.zeros((len(chances), Row.NUMBERS, players), dtype=np.int64)
        rows: dict[bytes, np.ndarray] = {}
        for end, chance in enumerate(chances):
            for state, probability in chance.items():
                if state not in rows:
                    if looked_at >= self.limit:
                        return _unsolved(seat, looked_at, self._too_many)
                    search = self._search_for(np.frombuffer(bytearray(state), STATE), self.limit - looked_at)
                    if search is None:
                        return _unsolved(seat, self.limit, self._too_many)
                    looked_at += int(search.counts[0])
                    rows[state] = row_of(search.worth[0].tolist(), players)
                ends[end] += int(probability * denominator) * rows[state]
        values = induce(found, ends, players)
        branches = _branches(found, values, ends)
        outcomes = max(len(chance) for chance in chances)
        return _solution(seat, game.legal(), branches, denominator, looked_at, outcomes)

    @property
    def _too_many(self) -> str:
        return f"it takes more than {self.limit} positions."

    def _search_for(self, states: np.ndarray, limit: int) -> Search | None:
        """Solve states[0], a position of the last round; None if that takes too many positions."""
        search = self._memory_for(states)
        search.counts[0], search.counts[1] = 0, limit
        while (outcome := evaluate_actions(search, states, 0)) != SOLVED:
            if outcome == OUT_OF_POSITIONS:
                return None
            search = self._search = with_larger_table(search, outcome)
        return search

    def _memory_for(self, states: np.ndarray) -> Search:
        """The memory for states[0]: with what is known already, if an earlier position can have led to it."""
        state = np.array(states)[0]
        players = int(state["players"])
        if self._search is None or self._root is None or self._root["players"] != players:
            self._search = make_search(players)
        elif _can_follow(self._root, state):
            return self._search
        else:
            self._search = cleared(self._search)
        self._search.cards[:] = state["card"]
        self._root = state
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


def _unsolved(seat: int, positions: int, reason: str) -> Solution:
    return Solution(seat, {}, (), positions, reason=reason)


def _branches(found: Round, values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """What the actions of the last position of a graph are worth, the one from which it was made."""
    targets = found.after[found.first[-2] :].tolist()
    return np.array([values[target] if target >= 0 else ends[-1 - target] for target in targets])


def _solution(
    seat: int, actions: list[str], rows: np.ndarray, denominator: int, positions: int, supplies: int
) -> Solution:
    """The result of a search that came to its end.

    Args:
        seat: Who decides.
        actions: The legal actions.
        rows: (actions, 11, players): what they are worth, see `before_last.Row`.
        denominator: By which the numbers are to be divided.
        positions: Positions that were looked at.
        supplies: See `Solution`.
    """
    values = {action: _value(row, denominator) for action, row in zip(actions, rows.tolist(), strict=True)}
    first = int(best_of(rows, seat))
    aims = rows[:, Row.AIM : Row.LEAST, seat]
    alike = np.flatnonzero((aims == aims[first]).all(axis=1)).tolist()
    best = [first, *(n for n in alike if n != first)]
    return Solution(seat, values, tuple(actions[n] for n in best), positions, supplies)


def _value(row: list[list[int]], denominator: int) -> Value:
    least, most = row[Row.LEAST : Row.MOST], row[Row.MOST : Row.POINTS]
    return Value(
        tuple(_mean(points, denominator) for points in row[Row.POINTS]),
        tuple(_mean(coins, denominator) for coins in row[Row.COINS]),
        _prospects(row[Row.AIM : Row.LEAST], denominator),
        _prospects(least, denominator),
        _prospects(most, denominator),
        least == most,
    )


def _prospects(aims: list[list[int]], denominator: int) -> tuple[Prospect, ...]:
    shares, leads, _ = aims
    return tuple(
        Prospect(share / (SHARE * denominator), _mean(lead, denominator))
        for share, lead in zip(shares, leads, strict=True)
    )


def _mean(total: int, denominator: int) -> float:
    """A sum as a mean: a whole number where there was nothing to add up."""
    return total if denominator == 1 else float(Fraction(total, denominator))
