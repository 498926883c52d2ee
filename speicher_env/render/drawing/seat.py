"""The panel of a seat: numbers in the first row, then cubes, then cards and contracts."""

from __future__ import annotations

import numpy as np

from speicher_env.render.drawing import icons
from speicher_env.render.drawing.facts import by_kind, goods_of, owned
from speicher_env.render.drawing.pen import circle, group, moved, path, rect, text, text_width
from speicher_env.render.sentences import points
from speicher_env.render.words import (
    KIND_NAMES,
    card_name,
    cards_by_kind,
    contract_goods,
    contract_value,
    counted,
    counted_cubes,
    plural,
    seat_name,
)
from speicher_env.rules.cards import CARD_IDS, COFFEE_ROASTER, FIREMAN, FIREMAN_1, GOODS, N_GOODS, SHIP, WAREHOUSE
from speicher_env.rules.loading import capacity
from speicher_env.rules.state import OVER, WORKERS

__all__ = ["HEIGHT", "WIDTH", "seat"]

WIDTH, HEIGHT = 460, 200
CELL = 54
"""Width of one number of the first row."""
CUBE = 18
CUBES_SHOWN = 11
"""If a place has more cubes, they are drawn as a cube and a number for each good."""
ROW = 28
"""Height of a row of cards."""
HOLDINGS_TOP = 86
HOLDINGS_SCALES = (1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Sizes of cards and contracts: the first at which all of them fit."""


def seat(state: np.void, number: int, you: int | None, legal: list[str]) -> str:
    """The panel of a seat."""
    deciding = number == state["player"]
    line, thick = ("@active", 2.6) if deciding else ("@line", 1)
    drawing = rect(1, 1, WIDTH - 2, HEIGHT - 2, "@panel", line, 10, thick)
    drawing += path(f"M6 14V{HEIGHT - 14}", stroke=f"@seat{number}", stroke_width=4)
    drawing += moved(16, 11, icons.token(number, 30)) + _name(state, number, you) + _numbers(state, number)
    drawing += path(f"M16 50H{WIDTH - 12}", stroke="@line") + moved(16, 55, _cubes(state, number, legal))
    drawing += moved(16, HOLDINGS_TOP, _holdings(state, number, legal))
    return group(drawing, seat=str(number))


def _name(state: np.void, number: int, you: int | None) -> str:
    name = "You" if number == you else seat_name(number).capitalize()
    deciding, first = number == state["player"], number == state["first_player"] and state["phase"] != OVER
    note = "decides" if deciding else ""
    if state["bought"][number]:
        note = f"bought {state['bought'][number]}"
    drawing = text(54, 26 if note or first else 31, name, 16, bold=True)
    x = 54.0
    if first:
        drawing += group(moved(x, 31, icons.marker(13)), "First player")
        x += 17
    return drawing + (text(x, 42, note, 11.5, "@active" if deciding else "@muted") if note else "")


def _numbers(state: np.void, number: int) -> str:
    """Workers in hand, coins, firemen, fire points and points, each with a picture and a name."""
    fire = int(state["fire_points"][number])
    total = sum(points(state, number))
    firemen, coins = int(state["firemen"][number]), int(state["coins"][number])
    cells = (
        (CELL + 26, _workers(state, number), "workers", f"{counted(int(state['workers'][number]), 'worker')} in hand"),
        (CELL, _figure(circle(8, 8, 6.5, "@coin", "@coin_line", 1.2), coins), "coins", counted(coins, "coin")),
        (CELL, _figure(icons.kind(FIREMAN, 17, "@muted"), firemen), "firemen", f"Firemen of {firemen} in all"),
        (CELL, _figure(icons.flame("", 17), _signed(fire)), "fires", f"Fires brought {_signed(fire)} points"),
        (CELL + 4, _total(total), "points", f"{counted(total, 'point')} as if the game ended now"),
    )  # fmt: skip
    drawing, x = "", float(WIDTH - 12 - sum(cell[0] for cell in cells))
    for width, figure, name, words in cells:
        label = text(width / 2, 43, name, 10.5, "@muted", anchor="middle")
        drawing += moved(x, 0, group(moved(width / 2, 10, figure) + label, words))
        x += width
    return drawing


def _figure(icon: str, value: object) -> str:
    """An icon and a number, centred."""
    wide = text_width(str(value), 16, True) * 0.92
    left = -(19 + wide) / 2
    return moved(left, 1, icon) + text(left + 20, 15.5, value, 16, bold=True)


def _total(value: int) -> str:
    return text(0, 16.5, _minus(value), 22, bold=True, anchor="middle")


def _workers(state: np.void, number: int) -> str:
    in_hand = int(state["workers"][number])
    return "".join(
        moved(-34 + 24 * place, -1, icons.token(number, 20) if place < in_hand else icons.empty_token(number, 20))
        for place in range(WORKERS)
    )


def _minus(value: int) -> str:
    return str(value).replace("-", "−")


def _signed(value: int) -> str:
    return f"+{value}" if value > 0 else _minus(value)


# Cubes


def _cubes(state: np.void, number: int, legal: list[str]) -> str:
    """The cubes in the pool with the room for them, and the cubes on ships bought this round."""
    pool, room = goods_of(state["cubes"][number]), int(capacity(state, number))
    label = f"{len(pool)} of {room}"
    drawing = group(
        moved(0, 3, icons.kind(WAREHOUSE, 16, "@muted")) + text(20, 16, label, 12, "@muted"),
        f"{counted(len(pool), 'cube')} kept or being loaded, room for {room} at the end of loading",
    )
    legal_now = legal if number == state["player"] else []
    stored, x = _pool(state, number, pool, room, legal_now)
    drawing += moved(68, 2, stored)
    aboard = goods_of(state["aboard"][number])
    if aboard:
        drawing += group(
            moved(68 + x + 14, 3, icons.kind(SHIP, 17, "@muted"))
            + moved(68 + x + 36, 2, _row(state["aboard"][number], "aboard", [])[0]),
            f"On ships bought this round: {counted_cubes(int(n) for n in state['aboard'][number])}",
        )
    return drawing


def _pool(state: np.void, number: int, pool: list[int], room: int, legal: list[str]) -> tuple[str, float]:
    drawing, x = _row(state["cubes"][number], "pool", legal)
    for place in range(len(pool), room):
        drawing += rect(place * (CUBE + 3) + 1, 1, CUBE - 2, CUBE - 2, "none", "@faint", 3, 1, "2 2")
    return drawing, max(x, room * (CUBE + 3.0))


def _row(amounts: np.ndarray, place: str, legal: list[str]) -> tuple[str, float]:
    """Cubes one by one, or with many of them a number for each good; and the width of the row."""
    many = int(amounts.sum()) > CUBES_SHOWN
    drawing, x = "", 0.0
    for good in range(N_GOODS):
        count = int(amounts[good])
        for which in range(min(count, 1) if many else count):
            action = f"discard {GOODS[good]}" if which == 0 and f"discard {GOODS[good]}" in legal else ""
            hit = rect(0, 0, CUBE, CUBE, "transparent", radius=3, extra=' class="hit"') if action else ""
            css = "legal" if action else ""
            one = group(icons.cube(good, CUBE) + hit, good=GOODS[good], place=place, action=action, css=css)
            drawing += moved(x, 0, one)
            x += CUBE + 3
        if many and count:
            drawing += text(x, 14, count, 13, bold=True)
            x += text_width(str(count), 13, True) + 6
    return drawing, x


# Cards and contracts


def _holdings(state: np.void, number: int, legal: list[str]) -> str:
    """Cards, then contracts, in rows. If they do not fit, without a break between them, then smaller."""
    contracts, others = owned(state, number)
    legal_now = legal if number == state["player"] else []
    chips = [_chip(state, kind, cards, legal_now) for kind, cards in by_kind(others)]
    slips = [_contract(state, card, legal_now) for card in contracts]
    if not chips and not slips:
        return text(0, 18, "no cards yet", 12, "@muted")
    for scale in HOLDINGS_SCALES:
        for blocks in ([chips, slips], [chips + slips]):
            drawing, tall = _flowed(blocks, (WIDTH - 26) / scale)
            if tall * scale <= HEIGHT - HOLDINGS_TOP - 6:
                return moved(0, 0, drawing, scale)
    return moved(0, 0, drawing, scale)


def _flowed(blocks: list[list[tuple[str, float]]], width: float) -> tuple[str, float]:
    """Pieces in rows, a new row for each block; and the height of all rows."""
    drawing, y = "", 0.0
    for block in blocks:
        x = 0.0
        for piece, wide in block:
            if x and x + wide > width:
                x, y = 0.0, y + ROW
            drawing += moved(x, y, piece)
            x += wide + 6
        y += ROW if block else 0
    return drawing, y


def _chip(state: np.void, kind: int, cards: list[int], legal: list[str]) -> tuple[str, float]:
    """Cards of one kind: picture, name and number; firemen with their values."""
    name = str(KIND_NAMES[kind])
    if kind == FIREMAN:
        values = " ".join(str(state["fireman_value"][card - FIREMAN_1]) for card in cards)
        name = f"{name if len(cards) == 1 else plural(name)} {values}"
    elif len(cards) > 1:
        name = counted(len(cards), name)
    width = 28 + text_width(name, 12)
    action = ""
    if COFFEE_ROASTER <= kind < COFFEE_ROASTER + N_GOODS:
        action = f"sell {GOODS[kind - COFFEE_ROASTER]}"
        action = action if action in legal else ""
    drawing = rect(0.5, 0.5, width - 1, 23, "@paper", "@active" if action else "@line", 6)
    drawing += moved(4, 3.5, icons.kind(kind, 17)) + text(25, 16.2, name, 12)
    if action:
        drawing += rect(0.5, 0.5, width - 1, 23, "transparent", radius=6, extra=' class="hit"')
    cards_named = " ".join(CARD_IDS[card] for card in cards)
    words = ", ".join(cards_by_kind(state, cards))
    return group(drawing, words, card=cards_named, action=action, css="legal" if action else ""), width


def _contract(state: np.void, contract: int, legal: list[str]) -> tuple[str, float]:
    """A contract: its number, a socket for every good, filled or open, and its points."""
    goods = contract_goods(state, contract)
    missing = [int(amount) for amount in state["missing"][contract]]
    complete = not any(missing)
    value = f"{contract_value(state, contract)}"
    number = str(contract + 1)
    left = 24 + text_width(number, 11)
    width = left + len(goods) * 21 + 8 + text_width(value, 13, True) + (14 if complete else 0)
    ground, line = ("@active_soft", "@active") if complete else ("@panel", "@line")
    drawing = rect(0.5, 0.5, width - 1, 24, ground, line, 5)
    drawing += moved(4, 4.5, icons.kind(0, 16, "@muted")) + text(20.5, 16.6, number, 11, "@muted")
    x = left
    filled = [goods.count(good) - missing[good] for good in range(N_GOODS)]
    offered: set[int] = set()
    for good in goods:
        if filled[good] > 0:
            filled[good] -= 1
            drawing += moved(x, 3.5, icons.cube(good, 18))
        else:
            action = f"deliver {GOODS[good]} contract_{contract + 1}"
            socket = icons.open_socket(good, 18)
            if action in legal and good not in offered:
                offered.add(good)
                hit = rect(0, 0, 18, 18, "transparent", "@active", 3, 2, extra=' class="hit"')
                socket = group(socket + hit, f"Deliver {GOODS[good]}", action=action, css="legal")
            drawing += moved(x, 3.5, socket)
        x += 21
    drawing += text(x + 3, 17.2, value, 13, bold=True)
    if complete:
        drawing += moved(width - 17, 5.5, icons.tick(13))
    needs = counted_cubes(missing)
    words = f"{card_name(state, contract)}, {value} points: {f'still needs {needs}' if needs else 'complete'}"
    return group(drawing, words, contract=CARD_IDS[contract], card=CARD_IDS[contract]), width
