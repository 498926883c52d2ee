"""Tables of the actions and their ids."""

from __future__ import annotations

from itertools import combinations_with_replacement

from docs.tables.markdown import code, table
from speicher_env import ACTION_TEXTS, ACTIONS, N_ACTIONS
from speicher_env.rules.actions import BUY, DELIVER, DISCARD, END, PASS, PLACE, SELL, TRADE
from speicher_env.rules.cards import (
    GOODS,
    N_GOODS,
)

FORMULAS = {
    "place": f"{PLACE} + column",
    "buy": f"{BUY}",
    "pass": f"{PASS}",
    "deliver": f"{DELIVER} + {N_GOODS} * contract + good",
    "sell": f"{SELL} + good",
    "convert": "first id of the three goods, see below",
    "trade": f"{TRADE} + first * (9 - first) // 2 + second",
    "discard": f"{DISCARD} + good",
    "end": f"{END}",
}
"""The id of each verb's actions, as Python expressions; a test compares them with the action table."""

_ACTIONS_MEAN = {
    "place": ("place C", "demand: a worker above column C, 0 = leftmost"),
    "buy": ("buy", "purchase: buy the offered card at its price"),
    "pass": ("pass", "purchase: take the worker back"),
    "deliver": ("deliver G K", "loading: one cube of good G to the contract K, `contract_1` to `contract_10`"),
    "sell": ("sell G", "loading: one cube of good G to its merchant, for 1 coin"),
    "convert": ("convert G G G to H", "loading: market hall, three cubes to the stock for one of another good H"),
    "trade": ("trade G G", "loading: market hall, two cubes to the stock for 1 coin"),
    "discard": ("discard G", "loading: one cube to the stock, while there are more than can be kept"),
    "end": ("end", "loading: done for this round"),
}


def actions() -> str:
    """The action table by verb: ranges of ids, texts, formulas."""
    rows = []
    for verb, (text, meaning) in _ACTIONS_MEAN.items():
        ids = [action.id for action in ACTIONS if action.verb == verb]
        span = f"{ids[0]}–{ids[-1]}" if len(ids) > 1 else str(ids[0])
        formula = FORMULAS[verb] if verb == "convert" else code(FORMULAS[verb])
        rows.append((span, len(ids), code(text), formula, meaning))
    rows.append((f"0–{N_ACTIONS - 1}", N_ACTIONS, "", "", ""))
    return table(("ids", "actions", "text", "id", "meaning"), rows, "rrlll")


def conversions() -> str:
    """The ids of `convert`, by the three goods given."""
    rows = []
    for three in combinations_with_replacement(GOODS, 3):
        given = " ".join(three)
        texts = [text for text in ACTION_TEXTS if text.startswith(f"convert {given} to ")]
        ids = [ACTION_TEXTS.index(text) for text in texts]
        rows.append((f"{ids[0]}–{ids[-1]}", given, ", ".join(text.split()[-1] for text in texts)))
    return table(("ids", "given", "taken, in this order"), rows, "rll")


TABLES = {
    "actions": actions,
    "conversions": conversions,
}
