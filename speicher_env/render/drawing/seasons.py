"""The year: the cards left in the pile of each season, by kind, and the four fires."""

from __future__ import annotations

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.facts import by_kind, in_pile
from speicher_env.render.drawing.pen import group, moved, rect, text, text_width
from speicher_env.render.sentences import season_now
from speicher_env.render.words import cards_by_kind, counted
from speicher_env.rules.cards import FIRE, FIRE_1, N_FIRES, SEASON_NAMES, SEASON_OF
from speicher_env.rules.state import DISCARDED, OVER

__all__ = ["HEIGHT", "NARROW", "WIDE", "seasons"]

HEIGHT = 66
GAP = 8
WIDE = (208, 184, 184, 208, 112)
"""Widths of winter, spring, summer, autumn and the 4th fire in one row."""
NARROW = ((226, 226), (180, 196, 68))
"""The same in two rows."""
ICON = 16


def seasons(state: np.void, widths: tuple[tuple[float, ...], ...]) -> str:
    """The seasons in rows of the given widths."""
    drawing, season = "", 0
    for row, in_row in enumerate(widths):
        x = 0.0
        for width in in_row:
            drawing += moved(x, row * (HEIGHT + GAP), _season(state, season, width))
            x += width + GAP
            season += 1
    return group(drawing, part="seasons")


def _season(state: np.void, season: int, width: float) -> str:
    cards = in_pile(state, season)
    now = season_now(state) == season and state["phase"] != OVER
    ink = "@ink" if cards or now else "@muted"
    drawing = rect(0.5, 0.5, width - 1, HEIGHT - 1, "@panel", "@active" if now else "@line", 8, 2 if now else 1)
    name = SEASON_NAMES[season]
    title = f"{name[0].upper()}{name[1:]}"
    drawing += text(10, 20, title, 13, ink, bold=True)
    fires = [FIRE_1 + fire for fire in range(N_FIRES) if SEASON_OF[FIRE_1 + fire] == season]
    for fire in fires:
        burnt = state["owner"][fire] == DISCARDED
        flame = icons.flame(int(state["fire_value"][fire - FIRE_1]), 24, bool(burnt))
        drawing += moved(width - 31, 4, flame) if season < 4 else moved(width / 2 - 14, 29, flame, 1.2)
    if season < 4:
        left = f"{len(cards)} left" if cards else "none left"
        drawing += text(width - (36 if fires else 10), 20, left, 12, "@muted", anchor="end")
        drawing += _kinds(cards, width - 16)
    names = listed(cards_by_kind(state, cards)) or "nothing"
    return group(drawing, f"{title}: {counted(len(cards), 'card')} left in the pile: {names}")


def _kinds(cards: list[int], room: float) -> str:
    """The kinds of cards left, each with its number if above 1; smaller if there are many kinds."""
    kinds = [(kind, len(of_kind)) for kind, of_kind in by_kind(cards) if kind != FIRE]
    widths = [ICON + (5 if count == 1 else 6 + text_width(str(count), 12)) for _, count in kinds]
    scale = min(1.0, room / max(1.0, sum(widths)))
    drawing, x = "", 0.0
    for (kind, count), width in zip(kinds, widths, strict=True):
        drawing += moved(x, 0, icons.kind(kind, ICON))
        drawing += text(x + ICON + 1.5, 12.5, count, 12, "@ink") if count > 1 else ""
        x += width
    return moved(9, 36 + ICON * (1 - scale) / 2, drawing, scale)
