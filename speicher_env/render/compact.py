"""The table as text for a small terminal: at most 80 columns wide, and some 20 lines high.

Seats are written #0, #1 and so on, and of what seats hold only the reader's is listed; `everything` lists all of it,
and the pile. Like `render.text`, it reads public things only.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.render.ansi import paint
from speicher_env.render.lines import Headings, rule, table_head, table_row, unbroken, wrapped
from speicher_env.render.sentences import points, question, result, season_name_now, sentence, standing
from speicher_env.render.text import seat_numbers
from speicher_env.render.words import (
    cards_by_kind,
    column_effect,
    column_title,
    contract_value,
    counted_cubes,
    seat_sign,
    source_name,
)
from speicher_env.rules.cards import (
    CONTRACT,
    FIRE_1,
    GOODS,
    KIND_OF,
    N_CARDS,
    N_CONTRACTS,
    N_FIRES,
    SEASON_NAMES,
    SEASON_OF,
)
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.state import DEMAND, DISCARDED, EMPTY, IN_PILE, OVER, PHASES, PURCHASE

__all__ = ["COMPACT_WIDTH", "compact"]

COMPACT_WIDTH = 80
CARD_WIDTH = 51
"""Room for a column's number, its card and what that does."""
INDENT = 11
"""Room for the labels before what a seat holds."""


def compact(state: np.void, seat: int | None = None, color: bool = False, everything: bool = False) -> str:
    """The table as a player sees it, without a line break at the end.

    Args:
        state: One game, a record of dtype `STATE`.
        seat: The reader's seat, marked "you", whose cards, cubes and contracts are listed.
        color: Whether to add ANSI colours for seats and goods.
        everything: Whether to list what all seats hold, and the pile, in as many lines as that takes.
    """
    players = int(state["players"])
    if seat is not None and not 0 <= seat < players:
        raise ArgumentError(must_be("seat", seat, f"a seat 0..{players - 1} or None"))
    over = state["phase"] == OVER
    lines = [*_head(state, seat), *_columns(state, seat), *(_breakdown if over else _seats)(state, seat)]
    if everything:
        for each in range(players):
            lines += _holdings(state, each, seat_sign(each, seat).capitalize())
        lines += [*_cubes(state), *_pile(state)]
    else:
        if seat is not None:
            lines += _holdings(state, seat, "You have")
        lines += _supplies(state)
    plain = "\n".join(line.rstrip() for line in lines)
    return paint(plain, seat) if color else plain


def _head(state: np.void, you: int | None) -> list[str]:
    burnt = [str(state["fire_value"][fire]) for fire in range(N_FIRES) if state["owner"][FIRE_1 + fire] == DISCARDED]
    fires = f" · fires so far: {', '.join(burnt) or 'none'}"
    if state["phase"] == OVER:
        return [rule(standing(state), COMPACT_WIDTH, "═"), *_wrapped("", 2, sentence(result(state, you)))]
    heading = f"{standing(state)} · {season_name_now(state)} · {PHASES[state['phase']]}{fires}"
    how = {DEMAND: " Type a column.", PURCHASE: " Buy or pass?"}.get(int(state["phase"]), "")
    return [rule(heading, COMPACT_WIDTH, "═"), *_wrapped("", 2, sentence(question(state, you)) + how)]


def _wrapped(label: str, indent: int, words: str) -> list[str]:
    return wrapped(label, indent, words, COMPACT_WIDTH)


# The columns.


def _columns(state: np.void, you: int | None) -> list[str]:
    columns = range(int(state["players"]) + 1)
    if all(state["card"][column] == EMPTY for column in columns):
        return []
    lines = [rule("Cards ".ljust(CARD_WIDTH - 4, "─") + " pays: workers (! lacks it)", COMPACT_WIDTH)]
    for column in columns:
        mark = ">" if column == state["offer"] else " "
        if state["card"][column] == EMPTY:
            lines.append(f"{mark}{column} sold or discarded")
            continue
        card = f"{mark}{column} {column_title(state, column).replace(' points', '')}: {column_effect(state, column)}"
        queue = _queue(state, column, you)
        if max(len(card), CARD_WIDTH - 1) + 1 + len(queue) <= COMPACT_WIDTH:
            lines.append(f"{card:{CARD_WIDTH - 1}} {queue}")
        else:
            lines += [card, f"{queue:>{COMPACT_WIDTH}}"]
    return lines


def _queue(state: np.void, column: int, you: int | None) -> str:
    """What the first worker above a card pays, and all workers there; those behind it pay 1 less each."""
    standing = int(state["standing"][column])
    workers = []
    for space in range(standing):
        seat = int(state["queue"][column][space])
        lacks = "!" if standing - space > state["coins"][seat] else ""
        workers.append(seat_sign(seat, you) + lacks)
    return f"{standing}: {' '.join(workers)}" if workers else "-"


# The seats.


_SEAT_WIDTH = 16
_SEAT_TABLE: Headings = (
    ("coins", 7),
    ("workers", 10),
    ("bought", 8),
    ("firemen", 9),
    ("fire points", 13),
    ("points", 8),
    ("cubes", 9),
)


def _seats(state: np.void, you: int | None) -> list[str]:
    lines = [table_head("Seats", _SEAT_WIDTH, _SEAT_TABLE, COMPACT_WIDTH)]
    for seat in range(int(state["players"])):
        mark = ">" if seat == state["player"] else " "
        name = seat_sign(seat) + (" (you)" if seat == you else "") + (" first" if seat == state["first_player"] else "")
        lines.append(table_row(f"{mark}{name}", _SEAT_WIDTH, seat_numbers(state, seat), _SEAT_TABLE))
    return lines


def _holdings(state: np.void, seat: int, whose: str) -> list[str]:
    cards = [card for card in range(N_CARDS) if state["owner"][card] == seat and KIND_OF[card] != CONTRACT]
    parts = [unbroken(cards_by_kind(state, cards), ", "), counted_cubes(state["cubes"][seat].tolist())]
    if aboard := counted_cubes(state["aboard"][seat].tolist()):
        parts.append(f"on ships {aboard}")
    lines = _wrapped(whose, INDENT, "; ".join(part for part in parts if part) or "nothing")
    contracts = [contract for contract in range(N_CONTRACTS) if state["owner"][contract] == seat]
    if contracts:
        lines += _wrapped("Contracts ", INDENT, unbroken(_by_progress(state, contracts), "; "))
    return lines


def _by_progress(state: np.void, contracts: Iterable[int]) -> list[str]:
    """Contracts with what each lacks, '4 (8): 2 tea, 1 carpet', those that lack least first; complete ones last."""
    open_ones, complete = [], []
    for contract in contracts:
        missing = state["missing"][contract].tolist()
        name = f"{contract + 1} ({contract_value(state, contract)})"
        if any(missing):
            open_ones.append((sum(missing), f"{name} lacks {counted_cubes(missing)}"))
        else:
            complete.append(name)
    words = [text for _, text in sorted(open_ones)]
    return [*words, f"complete {', '.join(complete)}"] if complete else words


def _breakdown(state: np.void, you: int | None) -> list[str]:
    seats = range(int(state["players"]))
    by_seat = [points(state, seat) for seat in seats]
    table = [(seat_sign(seat, you), 8) for seat in seats]
    rows = [(source_name(source), [amounts[place] for amounts in by_seat]) for place, source in enumerate(SOURCES)]
    rows += [("in all", [sum(amounts) for amounts in by_seat]), ("coins", state["coins"][: len(seats)].tolist())]
    return [
        table_head("Points", 24, table, COMPACT_WIDTH),
        *(table_row(f"  {name}", 24, amounts, table) for name, amounts in rows),
    ]


# Stock, bag and pile.


def _hidden(state: np.void) -> list[int]:
    return [card for card in range(N_CARDS) if state["owner"][card] == IN_PILE]


def _supplies(state: np.void) -> list[str]:
    stock = counted_cubes(state["stock"].tolist())
    bag, pile = len(state["bag"]) - int(state["bag_next"]), len(_hidden(state))
    return _wrapped("Stock ", INDENT, f"{unbroken([stock or 'empty', f'bag {bag}', f'pile {pile}'], '; ')}")


def _cubes(state: np.void) -> list[str]:
    bag = state["bag"][state["bag_next"] :]
    in_bag = [int(np.sum(bag == good)) for good in range(len(GOODS))]
    return [
        *_wrapped("Stock ", INDENT, counted_cubes(state["stock"].tolist()) or "empty"),
        *_wrapped("Bag ", INDENT, counted_cubes(in_bag) or "empty"),
    ]


def _pile(state: np.void) -> list[str]:
    lines = []
    for season, name in enumerate(SEASON_NAMES):
        cards = [card for card in _hidden(state) if SEASON_OF[card] == season]
        if cards:
            kinds = unbroken(cards_by_kind(state, cards), ", ")
            lines += _wrapped(f"Pile: {len(cards)} of {name}: ", INDENT, kinds)
    return lines
