"""The header of the drawing: the round, the season, the phases, and the question to the player to move."""

from __future__ import annotations

import numpy as np

from speicher_env.render.drawing import icons
from speicher_env.render.drawing.pen import group, moved, rect, text, text_width, wrapped
from speicher_env.render.sentences import question, result, season_name_now, sentence, standing, winners
from speicher_env.rules.state import OVER, PHASES

__all__ = ["header"]

TITLE_SIZE = 21
"""At most; smaller where the phases beside it leave less room."""
TITLE_GAP = 10
SENTENCE_SIZES = (14.5, 13, 12, 11, 10)
"""The first in which the sentence fits."""
SENTENCE_TOP = 34
LEADING = 1.3
"""From base line to base line, in font sizes."""
CHIP_HEIGHT = 24
TOKEN = 26


def header(state: np.void, you: int | None, width: float, height: float) -> str:
    """Title and phases in one row, below them a sentence."""
    over = state["phase"] == OVER
    title = standing(state)
    if over:
        drawing = text(0, 21, title, TITLE_SIZE, bold=True)
    else:
        chips, chips_width = _phases(int(state["phase"]))
        season = season_name_now(state)
        wide = text_width(title, 1, True) + text_width(f" {season}", 1)
        size = min(TITLE_SIZE, (width - chips_width - TITLE_GAP) / wide)
        drawing = text(0, 21, title, size, bold=True, then=season) + moved(width - chips_width, 1, chips)
    words = sentence(result(state, you) if over else question(state, you))
    seats = winners(state) if over else [int(state["player"])]
    drawing += "".join(moved((TOKEN + 4) * place, 33, icons.token(seat, TOKEN)) for place, seat in enumerate(seats))
    indent = (TOKEN + 4) * len(seats) + 4
    room = height - SENTENCE_TOP + 6
    for size in SENTENCE_SIZES:
        lines = wrapped(words, size, width - indent)
        if len(lines) * LEADING * size <= room:
            break
    first = 51 if len(lines) * LEADING * size <= height - 40 or len(lines) == 1 else 43
    drawing += "".join(text(indent, first + LEADING * size * row, line, size) for row, line in enumerate(lines))
    return group(drawing, part="header")


def _phases(now: int) -> tuple[str, float]:
    """The three phases with decisions, the current one filled, and their width."""
    drawing, x = "", 0.0
    for phase, name in enumerate(PHASES[:OVER]):
        chip = text_width(name, 12, True) + 14
        fill, ink = ("@active", "@on_active") if phase == now else ("@panel", "@muted")
        drawing += rect(x + 0.5, 0.5, chip - 1, CHIP_HEIGHT - 1, fill, "@active" if phase == now else "@line", 12)
        drawing += text(x + chip / 2, 16.5, name, 12, ink, phase == now, "middle")
        x += chip + 4
    return drawing, x - 4
