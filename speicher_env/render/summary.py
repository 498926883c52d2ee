"""What happened in some moves, in a line: who stands above what, who bought what for how much, what burnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from speicher_env.render.words import card_name, seat_sign
from speicher_env.rules.actions import ACTIONS
from speicher_env.rules.cards import FIRE_1, N_FIRES
from speicher_env.rules.state import DISCARDED, EMPTY, MAX_COLUMNS, ON_TABLE, OVER

__all__ = ["summary"]

_LOADING = {"deliver": "delivers", "sell": "sells", "trade": "trades", "convert": "converts", "discard": "discards"}


def summary(moves: Sequence[tuple[np.void, int]], now: np.void, you: int | None = None) -> list[str]:
    """Short clauses in the order of events, such as '#1 #2 above 0', '#1 buys ship for 2', 'fire 2: #1 +1, #0 -1'.

    Args:
        moves: Moves one after the other, each with the state in which it was made.
        now: The state after the last of them.
        you: The reader's seat. Its own moves are left out, but not what the game did by itself after them.
    """
    states = [*(before for before, _ in moves), now]
    clauses: list[str] = []
    placed: dict[int, list[str]] = {}
    loaded: dict[int, Counter[str]] = {}

    def close() -> None:
        for column in sorted(placed):
            clauses.append(f"{' '.join(placed[column])} above {column}")
        for seat, verbs in loaded.items():
            clauses.append(f"{seat_sign(seat)} {', '.join(f'{verb} {count}' for verb, count in verbs.items())}")
        placed.clear()
        loaded.clear()

    for (before, action), after in zip(moves, states[1:], strict=True):
        move, seat, offer = ACTIONS[action], int(before["player"]), int(before["offer"])
        sign, card = seat_sign(seat), int(before["card"][offer])
        if seat == you:
            pass
        elif move.verb == "place":
            assert move.column is not None
            placed.setdefault(move.column, []).append(sign)
        elif move.verb == "buy":
            clauses.append(
                f"{sign} buys {card_name(before, int(before['card'][offer]))} for {before['standing'][offer]}"
            )
        elif move.verb == "pass":
            clauses.append(f"{sign} passes on {card_name(before, card)}")
        elif move.verb in _LOADING:
            loaded.setdefault(seat, Counter())[_LOADING[move.verb]] += 1
        if after["phase"] != before["phase"] or after["round"] != before["round"]:
            close()
        clauses += [*_unsold(before, after), *_fires(before, after)]
        if after["round"] != before["round"] and after["phase"] != OVER:
            clauses.append(f"round {after['round']}")
    close()
    return clauses


def _unsold(before: np.void, after: np.void) -> list[str]:
    cards = [int(before["card"][column]) for column in range(MAX_COLUMNS)]
    gone = [card for card in cards if card != EMPTY and before["owner"][card] == ON_TABLE]
    return [f"nobody buys {card_name(before, card)}" for card in gone if after["owner"][card] == DISCARDED]


def _fires(before: np.void, after: np.void) -> list[str]:
    burnt = range(FIRE_1, FIRE_1 + N_FIRES)
    values = [
        str(after["fire_value"][card - FIRE_1]) for card in burnt if before["owner"][card] != after["owner"][card]
    ]
    if not values:
        return []
    changes = (after["fire_points"] - before["fire_points"]).tolist()
    paid = ", ".join(f"{seat_sign(seat)} {points:+d}" for seat, points in enumerate(changes) if points)
    return [f"fire {' and '.join(values)}: {paid or 'nothing'}"]
