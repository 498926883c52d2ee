"""What a game of two is worth where cards are still drawn, in plain Python: every action, every supply.

Nothing is used but `Game.copy`, `legal`, `play`, `ends_round` and `next_supply`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from speicher_env import Game
from speicher_env.rules.hidden import conceal_at

Worth = tuple[Fraction, Fraction, Fraction]
"""Means for seat 0: its share of the win, its lead in points, its lead in coins."""


Wants = Callable[[Worth], tuple[Fraction, ...]]


def everything(worth: Worth) -> tuple[Fraction, ...]:
    """A larger share; at equal shares a larger lead in points, then in coins."""
    return worth


def action_worths(game: Game, wants: Wants = everything, known: dict[bytes, Worth] | None = None) -> dict[str, Worth]:
    """What each legal action is worth to seat 0 if both seats play as well as can be after it.

    Args:
        game: A running game of two.
        wants: What of a worth the seats compare.
        known: Positions that were met before.
    """
    known = {} if known is None else known
    worths = {}
    for action in game.legal():
        after = game.copy()
        after.play(action)
        if after.over or after.round == game.round:
            worths[action] = worth(after, wants, known)
        else:
            supply = game.next_supply
            assert supply is not None and game.ends_round(action)
            sums = [Fraction(0)] * 3
            for names, probability in supply.outcomes():
                drawn = game.copy()
                drawn.play(action, supply=names)
                sums = [total + probability * one for total, one in zip(sums, worth(drawn, wants, known), strict=True)]
            worths[action] = (sums[0], sums[1], sums[2])
    return worths


def worth(game: Game, wants: Wants, known: dict[bytes, Worth]) -> Worth:
    """What a position is worth to seat 0."""
    if game.over:
        points, coins = [each["total"] for each in game.points()], game.coins
        winners = game.winners()
        share = Fraction(0 in winners, len(winners))
        return share, Fraction(points[0] - points[1]), Fraction(coins[0] - coins[1])
    states = np.array([game.state])
    conceal_at(states, 0)
    key = states.tobytes()
    if key not in known:
        worths = action_worths(game, wants, known).values()
        known[key] = max(worths, key=wants) if game.player == 0 else min(worths, key=wants)
    return known[key]
