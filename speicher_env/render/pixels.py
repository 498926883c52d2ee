"""Pictures as pixels, made from the drawing without a window or a display. Needs the extra ``[render]``.

The parts of the table become pixels one by one and are cached, because most of them are the same in the next position.
"""

from __future__ import annotations

import io
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from speicher_env.arguments import check_choice
from speicher_env.render.drawing.palette import THEMES, paint
from speicher_env.render.drawing.pen import moved, number
from speicher_env.render.drawing.picture import check_seat, is_narrow, state_of
from speicher_env.render.drawing.table import WIDE_WIDTH, Panel, scene
from speicher_env.render.extra import PICTURES, font_files, require

if TYPE_CHECKING:
    from speicher_env.game import Game

__all__ = ["frame", "png"]

PARTS_KEPT = 128
"""At 960 pixels a part has some 0.2 MB on average."""


def frame(state: np.void | Game, seat: int | None = None, theme: str = "light", width: int = WIDE_WIDTH) -> np.ndarray:
    """The table as pixels: the picture of `svg`, (height, width, 3) uint8.

    All positions of a game have frames of one size. Both sides are even, as films need them.

    Args:
        state: One game: a record of dtype `STATE`, or a `Game`.
        seat: This seat is drawn first and marked as the reader's.
        theme: "light" or "dark".
        width: Pixels, an odd number is rounded up. Below 700 pixels the parts are in one column.

    Raises:
        ArgumentError: For a seat that is not at the table, an unknown theme, a width outside 160..16384.
        ImportError: Without the extra ``[render]``.
    """
    require(PICTURES, "a picture in pixels")
    record = state_of(state)
    check_seat(seat, record)
    colours = THEMES[check_choice("theme", theme, ("light", "dark"))]
    table = scene(record, seat, is_narrow(width))
    width = int(width) + int(width) % 2
    scale = width / table.width
    height = 2 * math.ceil(table.height * scale / 2)
    picture = np.empty((height, width, 3), dtype=np.uint8)
    picture[:] = _channels(colours["paper"])
    for panel in table.panels:
        left, top, part = _part(panel, theme, scale)
        picture[top : top + part.shape[0], left : left + part.shape[1]] = part
    return picture


def png(state: np.void | Game, seat: int | None = None, theme: str = "light", width: int = WIDE_WIDTH) -> bytes:
    """The picture of `frame` as a PNG file."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(frame(state, seat, theme, width)).save(file, "PNG", optimize=True)
    return file.getvalue()


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _part(panel: Panel, theme: str, scale: float) -> tuple[int, int, np.ndarray]:
    """Where a part's pixels go, from the left and from the top, and the pixels.

    They cover the part's rectangle in whole pixels; between two parts there is room for the rounding.
    """
    left, top = math.floor(panel.x * scale), math.floor(panel.y * scale)
    width = math.ceil((panel.x + panel.width) * scale) - left
    height = math.ceil((panel.y + panel.height) * scale) - top
    shift = (panel.x - left / scale, panel.y - top / scale)
    return left, top, _pixels(panel.drawing, theme, scale, shift, width, height)


@lru_cache(PARTS_KEPT)
def _pixels(drawing: str, theme: str, scale: float, shift: tuple[float, float], width: int, height: int) -> np.ndarray:
    """The pixels of one part, (height, width, 3) uint8; not to be written to."""
    import resvg_py
    from PIL import Image

    inner = '<rect width="100%" height="100%" fill="@paper"/>' + moved(*shift, drawing)
    document = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {number(width / scale)} {number(height / scale)}" preserveAspectRatio="none" '
        f'font-family="Hanken Grotesk">{paint(inner, theme)}</svg>'
    )
    file = resvg_py.svg_to_bytes(svg_string=document, skip_system_fonts=True, font_files=font_files())
    with Image.open(io.BytesIO(file)) as image:
        pixels = np.asarray(image.convert("RGB"))
    pixels.flags.writeable = False
    return pixels
