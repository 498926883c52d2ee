"""The columns: each a warehouse front with a card at its gate and a window for each worker above the card."""

from __future__ import annotations

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.facts import queue
from speicher_env.render.drawing.pen import balanced, fitting, group, moved, path, rect, text
from speicher_env.render.words import (
    KIND_NAMES,
    card_name,
    column_effect,
    column_in_words,
    contract_goods,
    contract_value,
    counted,
    seat_name,
)
from speicher_env.rules.cards import CARD_IDS, CONTRACT, FIREMAN, FIREMAN_1, KIND_OF, MERCHANT_1, N_GOODS, SHIP
from speicher_env.rules.state import EMPTY, SPACES, WORKERS

__all__ = ["column", "height"]

GABLE = 28
STEPS = ((42, 21), (28, 13), (14, 6))
"""The stepped gable: half its width at each step, and how far from the top that step is."""
FLOOR = 24
"""Height of one worker's space."""
CARD = 118
TOKEN = 20
WORDS_FROM = 160
"""Columns of this width have room for a word beside each price."""
EAVE = 5
"""Units by which the card and the foot of the gable extend beyond the wall."""


def floors(players: int) -> int:
    """The number of spaces drawn above a card: as many as workers can fill."""
    return min(SPACES, WORKERS * players)


def height(players: int) -> int:
    """Height of a column."""
    return GABLE + FLOOR * floors(players) + CARD


def column(state: np.void, number: int, width: float, legal: list[str]) -> str:
    """One column, `width` wide; its attributes name the actions that a click on it plays."""
    spaces = floors(int(state["players"]))
    card = int(state["card"][number])
    bottom = GABLE + FLOOR * spaces
    if card == EMPTY:
        front = _front(number, width, spaces, faint=True)
        front += rect(1, bottom + 1, width - 2, CARD - 2, "none", "@line", 8, 1.2, "4 4")
        front += text(width / 2, bottom + CARD / 2 - 2, "sold or", 12.5, "@muted", anchor="middle")
        front += text(width / 2, bottom + CARD / 2 + 14, "discarded", 12.5, "@muted", anchor="middle")
        return group(front, f"Column {number}: sold or discarded", column=str(number))
    offered = number == state["offer"]
    place = f"place {number}" if f"place {number}" in legal else ""
    drawing = _front(number, width, spaces)
    drawing += _workers(state, number, width, bottom, legal, bool(place))
    drawing += moved(0, bottom, _card(state, number, width, offered, legal))
    if place:
        drawing += rect(1, 1, width - 2, bottom + CARD - 2, "transparent", radius=8, extra=' class="hit"')
    css = "legal" if place else ""
    return group(drawing, _in_words(state, number), column=str(number), action=place, css=css)


def _front(number: int, width: float, spaces: int, faint: bool = False) -> str:
    """Gable, wall and the joints between the floors."""
    wall = rect(EAVE, GABLE - 1, width - 2 * EAVE, FLOOR * spaces + 2, "@wall")
    for row in range(1, spaces):
        y = GABLE + FLOOR * row
        wall += path(f"M{EAVE} {y}H{width - EAVE:g}", stroke="@joint")
    middle = width / 2
    up = "".join(f"V{y}H{middle - x:g}" for x, y in STEPS)
    down = "".join(f"H{middle + x:g}V{y}" for x, y in reversed(STEPS[:-1]))
    steps = f"M0 {GABLE}{up}V1H{middle + STEPS[-1][0]:g}V{STEPS[-1][1]}{down}H{width:g}V{GABLE}Z"
    gable = path(steps, "@gable") + text(middle, 21, number, 15, "@gable_ink", bold=True, anchor="middle")
    return f'<g opacity="0.35">{wall}{gable}</g>' if faint else wall + gable


def _workers(state: np.void, number: int, width: float, bottom: float, legal: list[str], placing: bool) -> str:
    """A window for each space; the lowest worker is right above the card and pays the most."""
    seats = queue(state, number)
    offered = number == state["offer"]
    drawing = ""
    for space in range(floors(int(state["players"]))):
        y = bottom - FLOOR * (space + 1)
        x = width / 2 - TOKEN - 5
        if space >= len(seats):
            free = placing and space == len(seats)
            window = rect(
                x + 1, y + 3, TOKEN - 2, FLOOR - 6, "@active_soft" if free else "@window",
                "@active" if free else "@frame", 4, 2 if free else 1,
            )  # fmt: skip
            drawing += window + rect(width / 2 + 6, y + 3, TOKEN - 2, FLOOR - 6, "@joint", radius=4)
            continue
        seat, price = seats[space], len(seats) - space
        has = int(state["coins"][seat])
        worker = moved(x, y + 2, icons.token(seat, TOKEN))
        worker += moved(width / 2 + 5, y + 2, icons.coin(price, TOKEN, affordable=price <= has))
        if width >= WORDS_FROM:
            worker += text(width / 2 + 33, y + 16, "pays" if price <= has else "needs", 12, "@muted")
        words = f"{seat_name(seat)} {'pays' if price <= has else 'would need'} {price}, it has {has}"
        if offered and space == 0 and "pass" in legal:
            hit = rect(EAVE, y, width - 2 * EAVE, FLOOR, "transparent", radius=5, extra=' class="hit"')
            worker = group(worker + hit, f"{words}; pass takes it back", action="pass", css="legal")
        else:
            worker = group(worker, words)
        drawing += worker
    return drawing


def _card(state: np.void, number: int, width: float, offered: bool, legal: list[str]) -> str:
    card = int(state["card"][number])
    drawing = rect(1, 1, width - 2, CARD - 2, "@panel", "@active" if offered else "@frame", 8, 2.6 if offered else 1.2)
    name = str(KIND_NAMES[KIND_OF[card]]) if KIND_OF[card] == FIREMAN else card_name(state, card)
    title = f"{name[0].upper()}{name[1:]}"
    drawing += text(width / 2, 22, title, fitting(title, 14, width - 12, True), bold=True, anchor="middle")
    drawing += _face(state, number, width)
    if "buy" in legal and offered:
        hit = rect(1, 1, width - 2, CARD - 2, "transparent", radius=8, extra=' class="hit"')
        price = counted(int(state["standing"][number]), "coin")
        return group(drawing + hit, f"Buy for {price}", card=CARD_IDS[card], action="buy", css="legal")
    return group(drawing, card=CARD_IDS[card])


def _face(state: np.void, number: int, width: float) -> str:
    """The part of a card below its name."""
    card = int(state["card"][number])
    kind = KIND_OF[card]
    middle = width / 2
    if kind == SHIP:
        return _ship([int(good) for good in state["cargo"][number]], middle)
    if kind == CONTRACT:
        goods = contract_goods(state, card)
        size = 26
        left = middle - (len(goods) * (size + 4) - 4) / 2
        sockets = [icons.open_socket(good, size) for good in goods]
        drawing = "".join(moved(left + (size + 4) * place, 36, socket) for place, socket in enumerate(sockets))
        drawing += text(middle, 94, contract_value(state, card), 24, bold=True, anchor="middle")
        return drawing + text(middle, 109, "points if complete", 11, "@muted", anchor="middle")
    if kind == FIREMAN:
        value = state["fireman_value"][card - FIREMAN_1]
        drawing = moved(middle - 44, 34, icons.kind(kind, 44))
        drawing += text(middle + 24, 72, value, 40, bold=True, anchor="middle")
        return drawing + text(middle, 105, "counted at every fire", 11, "@muted", anchor="middle")
    drawing = moved(middle - 21, 31, icons.kind(int(kind), 42))
    lines = balanced(column_effect(state, number), 11.5, width - 14)
    if 0 <= card - MERCHANT_1 < N_GOODS:
        lines = [part.strip() for part in column_effect(state, number).split(",")]
    first = 101 - 7 * (len(lines) - 1)
    return drawing + "".join(
        text(middle, first + 14 * row, line, 11.5, "@muted", anchor="middle") for row, line in enumerate(lines)
    )


def _ship(cargo: list[int], middle: float) -> str:
    """A barge with its cubes on deck."""
    x = middle - 48
    hull = path(f"M{x:g} 82H{x + 96:g}L{x + 82:g} 103H{x + 14:g}Z", "@gable", "@gable", 2)
    waves = "".join(f"T{x + right} 107" for right in range(30, 111, 20))
    water = path(f"M{x - 10:g} 107Q{x:g} 102 {x + 10:g} 107{waves}", stroke="@sea", stroke_width=3)
    flag = path(f"M{middle:g} 50V32V33h16l-5 5l5 5h-16", "@gable", "@gable", 1.6)
    cubes = "".join(moved(middle - 43 + 29 * place, 51, icons.cube(good, 28)) for place, good in enumerate(cargo))
    return flag + cubes + hull + water


def _in_words(state: np.void, number: int) -> str:
    seats = [seat_name(seat) for seat in queue(state, number)]
    workers = f"workers from below: {listed(seats)}" if seats else "no workers"
    offered = ", on offer" if number == state["offer"] else ""
    return f"Column {number}: {column_in_words(state, number)}{offered}; {workers}"
