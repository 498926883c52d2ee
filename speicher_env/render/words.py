"""Cards, cubes, seats, sources of points and moves in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from speicher_env.messages import must_be
from speicher_env.render.legal import is_legal
from speicher_env.rules.actions import ACTIONS, Action, parse_action
from speicher_env.rules.cards import (
    CONTRACT,
    CONTRACT_POINTS,
    FIRE,
    FIRE_1,
    FIREMAN,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    KINDS,
    MERCHANT_1,
    MERCHANTS,
    SHIP,
    ST_MICHAELIS,
)
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.state import EMPTY, WAREHOUSE_SPACE

__all__ = [
    "EFFECTS", "KIND_NAMES", "buyer", "card_name", "cards_by_kind", "column_effect", "column_in_words", "column_title",
    "contract_goods", "contract_value", "counted", "counted_cubes", "cube_given", "cubes_placed", "move_in_words",
    "move_label", "plural", "seat_name", "seat_sign", "source_name",
]  # fmt: skip

KIND_NAMES = tuple(
    {"boatsmen_church": "boatsmen's church", "st_michaelis": "St. Michaelis"}.get(kind, kind.replace("_", " "))
    for kind in KINDS
)
"""The name of each kind of card, in the order of the kind numbers."""

_PLURALS = {"fireman": "firemen", "inaccuracy": "inaccuracies"}

_OFFICES = ", ".join(str(points) for points in OFFICE_POINTS[1:])
EFFECTS = {
    "counting_office": f"{_OFFICES} points for 1 to 4",
    "fireman": "counted at every fire",
    "warehouse": f"keeps {WAREHOUSE_SPACE} cubes, 1 point each",
    "bank": "1 more coin every income",
    "boatsmen_church": f"{CHURCH_POINTS} points",
    "st_michaelis": f"{MICHAELIS_POINTS} points",
    "chamber_of_commerce": "1 point per coin at the end",
    "port": "1 point per ship at the end",
}
EFFECTS |= {MERCHANTS[good]: f"1 coin a {name} cube, 1 point" for good, name in enumerate(GOODS)}
"""The effect of a card of these kinds, at most 31 characters. Other cards show their goods instead."""


def plural(noun: str) -> str:
    """'coins', 'firemen'."""
    return _PLURALS.get(noun, noun + "s")


def counted(count: int, noun: str) -> str:
    """'1 coin', '2 coins', '0 coins'."""
    return f"{count} {noun if count == 1 else plural(noun)}"


def counted_cubes(amounts: Iterable[int]) -> str:
    """Cubes by good: '2 coffee, 1 tea'; empty for no cubes."""
    return ", ".join(f"{amount} {good}" for good, amount in zip(GOODS, amounts, strict=True) if amount)


def seat_sign(seat: int, you: int | None = None) -> str:
    """'#1', or 'you' for the reader's seat: a seat where there is little room. People count seats from 1."""
    return "you" if seat == you else f"#{seat + 1}"


def source_name(source: str) -> str:
    """A source of points (one of `SOURCES`): 'St. Michaelis', 'counting offices'."""
    return KIND_NAMES[KINDS.index(source)] if source in KINDS else source.replace("_", " ")


def seat_name(seat: int, you: int | None = None) -> str:
    """'seat 1', or 'seat 1 (you)' for the reader's seat. People count seats from 1."""
    return f"seat {seat + 1} (you)" if seat == you else f"seat {seat + 1}"


def contract_goods(state: np.void, contract: int) -> list[int]:
    """Goods of a contract, in the order of the card."""
    return [int(good) for good in state["contract_goods"][contract] if good != EMPTY]


def contract_value(state: np.void, contract: int) -> int:
    """Points of a contract once it is complete."""
    return int(CONTRACT_POINTS[len(contract_goods(state, contract))])


def cubes_placed(state: np.void, contract: int) -> list[int]:
    """Cubes that lie on a contract, counted by good."""
    goods = contract_goods(state, contract)
    return [goods.count(good) - int(state["missing"][contract][good]) for good in range(len(GOODS))]


def card_name(state: np.void, card: int) -> str:
    """A trade card with its number or value: 'ship', 'contract 4', 'fireman of value 3'."""
    kind = KIND_OF[card]
    if kind == CONTRACT:
        return f"contract {card + 1}"
    if kind == FIREMAN:
        return f"fireman of value {state['fireman_value'][card - FIREMAN_1]}"
    return str(KIND_NAMES[kind])


def cards_by_kind(state: np.void, cards: Sequence[int]) -> list[str]:
    """Cards without their numbers, by kind: 'warehouse', '3 ships', '2 firemen (1, 4)', 'fire (2)'."""
    named = []
    for kind, name in enumerate(KIND_NAMES):
        of_kind = [card for card in cards if KIND_OF[card] == kind]
        if not of_kind:
            continue
        words = name if len(of_kind) == 1 else counted(len(of_kind), name)
        if kind == FIREMAN:
            words += f" ({', '.join(str(state['fireman_value'][card - FIREMAN_1]) for card in of_kind)})"
        elif kind == FIRE:
            words += f" ({', '.join(str(state['fire_value'][card - FIRE_1]) for card in of_kind)})"
        named.append(words)
    return named


def column_title(state: np.void, column: int) -> str:
    """The card in a column, as `card_name`, with the points of a contract."""
    card = int(state["card"][column])
    points = f", {contract_value(state, card)} points" if KIND_OF[card] == CONTRACT else ""
    return card_name(state, card) + points


def column_goods(state: np.void, column: int) -> str:
    """Cubes on the ship, or goods of the contract, in a column: 'tea coffee tea'; empty for other cards."""
    card = int(state["card"][column])
    if KIND_OF[card] == SHIP:
        return " ".join(GOODS[good] for good in state["cargo"][column])
    if KIND_OF[card] == CONTRACT:
        return " ".join(GOODS[good] for good in contract_goods(state, card))
    return ""


def column_effect(state: np.void, column: int) -> str:
    """The effect or the goods of the card in a column, at most 31 characters."""
    kind = KINDS[KIND_OF[state["card"][column]]]
    if kind in EFFECTS:
        return EFFECTS[kind]
    return column_goods(state, column)


def column_in_words(state: np.void, column: int) -> str:
    """A column's card in a sentence: 'the ship (tea coffee tea)', 'contract 4 (tea tea carpet)', 'the warehouse'."""
    card = int(state["card"][column])
    article = "" if KIND_OF[card] in (CONTRACT, ST_MICHAELIS) else "the "
    goods = column_goods(state, column)
    return article + card_name(state, card) + (f" ({goods})" if goods else "")


def cube_given(move: Action) -> str:
    """The good of the one cube that a move gives."""
    return GOODS[move.gives.index(1)]


def buyer(move: Action) -> str:
    """The merchant that buys the cube of a `sell`."""
    return str(KIND_NAMES[KIND_OF[MERCHANT_1 + move.gives.index(1)]])


def move_in_words(state_before: np.void, action: int | str) -> str:
    """A move as a sentence without its full stop.

    Args:
        state_before: The state in which the move is made.
        action: One of the 184 actions, as id or text.

    Raises:
        UnknownAction: If there is no such action.
        ValueError: If it is not legal in that state.
    """
    move = ACTIONS[parse_action(action)]
    if not is_legal(state_before, move.id):
        raise ValueError(must_be("action", move.text, "legal in the state in which the move is made"))
    return f"{seat_name(int(state_before['player']))} {_deed(state_before, move)}"


def _deed(state: np.void, move: Action) -> str:
    column = int(state["offer"])
    gives = counted_cubes(move.gives)
    if move.verb == "place":
        assert move.column is not None
        goods = column_goods(state, move.column)
        return (
            f"places a worker above column {move.column}"
            f" ({column_title(state, move.column)}{': ' if goods else ''}{goods})"
        )
    if move.verb == "buy":
        return f"buys {column_in_words(state, column)} for {counted(int(state['standing'][column]), 'coin')}"
    if move.verb == "pass":
        return f"passes on {column_in_words(state, column)} at {counted(int(state['standing'][column]), 'coin')}"
    if move.verb == "deliver":
        assert move.contract is not None
        return f"delivers {gives} to contract {move.contract + 1}{_after_delivery(state, move)}"
    if move.verb == "sell":
        return f"sells {gives} to the {buyer(move)} for 1 coin"
    if move.verb == "convert":
        assert move.takes is not None
        return f"changes {gives} into 1 {GOODS[move.takes]} at the market hall"
    if move.verb == "trade":
        return f"sells {gives} at the market hall for 1 coin"
    if move.verb == "discard":
        return f"puts {gives} into the stock, having no room for it"
    kept = counted_cubes(int(cubes) for cubes in state["cubes"][state["player"]])
    return f"ends its loading and keeps {kept or 'no cube'}"


def _after_delivery(state: np.void, move: Action) -> str:
    contract = move.contract
    assert contract is not None
    missing = counted_cubes(
        int(before) - given for before, given in zip(state["missing"][contract], move.gives, strict=True)
    )
    if missing:
        return f", which still needs {missing}"
    return f" and completes it for {contract_value(state, contract)} points"


def move_label(state: np.void, move: Action) -> str:
    """A move as a button says it, legal or not: 'Buy the bank', 'Deliver tea to contract 4'."""
    gives = counted_cubes(move.gives)
    if move.verb == "place":
        return f"Column {move.column}: {_card_in_column(state, move.column)}"
    if move.verb in ("buy", "pass"):
        if state["offer"] == EMPTY:
            return {"buy": "Buy the card on offer", "pass": "Pass"}[move.verb]
        column = int(state["offer"])
        price = counted(int(state["standing"][column]), "coin")
        return f"Buy {column_in_words(state, column)} for {price}" if move.verb == "buy" else "Pass"
    if move.verb == "deliver":
        assert move.contract is not None
        return f"Deliver {cube_given(move)} to contract {move.contract + 1}"
    if move.verb == "sell":
        return f"Sell {cube_given(move)} to the {buyer(move)}"
    if move.verb == "convert":
        assert move.takes is not None
        return f"{gives} for 1 {GOODS[move.takes]}"
    if move.verb == "trade":
        return f"{gives} for 1 coin"
    if move.verb == "discard":
        return f"Throw away {cube_given(move)}"
    return "End loading"


def _card_in_column(state: np.void, column: int | None) -> str:
    if column is None or column > state["players"] or state["card"][column] == EMPTY:
        return "no card"
    goods = column_goods(state, column)
    return column_title(state, column) + (f" ({goods.replace(' ', ', ')})" if goods else "")
