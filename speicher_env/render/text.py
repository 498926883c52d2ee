"""The table as text, complete enough to play from, at most 100 columns wide.

Each part of the table is a function that returns its lines. Only public things are read: of the pile and the bag what
is left, never in which order; and never the seed.
"""

from __future__ import annotations

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be
from speicher_env.render.ansi import paint
from speicher_env.render.legal import legal_actions
from speicher_env.render.lines import rule, table_head, table_row, unbroken, wrapped
from speicher_env.render.sentences import points, question, result, season_name_now, sentence, standing
from speicher_env.render.words import (
    cards_by_kind,
    column_effect,
    column_title,
    contract_value,
    counted,
    counted_cubes,
    cubes_placed,
    seat_name,
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
from speicher_env.rules.loading import capacity
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.state import DISCARDED, EMPTY, IN_PILE, OVER, PHASES
from speicher_env.rules.supply import supply_start

__all__ = ["WIDTH", "seat_numbers", "text"]

WIDTH = 100
CARD_WIDTH = 31
"""Room for a card's title and for what it does."""
WORKER_WIDTH = 8
"""Room for one worker in a queue; eight of them fill the line."""
LABEL_WIDTH = 18
"""Room for the labels before the lines of a seat or a season."""
MOVES_IN_FULL = 4
"""Moves of one kind at the market hall that are listed; if there are more, they are summed up."""


def text(state: np.void, seat: int | None = None, color: bool = False) -> str:
    """The table as a player sees it, without a line break at the end.

    Args:
        state: One game, a record of dtype `STATE`.
        seat: The reader's seat, marked "you". Nothing else differs, because all players see the same.
        color: Whether to add ANSI colours for seats and goods.
    """
    players = int(state["players"])
    if seat is not None and not 0 <= seat < players:
        raise ArgumentError(must_be("seat", seat, f"a seat 0..{players - 1} or None"))
    if state["phase"] == OVER:
        parts = [_title(state), _result(state, seat), _breakdown(state, seat), _seats(state, seat), _cubes(state)]
    else:
        parts = [
            _title(state),
            _decision(state, seat),
            _columns(state, seat),
            _seats(state, seat),
            _cubes(state),
            _pile(state),
        ]
    plain = "\n".join(line.rstrip() for part in parts for line in part)
    return paint(plain, seat) if color else plain


def _sentence(words: str) -> list[str]:
    return wrapped("", 2, sentence(words), WIDTH)


# The head: the round, the phase and the question.


def _title(state: np.void) -> list[str]:
    if state["phase"] == OVER:
        return [rule(standing(state), WIDTH, "═")]
    return [rule(f"{standing(state)} · {season_name_now(state)} · {PHASES[state['phase']]}", WIDTH, "═")]


def _decision(state: np.void, seat: int | None) -> list[str]:
    return [*_sentence(question(state, seat)), *wrapped("  Moves:", 9, _moves(state), WIDTH)]


def _moves(state: np.void) -> str:
    """The legal actions as they are typed; those of the market hall only in general where they are many."""
    by_verb: dict[str, list[str]] = {}
    for action in legal_actions(state):
        by_verb.setdefault(action.verb, []).append(action.text)
    for verb, general in (
        ("convert", "convert G G G to H (3 cubes for 1 that the stock holds"),
        ("trade", "trade G G (2 cubes for 1 coin"),
    ):
        ways = len(by_verb.get(verb, ()))
        if ways > MOVES_IN_FULL:
            by_verb[verb] = [f"{general}, {ways} ways)"]
    return unbroken([move for moves in by_verb.values() for move in moves], " | ")


# The columns.


def _columns(state: np.void, you: int | None) -> list[str]:
    columns = range(int(state["players"]) + 1)
    if all(state["card"][column] == EMPTY for column in columns):
        return [rule("Columns", WIDTH), "  All cards are sold or discarded."]
    heading = "Columns ".ljust(2 + CARD_WIDTH, "─")
    lines = [rule(f"{heading} Workers, lowest first: price each pays now (needs: has less)", WIDTH)]
    for column in columns:
        mark = ">" if column == state["offer"] else " "
        if state["card"][column] == EMPTY:
            lines.append(f"{mark} {column}  (sold or discarded)")
            continue
        workers, prices = _queue(state, column, you)
        lines.append(f"{mark} {column}  {column_title(state, column):{CARD_WIDTH}} {workers}")
        lines.append(f"     {column_effect(state, column):{CARD_WIDTH}} {prices}")
    return lines


def _queue(state: np.void, column: int, you: int | None) -> tuple[str, str]:
    """The workers above a card, and below each what its owner pays or would need to have."""
    standing = int(state["standing"][column])
    workers, prices = "", ""
    for space in range(standing):
        seat = int(state["queue"][column][space])
        price = standing - space
        workers += ("you" if seat == you else seat_name(seat)).ljust(WORKER_WIDTH)
        prices += f"{'pays' if price <= state['coins'][seat] else 'needs'} {price}".ljust(WORKER_WIDTH)
    return workers or "no workers", prices


# The seats.


_SEAT_WIDTH = 30
_SEAT_TABLE = (
    ("coins", 7),
    ("workers", 10),
    ("bought", 9),
    ("firemen", 10),
    ("fire points", 14),
    ("points", 9),
    ("cubes", 10),
)
"""Headings over the seats' numbers and the width of each cell."""


def _seats(state: np.void, you: int | None) -> list[str]:
    lines = [table_head("Seats", _SEAT_WIDTH, _SEAT_TABLE, WIDTH)]
    for seat in range(int(state["players"])):
        mark = ">" if seat == state["player"] else " "
        first = ", first player" if seat == state["first_player"] else ""
        lines.append(
            table_row(f"{mark} {seat_name(seat, you)}{first}", _SEAT_WIDTH, seat_numbers(state, seat), _SEAT_TABLE)
        )
        lines += _holdings(state, seat)
    return lines


def seat_numbers(state: np.void, seat: int) -> tuple[object, ...]:
    """What stands in the table of the seats, below the headings coins, workers, bought and so on."""
    sources = points(state, seat)
    return (
        int(state["coins"][seat]),
        int(state["workers"][seat]),
        int(state["bought"][seat]),
        int(state["firemen"][seat]),
        _signed(sources[0]),
        sum(sources),
        f"{int(state['cubes'][seat].sum())} of {int(capacity(state, seat))}",
    )


def _holdings(state: np.void, seat: int) -> list[str]:
    lines = []
    cards = _cards(state, seat)
    if cards:
        lines += wrapped("    cards", LABEL_WIDTH, cards, WIDTH)
    for label, field in (("    cubes", "cubes"), ("    on ships", "aboard")):
        cubes = counted_cubes(int(amount) for amount in state[field][seat])
        if cubes:
            lines += wrapped(label, LABEL_WIDTH, cubes, WIDTH)
    for contract in range(N_CONTRACTS):
        if state["owner"][contract] == seat:
            lines += wrapped(f"    contract {contract + 1}", LABEL_WIDTH, _contract(state, contract), WIDTH)
    return lines


def _cards(state: np.void, seat: int) -> str:
    """A seat's cards without its contracts, which have lines of their own."""
    cards = [card for card in range(N_CARDS) if state["owner"][card] == seat and KIND_OF[card] != CONTRACT]
    return unbroken(cards_by_kind(state, cards), ", ")


def _contract(state: np.void, contract: int) -> str:
    value = contract_value(state, contract)
    placed = counted_cubes(cubes_placed(state, contract))
    missing = counted_cubes(int(amount) for amount in state["missing"][contract])
    if not missing:
        return f"{value:2} points · complete: {placed}"
    return f"{value:2} points · placed: {placed or 'none'} · missing: {missing}"


def _signed(amount: int) -> str:
    return f"{amount:+d}" if amount else "0"


# Stock, bag and pile.


_CUBE_TABLE = tuple((good, 10) for good in (*GOODS, "in all"))


def _cubes(state: np.void) -> list[str]:
    bag = state["bag"][state["bag_next"] :]
    in_stock = [int(amount) for amount in state["stock"]]
    in_bag = [int(np.sum(bag == good)) for good in range(len(GOODS))]
    return [
        table_head("Cubes", LABEL_WIDTH, _CUBE_TABLE, WIDTH),
        table_row("  stock", LABEL_WIDTH, (*in_stock, sum(in_stock)), _CUBE_TABLE),
        table_row("  bag", LABEL_WIDTH, (*in_bag, sum(in_bag)), _CUBE_TABLE),
    ]


def _pile(state: np.void) -> list[str]:
    hidden = [card for card in range(N_CARDS) if state["owner"][card] == IN_PILE]
    lines = [rule(f"Draw pile: {counted(len(hidden), 'card')}, season by season", WIDTH)]
    for season, name in enumerate(SEASON_NAMES):
        cards = [card for card in hidden if SEASON_OF[card] == season]
        if cards:
            lines += wrapped(
                f"  {name:10}{len(cards):3}", LABEL_WIDTH, unbroken(cards_by_kind(state, cards), ", "), WIDTH
            )
    return [*lines, *wrapped("  fires so far", LABEL_WIDTH, _fires_so_far(state), WIDTH)]


def _fires_so_far(state: np.void) -> str:
    burnt = [FIRE_1 + fire for fire in range(N_FIRES) if state["owner"][FIRE_1 + fire] == DISCARDED]
    if not burnt:
        return "none"
    values = {card: str(state["fire_value"][card - FIRE_1]) for card in burnt}
    supplied = state["pile"][supply_start(state) : state["pile_next"]].tolist()
    now = [values[card] for card in supplied if card in values]
    supply = f"; {listed(now)} in this round's supply" if now else ""
    return listed(list(values.values())) + supply


# The end.


def _result(state: np.void, you: int | None) -> list[str]:
    return _sentence(result(state, you))


def _breakdown(state: np.void, you: int | None) -> list[str]:
    seats = range(int(state["players"]))
    by_seat = [points(state, seat) for seat in seats]
    table = [(seat_name(seat, you), 15) for seat in seats]
    lines = [table_head("Points", 24, table, WIDTH)]
    for place, source in enumerate(SOURCES):
        lines.append(table_row(f"  {source_name(source)}", 24, [amounts[place] for amounts in by_seat], table))
    lines.append(table_row("  in all", 24, [sum(amounts) for amounts in by_seat], table))
    lines.append(table_row("  coins", 24, [int(state["coins"][seat]) for seat in seats], table))
    return lines
