"""What happened by itself after a move: cards that nobody bought, income, fires, the next round."""

from __future__ import annotations

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.words import column_in_words, counted, seat_name
from speicher_env.rules.cards import FIRE_1, KIND_OF, N_CARDS, SHIP
from speicher_env.rules.income import income_of
from speicher_env.rules.state import DISCARDED, EMPTY, MAX_COLUMNS, ON_TABLE, OVER

__all__ = ["news"]


def news(before: np.void, after: np.void, you: int | None = None) -> list[str]:
    """Tell what the game did by itself between the state before a move and the state after it.

    Args:
        before: The state in which the move was made, a record of dtype `STATE`.
        after: The state at the next decision, or at the end.
        you: The reader's seat, marked "you".

    Returns:
        Sentences without their full stops, in the order of events. Empty for most moves.
    """
    sentences = _unsold(before, after)
    ended = after["phase"] == OVER
    if ended or after["round"] != before["round"]:
        sentences.append(_income(before, after, you))
    sentences += _fires(before, after, you)
    if after["round"] != before["round"]:
        sentences.append(f"round {after['round']} begins with {seat_name(int(after['first_player']), you)}")
    return sentences


def _unsold(before: np.void, after: np.void) -> list[str]:
    sentences = []
    for column in range(MAX_COLUMNS):
        card = int(before["card"][column])
        if card != EMPTY and before["owner"][card] == ON_TABLE and after["owner"][card] == DISCARDED:
            cubes = ", and its cubes go to the stock" if KIND_OF[card] == SHIP else ""
            sentences.append(f"nobody buys {column_in_words(before, column)}: it is discarded{cubes}")
    return sentences


def _income(before: np.void, after: np.void, you: int | None) -> str:
    at_income = before.copy()  # the move may have been a purchase
    at_income["owner"] = after["owner"]
    shares = []
    for seat in range(int(after["players"])):
        at_income["bought"][seat] += np.sum((after["owner"] == seat) & (before["owner"] != seat))
        shares.append(f"{counted(int(income_of(at_income, seat)), 'coin')} for {seat_name(seat, you)}")
    return f"income: {', '.join(shares)}"


def _fires(before: np.void, after: np.void, you: int | None) -> list[str]:
    fires = [card for card in range(FIRE_1, N_CARDS) if before["owner"][card] != after["owner"][card]]
    if not fires:
        return []
    changes = [int(points) for points in after["fire_points"] - before["fire_points"]]
    gain = [seat_name(seat, you) for seat, points in enumerate(changes) if points > 0]
    lose = [seat_name(seat, you) for seat, points in enumerate(changes) if points < 0]
    values = listed([str(after["fire_value"][card - FIRE_1]) for card in fires])
    name = f"a fire of value {values}" if len(fires) == 1 else f"fires of values {values}"
    if not gain:
        return [f"{name}: all have equal firemen, nothing happens"]
    points = counted(max(changes), "point")
    return [f"{name}: {listed(gain)} {_verb('gain', gain)} {points}, {listed(lose)} {_verb('lose', lose)} as many"]


def _verb(verb: str, who: list[str]) -> str:
    return verb + "s" if len(who) == 1 else verb
