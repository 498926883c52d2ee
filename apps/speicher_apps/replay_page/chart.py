"""Points over time as a small drawing: a stepped line for each seat, with its own colour, dashes and token."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from speicher_env.render.drawing import icons
from speicher_env.render.drawing.palette import paint
from speicher_env.render.drawing.pen import moved, number, text

__all__ = ["chart"]

WIDTH, HEIGHT = 460, 170
LEFT, RIGHT, TOP, BOTTOM = 34, 34, 10, 20
DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 5")
"""Dashes of the seats' lines."""
TOKEN = 18
MOST_MARKS = 5
"""Horizontal lines for round numbers of points, at most."""


def chart(points: Sequence[Sequence[int]], rounds: Sequence[int]) -> str:
    """The chart of a game: `points` of each seat at every position, `rounds` the round of each."""
    last = max(1, len(points) - 1)
    lowest = min(0, *(min(row) for row in points))
    highest = max(1, *(max(row) for row in points))

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / last

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (highest - value) / (highest - lowest)

    drawing = ""
    for value in _marks(lowest, highest):
        drawing += f'<path d="M{LEFT} {number(y(value))}H{WIDTH - RIGHT}" stroke="@line"/>'
        drawing += text(LEFT - 6, y(value) + 4, str(value).replace("-", "−"), 11, "@muted", anchor="end")
    labelled = LEFT + 4.0  # after the word below
    for step in range(1, len(rounds)):
        if rounds[step] != rounds[step - 1] and x(step) > labelled + 24:
            labelled = x(step)
            drawing += f'<path d="M{number(labelled)} {TOP}V{HEIGHT - BOTTOM}" stroke="@line" stroke-dasharray="1 4"/>'
            drawing += text(labelled, HEIGHT - 6, rounds[step], 11, "@muted", anchor="middle")
    drawing += text(LEFT, HEIGHT - 6, "round", 11, "@muted", anchor="middle")
    for seat in range(len(points[0])):
        line = f"M{number(x(0))} {number(y(points[0][seat]))}"
        for step in range(1, len(points)):
            if points[step][seat] != points[step - 1][seat]:
                line += f"H{number(x(step))}V{number(y(points[step][seat]))}"
        line += f"H{number(x(last))}"
        dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
        drawing += f'<path d="{line}" fill="none" stroke="@seat{seat}" stroke-width="2"{dashes}/>'
    for seat, height in enumerate(apart([y(value) for value in points[-1]], TOKEN, HEIGHT - TOKEN / 2)):
        drawing += moved(WIDTH - RIGHT + 6, height - TOKEN / 2, icons.token(seat, TOKEN))
    cursor = f'<path class="cursor" d="M0 {TOP}V{HEIGHT - BOTTOM}" stroke="@active" stroke-width="2"/>'
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" '
        f'data-left="{LEFT}" data-right="{WIDTH - RIGHT}">{paint(drawing + cursor, "page")}</svg>'
    )


def _marks(lowest: int, highest: int) -> range:
    """Round numbers between two."""
    size = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200) if (highest - lowest) / size <= MOST_MARKS)
    return range(-(-lowest // size) * size, highest + 1, size)


def apart(places: list[float], distance: float, most: float) -> list[float]:
    """Places on a line moved apart, so that no token hides another.

    Args:
        places: Where they would be.
        distance: Between two, at least.
        most: Where the last may be.
    """
    placed = list(places)
    upwards = sorted(range(len(places)), key=lambda place: places[place])
    for before, after in pairwise(upwards):
        placed[after] = max(placed[after], placed[before] + distance)
    for place in reversed(upwards):
        placed[place] = min(placed[place], most)
        most = placed[place] - distance
    return placed
