"""The moves on the page: the legal ones as buttons with keys, and the illegal ones with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.legal import is_legal, legal_actions
from speicher_env.render.sentences import sentence
from speicher_env.render.why import why_illegal
from speicher_env.render.words import (
    contract_goods,
    contract_value,
    counted,
    counted_cubes,
    move_label,
)
from speicher_env.rules.actions import ACTIONS, BUY, DELIVER, DISCARD, END, PASS, PLACE, SELL, Action, parse_action
from speicher_env.rules.cards import N_CONTRACTS, N_GOODS
from speicher_env.rules.state import DEMAND, OVER, PURCHASE

__all__ = ["MoveButton", "MoveGroup", "groups", "why_not"]

_KEYS = {"buy": "b", "pass": "p", "end": "e"}


@dataclass(frozen=True)
class MoveButton:
    """One move as a button."""

    action: str
    label: str
    note: str
    """What matters about the move now, in few words; may be empty."""
    key: str
    """The key of the move; empty for none, as for an illegal move."""
    why: str
    """Why the move is illegal, as a sentence; empty for a legal one."""


@dataclass(frozen=True)
class MoveGroup:
    """Moves of one kind under a title."""

    title: str
    moves: list[MoveButton]


def groups(state: np.void) -> list[MoveGroup]:
    """The moves of the seat to move; none when the game is over."""
    if state["phase"] == OVER:
        return []
    shown = [(title, list(actions)) for title, actions in _shown(state)]
    order = [action for _, actions in shown for action in actions if is_legal(state, action)]
    keys = _keys(order)
    return [MoveGroup(title, [_move(state, action, keys) for action in actions]) for title, actions in shown if actions]


def why_not(state: np.void, action: str) -> str:
    """Why an action is illegal now, or that it is legal, as a sentence."""
    number = parse_action(action)
    if state["phase"] != OVER and is_legal(state, number):
        return f"It is legal: {move_label(state, ACTIONS[number])}."
    return sentence(why_illegal(state, number))


def _shown(state: np.void) -> Iterable[tuple[str, Iterable[int]]]:
    """The actions on the page, by title: all that can come to mind in this phase."""
    if state["phase"] == DEMAND:
        yield "Place a worker", range(PLACE, PLACE + int(state["players"]) + 1)
    elif state["phase"] == PURCHASE:
        yield "Your answer", (BUY, PASS)
    else:
        yield from _loading(state)


def _loading(state: np.void) -> Iterable[tuple[str, Iterable[int]]]:
    seat = int(state["player"])
    held = [good for good in range(N_GOODS) if state["cubes"][seat][good] > 0]
    yield (
        "Deliver to contracts",
        [
            DELIVER + N_GOODS * contract + good
            for contract in range(N_CONTRACTS)
            if state["owner"][contract] == seat and state["missing"][contract].any()
            for good in dict.fromkeys(contract_goods(state, contract))
        ],
    )
    yield "Sell for 1 coin a cube", [SELL + good for good in held]
    yield "Done", (END,)
    yield "Throw away, for want of room", [DISCARD + good for good in held]
    for title, verb in (
        ("Market hall: two cubes for a coin", "trade"),
        ("Market hall: three cubes for one", "convert"),
    ):
        yield title, [action.id for action in legal_actions(state) if action.verb == verb]


def _keys(legal: list[int]) -> dict[int, str]:
    """A key for each legal move: a column's number, a letter, else the digits from 1 while there are any."""
    keys = {}
    digits = iter("123456789")
    for action in legal:
        move = ACTIONS[action]
        keys[action] = str(move.column) if move.verb == "place" else _KEYS.get(move.verb) or next(digits, "")
    return keys


def _move(state: np.void, action: int, keys: dict[int, str]) -> MoveButton:
    move = ACTIONS[action]
    legal = action in keys
    why = "" if legal else sentence(why_illegal(state, action))
    return MoveButton(move.text, move_label(state, move), _note(state, move), keys.get(action, ""), why)


def _note(state: np.void, move: Action) -> str:
    seat = int(state["player"])
    coins = counted(int(state["coins"][seat]), "coin")
    if move.verb == "place":
        workers = int(state["standing"][move.column])
        return f"{counted(workers, 'worker')} there" if workers else "nobody there yet"
    if move.verb == "buy":
        return f"of your {coins}"
    if move.verb == "pass":
        return "take this worker back; the price falls by 1 for the next"
    if move.verb == "deliver":
        assert move.contract is not None
        missing = state["missing"][move.contract]
        if not missing.any():
            return ""
        needs = listed(counted_cubes(missing.tolist()).split(", "))
        return f"needs {needs}; {contract_value(state, move.contract)} points"
    if move.verb == "end":
        kept = counted_cubes(state["cubes"][seat].tolist())
        return f"keep {kept}" if kept else ""
    return ""
