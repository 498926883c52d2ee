"""The points of each seat by source, shown at the end of a game."""

from __future__ import annotations

import numpy as np

from speicher_env.render.drawing import icons
from speicher_env.render.drawing.pen import group, moved, path, rect, text, text_width
from speicher_env.render.sentences import points, winners
from speicher_env.render.words import source_name
from speicher_env.rules.scoring import SOURCES

__all__ = ["breakdown"]

HEAD = 40
LARGEST_ROW = 46


def breakdown(state: np.void, seats: list[int], width: float, height: float) -> str:
    """A table with a column for each seat: a row for each source, then the total, then the coins that break ties."""
    table = [points(state, seat) for seat in seats]
    best = winners(state)
    rows: list[tuple[str, list[int]]] = [
        (source_name(source), [by_source[place] for by_source in table]) for place, source in enumerate(SOURCES)
    ]
    rows += [("points in all", [sum(by_source) for by_source in table])]
    rows += [("coins", [int(state["coins"][seat]) for seat in seats])]
    tall = min(LARGEST_ROW, (height - HEAD - 10) / len(rows))
    size = 13 if tall < 30 else 15
    label = 32 + max(text_width(name, size) for name, _ in rows)
    cell = (width - label - 16) / len(seats)
    top = HEAD + 4
    drawing = rect(0.5, 0.5, width - 1, height - 1, "@panel", "@line", 10)
    for place, seat in enumerate(seats):
        x = label + cell * place
        if seat in best:
            drawing += rect(x + 3, 6, cell - 6, top + tall * len(rows) - 7, "@active_soft", "@active", 8, 1.6)
        drawing += moved(x + cell / 2 - 14, 11, icons.token(seat, 28))
    drawing += text(16, 31, "Points", 16, bold=True)
    for row, (name, values) in enumerate(rows):
        y = top + tall * row
        bold = name == "points in all"
        if bold:
            drawing += path(f"M12 {y:g}H{width - 12:g}", stroke="@muted")
        drawing += text(16, y + tall / 2 + 5, name, size, "@ink" if bold else "@muted", bold)
        for place, value in enumerate(values):
            ink = "@ink" if value else "@muted"
            figure = str(value).replace("-", "−")
            drawing += text(
                label + cell * (place + 0.5), y + tall / 2 + 5, figure, size + 2 * bold, ink, bold, "middle"
            )
    return group(drawing, part="points")
