"""The whole table: the places of its parts, in a wide arrangement and in a narrow one for phones.

Sizes follow from the number of players alone, so all positions of a game have pictures of one size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_env.render.drawing import columns
from speicher_env.render.drawing.breakdown import breakdown
from speicher_env.render.drawing.cubes import cubes
from speicher_env.render.drawing.facts import in_bag
from speicher_env.render.drawing.header import header
from speicher_env.render.drawing.seasons import HEIGHT as SEASON
from speicher_env.render.drawing.seasons import NARROW, WIDE, seasons
from speicher_env.render.drawing.seat import HEIGHT as SEAT
from speicher_env.render.drawing.seat import WIDTH as CELL
from speicher_env.render.drawing.seat import seat
from speicher_env.render.legal import legal_actions
from speicher_env.rules.state import OVER

__all__ = ["NARROW_WIDTH", "WIDE_WIDTH", "Panel", "Scene", "scene"]

WIDE_WIDTH, NARROW_WIDTH = 960, 480
"""Widths of the two arrangements, in user units."""
GAP = 10
STRIP = 52
"""Height of the stock and of the bag."""


class Panel(NamedTuple):
    """A part of the table with its place, in named colours."""

    x: float
    y: float
    width: float
    height: float
    drawing: str


class Scene(NamedTuple):
    """A drawing: its size in user units, and its parts, which do not overlap."""

    width: float
    height: float
    panels: list[Panel]


def scene(state: np.void, you: int | None, narrow: bool) -> Scene:
    """Lay a state out; `you` is the seat drawn first and marked as the reader's."""
    builder = _Narrow(state, you) if narrow else _Wide(state, you)
    return builder.laid_out()


class _Arrangement:
    """Base of both arrangements: parts are placed from top to bottom."""

    margin: float
    width: float
    header_height: float
    season_rows: tuple[tuple[float, ...], ...]

    def __init__(self, state: np.void, you: int | None) -> None:
        self.state = state
        self.you = you
        self.players = int(state["players"])
        self.seats = [((you or 0) + step) % self.players for step in range(self.players)]
        self.legal = [action.text for action in legal_actions(state)]
        self.panels: list[Panel] = []
        self.inner = self.width - 2 * self.margin

    def laid_out(self) -> Scene:
        """All parts in their places."""
        y = self.margin
        self.put(0, y, self.inner, self.header_height, header(self.state, self.you, self.inner, self.header_height))
        y += self.header_height + GAP
        tall = len(self.season_rows) * (SEASON + 8) - 8
        self.put(0, y, self.inner, tall, seasons(self.state, self.season_rows))
        bottom = self.body(y + tall + GAP)
        return Scene(self.width, bottom + self.margin, self.panels)

    def body(self, y: float) -> float:
        """Place columns, seats, stock and bag from y downwards; return where they end."""
        raise NotImplementedError

    def put(self, x: float, y: float, width: float, height: float, drawing: str) -> None:
        """Place a part; x counts from the margin."""
        self.panels.append(Panel(self.margin + x, y, width, height, drawing))

    def middle(self, y: float, widths: list[list[float]]) -> float:
        """Place the columns in rows of the given widths, or at the end the points; return where they end."""
        tall = columns.height(self.players)
        whole = len(widths) * (tall + GAP) - GAP
        if self.state["phase"] == OVER:
            wide = sum(widths[0]) + 8 * (len(widths[0]) - 1)
            self.put(0, y, wide, whole, breakdown(self.state, self.seats, wide, whole))
            return y + whole
        number = 0
        for row in widths:
            x = 0.0
            for width in row:
                self.put(x, y, width, tall, columns.column(self.state, number, width, self.legal))
                x += width + 8
                number += 1
            y += tall + GAP
        return y - GAP

    def seat(self, x: float, y: float, which: int) -> None:
        """Place the panel of a seat; `which` counts in drawing order."""
        self.put(x, y, CELL, SEAT, seat(self.state, self.seats[which], self.you, self.legal))

    def stock_and_bag(self, x: float, y: float, height: float, beside: bool = False) -> None:
        """Place stock and bag, each `height` high: the bag below the stock, or beside it."""
        self.put(x, y, CELL, height, cubes("stock", self.state["stock"].tolist(), CELL, height))
        bag = (x + CELL + 8, y) if beside else (x, y + height + 8)
        self.put(*bag, CELL, height, cubes("bag", in_bag(self.state), CELL, height))


class _Wide(_Arrangement):
    margin = 16
    width = WIDE_WIDTH
    header_height = 62
    season_rows = (WIDE,)

    def body(self, y: float) -> float:
        count = self.players + 1
        right = CELL + 8.0
        if self.players == 2:
            end = self.middle(y, [[148.0] * 3])
            self.stock_and_bag(0, end + GAP, (2 * SEAT + GAP - (end - y) - GAP - 8) / 2)
            self.seat(right, y, 0)
            self.seat(right, y + SEAT + GAP, 1)
            return y + 2 * SEAT + GAP
        y = self.middle(y, [[(self.inner - 8 * (count - 1)) / count] * count]) + GAP
        for which in range(self.players):
            self.seat(right * (which % 2), y + (SEAT + GAP) * (which // 2), which)
        y += (SEAT + GAP) * (self.players // 2)
        if self.players % 2:
            self.stock_and_bag(right, y, (SEAT - 8) / 2)
            return y + SEAT
        self.stock_and_bag(0, y, STRIP, beside=True)
        return y + STRIP


class _Narrow(_Arrangement):
    margin = 10
    width = NARROW_WIDTH
    header_height = 92
    season_rows = NARROW

    def body(self, y: float) -> float:
        rows = {2: [[148.0] * 3], 3: [[226.0] * 2] * 2, 4: [[148.0] * 3, [148.0] * 2], 5: [[148.0] * 3] * 2}
        y = self.middle(y, rows[self.players]) + GAP
        for which in range(self.players):
            self.seat(0, y, which)
            y += SEAT + GAP
        self.stock_and_bag(0, y, STRIP)
        return y + 2 * STRIP + 8
