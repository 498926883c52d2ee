"""The last round solved in plain Python, from nothing but `Game.copy`, `legal`, `play` and the end of the game.

It shares no code with `speicher_env.solve`, knows of no shortcut, and finds two things: the result by the rule for ties
(see docs/exact.md), and every result that there can be if seats that are indifferent may choose either way.
"""

from __future__ import annotations

from fractions import Fraction

from speicher_env import Game

Result = tuple[tuple[int, int], ...]
"""Points and coins of each seat at the end."""
Aim = tuple[Fraction, int, int]
"""Share of the win, lead in points, lead in coins."""


class TooLarge(Exception):
    """The position has more positions after it than were allowed."""


def aim(result: Result, seat: int) -> Aim:
    """What a seat wants more of: share of the win, then its lead over the best other seat, points before coins."""
    winners = [at for at, end in enumerate(result) if end == max(result)]
    best = max(end for at, end in enumerate(result) if at != seat)
    share = Fraction(seat in winners, len(winners))
    return share, result[seat][0] - best[0], result[seat][1] - best[1]


def by_rule(result: Result, seat: int) -> tuple[object, ...]:
    """Orders results for a seat: its own aim, then those of the seats to its left, then plain points and coins."""
    around = [(seat + step) % len(result) for step in range(len(result))]
    return (*(aim(result, at) for at in around), *(result[at] for at in around))


class PlainSolver:
    """Solves one position and those after it, each once."""

    def __init__(self, most: int = 3000) -> None:
        """Make ready.

        Args:
            most: Positions to look at before `TooLarge` is raised.
        """
        self.most = most
        self.known: dict[bytes, tuple[Result, frozenset[Result]]] = {}

    def actions(self, game: Game) -> dict[str, tuple[Result, frozenset[Result]]]:
        """For each legal action the result by the rule for ties, and every result that there can be."""
        solved = {}
        for action in game.legal():
            after = game.copy()
            after.play(action)
            solved[action] = self.solve(after)
        return solved

    def solve(self, game: Game) -> tuple[Result, frozenset[Result]]:
        """The same for a position."""
        if game.over:
            result = tuple((points["total"], coins) for points, coins in zip(game.points(), game.coins, strict=True))
            return result, frozenset([result])
        key = game.state.tobytes()
        if key not in self.known:
            if len(self.known) >= self.most:
                raise TooLarge
            self.known[key] = self.chosen(list(self.actions(game).values()), game.player)
        return self.known[key]

    def chosen(
        self, branches: list[tuple[Result, frozenset[Result]]], seat: int | None
    ) -> tuple[Result, frozenset[Result]]:
        """What a seat makes of its choice: a result is possible if no other action is sure to give it more."""
        assert seat is not None
        chosen = max((result for result, _ in branches), key=lambda result: by_rule(result, seat))
        sure = [min(aim(result, seat) for result in possible) for _, possible in branches]
        together = set()
        for place, (_, possible) in enumerate(branches):
            threshold = max((low for other, low in enumerate(sure) if other != place), default=sure[place])
            together |= {result for result in possible if aim(result, seat) >= threshold}
        return chosen, frozenset(together)
