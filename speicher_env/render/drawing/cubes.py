"""Stock and bag: how many cubes of each good they hold."""

from __future__ import annotations

from collections.abc import Sequence

from speicher_env.render.drawing import icons
from speicher_env.render.drawing.pen import group, moved, rect, text
from speicher_env.render.words import counted_cubes
from speicher_env.rules.cards import GOODS

__all__ = ["cubes"]

CUBE = 22
_ROOM = 66
"""Width of one good."""


def cubes(name: str, amounts: Sequence[int], width: float, height: float) -> str:
    """The stock or the bag as a strip: the sign, number and name of each good."""
    middle = height / 2
    drawing = rect(0.5, 0.5, width - 1, height - 1, "@panel", "@line", 8)
    drawing += text(12, middle - 2, f"{name[0].upper()}{name[1:]}", 14, bold=True)
    drawing += text(12, middle + 14, f"{sum(amounts)} in all", 11.5, "@muted")
    for good, amount in enumerate(amounts):
        ink = "@ink" if amount else "@muted"
        one = moved(12, 0, icons.cube(good, CUBE)) + text(39, 17, int(amount), 16, ink, bold=True)
        one += text(29, 36, GOODS[good], 11, "@muted", anchor="middle")
        x = width - 8 - _ROOM * (len(amounts) - good)
        drawing += moved(x, middle - 20, group(one, good=GOODS[good], place=name))
    held = counted_cubes(int(amount) for amount in amounts) or "no cube"
    return group(drawing, f"The {name} holds {held}", part=name)
