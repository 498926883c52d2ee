"""The colours of the drawing, by name: a light and a dark theme, and one of CSS variables that a page sets.

Shapes are drawn in named colours, written ``@name``; `paint` replaces the names by a theme's colours. Seats and goods
differ in shape too, so no meaning depends on a colour alone.
"""

from __future__ import annotations

import re

__all__ = ["THEMES", "page_colours", "paint"]

LIGHT = {
    "paper": "#f3ece0",
    "panel": "#fffcf7",
    "line": "#d8cbb8",
    "ink": "#241f1b",
    "muted": "#665c52",
    "faint": "#b3a595",
    "wall": "#e9d3c5",
    "joint": "#dcbfad",
    "gable": "#a04a35",
    "gable_ink": "#fff4ea",
    "window": "#fff8ee",
    "frame": "#bf9783",
    "active": "#14705a",
    "active_soft": "#d5ede4",
    "on_active": "#ffffff",
    "coin": "#e8b93a",
    "coin_line": "#a97a10",
    "coin_ink": "#3a2900",
    "fire": "#d4470c",
    "fire_ink": "#ffffff",
    "ash": "#8a8078",
    "sea": "#cfe0e6",
    "seat0": "#bf3720",
    "seat1": "#1c5aa6",
    "seat2": "#257548",
    "seat3": "#e5a81e",
    "seat4": "#77449a",
    "seat0_ink": "#ffffff",
    "seat1_ink": "#ffffff",
    "seat2_ink": "#ffffff",
    "seat3_ink": "#2e2000",
    "seat4_ink": "#ffffff",
    "coffee": "#6b4630",
    "tea": "#55852f",
    "saffron": "#f0a30c",
    "rubber": "#434b54",
    "carpet": "#ad2743",
    "coffee_ink": "#f7e9dc",
    "tea_ink": "#f3f9e9",
    "saffron_ink": "#452900",
    "rubber_ink": "#edf1f4",
    "carpet_ink": "#fde8ec",
}
DARK = {
    "paper": "#151210",
    "panel": "#211c19",
    "line": "#403730",
    "ink": "#f3ebe1",
    "muted": "#b9ac9d",
    "faint": "#6f6358",
    "wall": "#3b2a23",
    "joint": "#4a352c",
    "gable": "#8f4836",
    "gable_ink": "#fff1e6",
    "window": "#171310",
    "frame": "#7a5848",
    "active": "#4fcaa7",
    "active_soft": "#1d3b32",
    "on_active": "#06231b",
    "coin": "#e2b243",
    "coin_line": "#f3d183",
    "coin_ink": "#2a1d00",
    "fire": "#ff7a3d",
    "fire_ink": "#2b0f00",
    "ash": "#8c8279",
    "sea": "#223a44",
    "seat0": "#f28b73",
    "seat1": "#82b4ec",
    "seat2": "#72cb97",
    "seat3": "#f2c14e",
    "seat4": "#c9a4e4",
    "seat0_ink": "#2a0b04",
    "seat1_ink": "#061a33",
    "seat2_ink": "#052312",
    "seat3_ink": "#2e2000",
    "seat4_ink": "#22072f",
    "coffee": "#b48a68",
    "tea": "#8bbf5c",
    "saffron": "#f6b73f",
    "rubber": "#9caab8",
    "carpet": "#e66f86",
    "coffee_ink": "#24160c",
    "tea_ink": "#13220a",
    "saffron_ink": "#3a2200",
    "rubber_ink": "#11161b",
    "carpet_ink": "#30060f",
}
PAGE = {name: f"var(--sp-{name.replace('_', '-')})" for name in LIGHT}

THEMES = {"light": LIGHT, "dark": DARK, "page": PAGE}
"""Colours by theme; "page" names CSS variables, which `page_colours` sets."""

_NAMED = re.compile("@([a-z0-9_]+)")


def paint(drawing: str, theme: str) -> str:
    """A drawing with the colours of a theme in place of their names."""
    colours = THEMES[theme]
    return _NAMED.sub(lambda named: colours[named[1]], drawing)


def page_colours() -> str:
    """CSS for drawings of the theme "page": light or dark by the settings of the reader's system.

    An attribute ``data-theme="light"`` or ``"dark"`` on an element around a drawing overrides the system.
    """
    light, dark = (
        "".join(f"{PAGE[name][4:-1]}:{colour};" for name, colour in colours.items()) for colours in (LIGHT, DARK)
    )
    return (
        f":root,[data-theme=light]{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"[data-theme=dark]{{{dark}}}\n"
    )
