"""The 184 actions: ids, texts and what each one moves, all from one table.

The numbering is part of the interface and the same for every player count. Within a row it follows the order of the
goods; `deliver` goes contract by contract, `convert` by the three goods given and then by the good taken.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from speicher_env.messages import listed, must_be, nearest
from speicher_env.rules.cards import GOODS, N_CONTRACTS, N_GOODS
from speicher_env.rules.state import LEGAL_WORDS, MAX_COLUMNS

__all__ = [
    "ACTIONS", "ACTION_TEXTS", "BUY", "CONVERT", "DELIVER", "DISCARD", "END", "GIVES", "N_ACTIONS", "PASS",
    "PAYABLE_BY_POOL", "PLACE", "POOL_CAP", "SELL", "SERVED_BY_STOCK", "TAKES", "TRADE", "VERBS", "Action",
    "UnknownAction", "parse_action",
]  # fmt: skip

Amounts = tuple[int, int, int, int, int]


class Action(NamedTuple):
    """One row of the action table, with the parts that a program wants."""

    id: int
    text: str
    verb: str
    column: int | None = None
    """`place`: the column, 0 = leftmost."""
    contract: int | None = None
    """`deliver`: 0 for contract_1."""
    gives: Amounts = (0, 0, 0, 0, 0)
    """Cubes of each good that leave the player."""
    takes: int | None = None
    """`convert`: the good taken from the stock."""


def _amounts(goods: tuple[int, ...]) -> Amounts:
    counts = [goods.count(good) for good in range(N_GOODS)]
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _rows() -> list[Action]:
    table: list[Action] = []

    def add(
        text: str,
        column: int | None = None,
        contract: int | None = None,
        goods: tuple[int, ...] = (),
        takes: int | None = None,
    ) -> None:
        table.append(Action(len(table), text, text.split()[0], column, contract, _amounts(goods), takes))

    for column in range(MAX_COLUMNS):
        add(f"place {column}", column=column)
    add("buy")
    add("pass")
    for contract in range(N_CONTRACTS):
        for good, name in enumerate(GOODS):
            add(f"deliver {name} contract_{contract + 1}", contract=contract, goods=(good,))
    for good, name in enumerate(GOODS):
        add(f"sell {name}", goods=(good,))
    for three in combinations_with_replacement(range(N_GOODS), 3):
        given = " ".join(GOODS[good] for good in three)
        for other in range(N_GOODS):
            if other not in three:
                add(f"convert {given} to {GOODS[other]}", goods=three, takes=other)
    for two in combinations_with_replacement(range(N_GOODS), 2):
        add(f"trade {GOODS[two[0]]} {GOODS[two[1]]}", goods=two)
    for good, name in enumerate(GOODS):
        add(f"discard {name}", goods=(good,))
    add("end")
    return table


ACTIONS = tuple(_rows())
N_ACTIONS = len(ACTIONS)
ACTION_TEXTS = tuple(action.text for action in ACTIONS)
_ID_OF_TEXT = {text: action for action, text in enumerate(ACTION_TEXTS)}
VERBS = tuple(dict.fromkeys(action.verb for action in ACTIONS))


def _first(verb: str) -> int:
    return next(action.id for action in ACTIONS if action.verb == verb)


PLACE, BUY, PASS, DELIVER, SELL = (_first(verb) for verb in ("place", "buy", "pass", "deliver", "sell"))
CONVERT, TRADE, DISCARD, END = (_first(verb) for verb in ("convert", "trade", "discard", "end"))

GIVES = np.array([action.gives for action in ACTIONS], dtype=np.int8)
"""Cubes of each good that an action takes from its player, (184, 5)."""
TAKES = np.array([-1 if action.takes is None else action.takes for action in ACTIONS], dtype=np.int8)
"""The good that a `convert` takes from the stock, else -1."""


class UnknownAction(ValueError):
    """A text or number that is not one of the 184 actions."""


def parse_action(action: str | int) -> int:
    """The id of an action given as text or as id; `UnknownAction` says what is allowed."""
    if isinstance(action, str):
        text = " ".join(action.split())
        if text in _ID_OF_TEXT:
            return _ID_OF_TEXT[text]
        hint = nearest(text, ACTION_TEXTS) or f" that begins with {listed(VERBS, 'or')}"
        raise UnknownAction(must_be("action", action, f"the text of an action{hint}"))
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
        raise UnknownAction(must_be("action", action, f"the text of an action or an id 0..{N_ACTIONS - 1}"))
    if not 0 <= action < N_ACTIONS:
        raise UnknownAction(must_be("action", action, f"an id 0..{N_ACTIONS - 1}"))
    return int(action)


# Which cards of the bag of legal actions a pool or a stock allows, as sets of actions in 64-bit words.
POOL_CAP = 3
"""More than three cubes of one good allow no further market hall action than three do."""


def _as_words(allowed: np.ndarray) -> np.ndarray:
    """Sets of actions, (..., 184) booleans, as (..., 3) words."""
    bits = np.zeros((*allowed.shape[:-1], LEGAL_WORDS * 64), dtype=np.uint8)
    bits[..., :N_ACTIONS] = allowed
    return np.packbits(bits, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def _market_hall_tables() -> tuple[np.ndarray, np.ndarray]:
    """`convert` and `trade` that a pool can pay for, and those that a stock can serve.

    A pool's row is the sum of min(cubes, 3) * 4**good, a stock's row the sum of 2**good over the goods it holds.
    """
    is_market_hall = np.zeros(N_ACTIONS, dtype=bool)
    is_market_hall[CONVERT:DISCARD] = True
    pools = (np.arange(4**N_GOODS)[:, None] >> (2 * np.arange(N_GOODS))) & POOL_CAP
    payable = (pools[:, None, :] >= GIVES[None, :, :]).all(axis=2) & is_market_hall
    stocks = (np.arange(2**N_GOODS)[:, None] >> np.arange(N_GOODS)) & 1
    served = np.where(TAKES >= 0, stocks[:, TAKES] == 1, True)
    return _as_words(payable), _as_words(served)


PAYABLE_BY_POOL, SERVED_BY_STOCK = _market_hall_tables()
