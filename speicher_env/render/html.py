"""The table as a piece of HTML for notebooks: the picture, and folded away below it two plain tables of text.

A notebook that shows both HTML and SVG prefers HTML, and one that it does not trust drops the picture from it; so the
HTML holds both. No script, no style sheet.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.drawing import svg
from speicher_env.render.words import card_name, cards_by_kind, column_effect, column_title, counted_cubes
from speicher_env.rules.cards import N_CARDS, N_CONTRACTS
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import EMPTY

__all__ = ["html"]

_COLUMN_HEADS = ("column", "card", "", "workers, lowest first", "price")
_SEAT_HEADS = ("seat", "points", "coins", "cubes", "cards")


def html(state: np.void, headline: str) -> str:
    """One game, a record of dtype `STATE`, under a line of text."""
    players = int(state["players"])
    columns = [_column(state, column) for column in range(players + 1) if state["card"][column] != EMPTY]
    seats = [_seat(state, seat) for seat in range(players)]
    tables = f"{_table(_COLUMN_HEADS, columns)}{_table(_SEAT_HEADS, seats)}"
    return f"{svg(state)}<details><summary>{escape(headline)}</summary>{tables}</details>"


def _column(state: np.void, column: int) -> tuple[str, ...]:
    workers = " ".join(str(seat) for seat in state["queue"][column] if seat != EMPTY)
    offered = " (on offer)" if column == state["offer"] else ""
    price = str(state["standing"][column])
    return f"{column}{offered}", column_title(state, column), column_effect(state, column), workers, price


def _seat(state: np.void, seat: int) -> tuple[str, ...]:
    marks = [name for name in ("first_player", "player") if state[name] == seat]
    named = ", ".join([str(seat), *({"first_player": "first player", "player": "decides"}[mark] for mark in marks)])
    own = [card for card in range(N_CARDS) if state["owner"][card] == seat]
    contracts = [_contract(state, card) for card in own if card < N_CONTRACTS]
    others = cards_by_kind(state, [card for card in own if card >= N_CONTRACTS])
    cubes = counted_cubes(state["cubes"][seat] + state["aboard"][seat])
    return named, str(points_of(state, seat)), str(state["coins"][seat]), cubes, ", ".join(others + contracts)


def _contract(state: np.void, contract: int) -> str:
    missing = counted_cubes(state["missing"][contract])
    needs = f"needs {listed(missing.split(', '))}" if missing else "complete"
    return f"{card_name(state, contract)} ({needs})"


def _table(heads: Iterable[str], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
