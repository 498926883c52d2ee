"""The table as one SVG picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from speicher_env.arguments import check_choice, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.render.drawing.palette import THEMES, paint
from speicher_env.render.drawing.pen import moved, number
from speicher_env.render.drawing.table import NARROW_WIDTH, WIDE_WIDTH, Scene, scene
from speicher_env.render.sentences import question, result, season_name_now, sentence, standing
from speicher_env.rules.state import OVER

if TYPE_CHECKING:
    from speicher_env.game import Game

__all__ = ["FONTS", "NARROW_WIDTH", "WIDE_WIDTH", "check_seat", "in_words", "is_narrow", "state_of", "svg"]

FONTS = "'Hanken Grotesk','Helvetica Neue',Helvetica,Arial,'Liberation Sans','Segoe UI',Roboto,sans-serif"
"""The preferred fonts. Any other font works: no text fills its place to the edge."""
NARROW_BELOW = 700
"""Pictures with fewer pixels in width have the narrow arrangement, for phones."""
LARGEST_WIDTH = 16_384


def svg(state: np.void | Game, seat: int | None = None, theme: str = "light", width: int = WIDE_WIDTH) -> str:
    """The table as an SVG picture: everything public, nothing hidden.

    Args:
        state: One game: a record of dtype `STATE`, or a `Game`.
        seat: The reader's seat, drawn first and marked. All players see the same, so nothing else differs.
        theme: "light", "dark", or "page", whose colours are CSS variables; `page_colours` has their values.
        width: Pixels. Below 700 the parts are in one column, for phones.

    Raises:
        ArgumentError: For a seat that is not at the table, an unknown theme, a width outside 160..16384.
    """
    record = state_of(state)
    check_seat(seat, record)
    check_choice("theme", theme, THEMES)
    table = scene(record, seat, is_narrow(width))
    return drawn(table, theme, width, in_words(record, seat))


def state_of(state: np.void | Game) -> np.void:
    """The state record, also of a `Game`."""
    return state if isinstance(state, np.void) else state.state


def check_seat(seat: object, state: np.void) -> None:
    """Refuse a seat that is not at the table."""
    players = int(state["players"])
    if seat is not None and not (is_whole(seat) and 0 <= seat < players):
        raise ArgumentError(must_be("seat", seat, f"a seat 0..{players - 1} or None"))


def is_narrow(width: int) -> bool:
    """Whether a picture of this width has the narrow arrangement; a wrong width is refused."""
    if not is_whole(width) or not 160 <= width <= LARGEST_WIDTH:
        raise ArgumentError(must_be("width", width, f"a whole number of pixels 160..{LARGEST_WIDTH}"))
    return width < NARROW_BELOW


def drawn(table: Scene, theme: str, width: int, words: str) -> str:
    """A scene as a whole SVG document."""
    height = number(table.height * width / table.width)
    inner = '<rect width="100%" height="100%" fill="@paper"/>'
    inner += "".join(moved(panel.x, panel.y, panel.drawing) for panel in table.panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="speicher" role="img" aria-label="{escape(words)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {number(table.width)} {number(table.height)}" '
        f'font-family="{FONTS}">{paint(inner, theme)}</svg>'
    )


def in_words(state: np.void, seat: int | None = None) -> str:
    """The picture in one or two sentences, for readers who do not see it."""
    if state["phase"] == OVER:
        return f"{standing(state)}. {sentence(result(state, seat))}"
    return f"{standing(state)}, {season_name_now(state)}. {sentence(question(state, seat))}"
