"""The reason why an action is illegal, in the words of the rules."""

from __future__ import annotations

import numpy as np

from speicher_env.messages import must_be
from speicher_env.render.legal import is_legal
from speicher_env.render.words import buyer, column_in_words, counted, counted_cubes, cube_given, seat_name
from speicher_env.rules.actions import ACTIONS, Action, parse_action
from speicher_env.rules.cards import GOODS, MERCHANT_1, N_GOODS
from speicher_env.rules.loading import capacity
from speicher_env.rules.state import DEMAND, OVER, PURCHASE, SPACES

__all__ = ["why_illegal"]

_WHEN = {
    "place": "workers are placed only in demand, before any card is sold",
    "buy": "cards are bought only in purchase, when all workers are placed",
    "pass": "passing is an answer to an offer, so it belongs to purchase",
}
_WHEN_LOADING = "cubes are used only in loading, when all cards of the round are sold or discarded"


def why_illegal(state: np.void, action: int | str) -> str:
    """The reason why an action is illegal for the player to move, as a sentence without its full stop.

    Args:
        state: One game, a record of dtype `STATE`.
        action: One of the 184 actions, as id or text.

    Raises:
        UnknownAction: If there is no such action.
        ValueError: If it is legal.
    """
    move = ACTIONS[parse_action(action)]
    if is_legal(state, move.id):
        raise ValueError(must_be("action", move.text, "an illegal action; it is legal in this state"))
    phase = int(state["phase"])
    if phase == OVER:
        return "the game is over"
    if move.verb == "place":
        return _place(state, move) if phase == DEMAND else _too_soon_or_late(state, move)
    if move.verb in ("buy", "pass") or phase in (DEMAND, PURCHASE):
        return _too_soon_or_late(state, move)
    return _load(state, move)


def _too_soon_or_late(state: np.void, move: Action) -> str:
    who = seat_name(int(state["player"]))
    if state["phase"] == DEMAND:
        now = f"now {who} places a worker"
    elif state["phase"] == PURCHASE:
        now = f"now {who} is asked whether it buys {column_in_words(state, int(state['offer']))}"
    else:
        now = f"now {who} is loading"
    return f"{_WHEN.get(move.verb, _WHEN_LOADING)}; {now}"


def _place(state: np.void, move: Action) -> str:
    players = int(state["players"])
    if move.column is not None and move.column > players:
        return f"with {players} players there are only columns 0 to {players}"
    return f"all {SPACES} spaces above column {move.column} are taken"


def _load(state: np.void, move: Action) -> str:
    seat = int(state["player"])
    who = seat_name(seat)
    pool = state["cubes"][seat]
    total, room = int(pool.sum()), int(capacity(state, seat))
    if move.verb == "end":
        return (
            f"{who} has {counted(total, 'cube')} and room for {room}, "
            f"so {total - room} more must be used or thrown away first"
        )
    if move.verb == "deliver":
        forbidden = _deliver(state, move)
        if forbidden:
            return forbidden
    elif move.verb == "sell" and state["owner"][MERCHANT_1 + move.gives.index(1)] != seat:
        return f"only the owner of the {buyer(move)} sells a cube of {cube_given(move)} for 1 coin"
    if any(pool[good] < move.gives[good] for good in range(N_GOODS)):
        return f"{who} would need {counted_cubes(move.gives)} and has {counted_cubes(pool.tolist()) or 'no cubes'}"
    if move.takes is not None:
        return f"the stock holds no {GOODS[move.takes]}"
    return f"cubes are thrown away only while there is no room for them, and {who} has room for {room}"


def _deliver(state: np.void, move: Action) -> str:
    """The reason why a delivery is illegal whatever cubes the seat has; empty if there is none."""
    contract = move.contract
    assert contract is not None
    seat, owner, good = int(state["player"]), int(state["owner"][contract]), move.gives.index(1)
    if owner != seat:
        whose = f"belongs to {seat_name(owner)}" if owner >= 0 else "has no owner"
        return f"cubes go only to contracts of one's own, and contract {contract + 1} {whose}"
    if state["missing"][contract][good] > 0:
        return ""
    if good in state["contract_goods"][contract]:
        return f"contract {contract + 1} has all the {GOODS[good]} it asks for"
    return f"contract {contract + 1} does not ask for {GOODS[good]}"
