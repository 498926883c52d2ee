"""What happened by itself behind a move: cards that nobody bought, income, fires, the next round."""

from __future__ import annotations

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.words import column_in_words, counted, seat_name
from speicher_env.rules.cards import BANK_CARD, FIRE_1, KIND_OF, N_CARDS, SHIP
from speicher_env.rules.income import BANK_INCOME, CONSOLATION, INCOME
from speicher_env.rules.state import DISCARDED, EMPTY, MAX_COLUMNS, ON_TABLE, OVER


def news(before: np.void, after: np.void, you: int | None = None) -> list[str]:
    """What the game did by itself between the state before a move and the state after it.

    Args:
        before: The state in which the move was made, a record of dtype `STATE`.
        after: The state at the next decision, or at the end.
        you: This seat is marked "you".

    Returns:
        Sentences without their full stops, in the order in which things happened. Empty for most moves.
    """
    told = _unsold(before, after)
    ended = after["phase"] == OVER
    if ended or after["round"] != before["round"]:
        told.append(_income(before, after, you))
    told += _fires(before, after, you)
    if after["round"] != before["round"]:
        told.append(f"round {after['round']} begins with {seat_name(int(after['first_player']), you)}")
    return told


def _unsold(before: np.void, after: np.void) -> list[str]:
    told = []
    for column in range(MAX_COLUMNS):
        card = int(before["card"][column])
        if card != EMPTY and before["owner"][card] == ON_TABLE and after["owner"][card] == DISCARDED:
            cubes = ", and its cubes go to the stock" if KIND_OF[card] == SHIP else ""
            told.append(f"nobody buys {column_in_words(before, column)}: it is discarded{cubes}")
    return told


def _income(before: np.void, after: np.void, you: int | None) -> str:
    told = []
    for seat in range(int(after["players"])):
        bought = before["bought"][seat] > 0 or np.any((after["owner"] == seat) & (before["owner"] != seat))
        bank = after["owner"][BANK_CARD] == seat
        coins = INCOME + (0 if bought else CONSOLATION) + (BANK_INCOME if bank else 0)
        told.append(f"{counted(coins, 'coin')} for {seat_name(seat, you)}")
    return f"income: {', '.join(told)}"


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
