"""The balance of a seat as a drawing: from its first win share to its last, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from speicher_agents.review import Balance
from speicher_apps.review_page import percent
from speicher_env.render.drawing.palette import paint
from speicher_env.render.drawing.pen import number, path, rect, text

__all__ = ["balance", "range_of"]

WIDTH, ROW = 300, 22
LEFT, RIGHT = 112, 62
LABELS = {"luck": "luck", "own": "own moves", "others": "moves of others", "judge": "seen only later"}
BAR = 12


def range_of(balances: Sequence[Balance]) -> tuple[float, float]:
    """The lowest and the highest share on the way of any seat, so that all drawings have one scale."""
    shares = [0.0, 1.0] + [share for each in balances for share in _way(each)]
    return min(shares), max(shares)


def balance(of_seat: Balance, seat: int, scale: tuple[float, float]) -> str:
    """The drawing as SVG; `scale` is that of `range_of`."""
    low, high = scale

    def x(share: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (share - low) / (high - low)

    way = _way(of_seat)
    rows = len(LABELS) + 2
    drawing = ""
    for share in (0, 1):
        drawing += path(f"M{number(x(share))} 2V{rows * ROW - 2}", stroke="@line")
    drawing += _row(0, "start", percent.share(of_seat.start)) + _bar(0, x(0), x(of_seat.start), f"@seat{seat}")
    for row, label in enumerate(LABELS.values(), start=1):
        before, after = way[row - 1], way[row]
        drawing += _row(row, label, percent.change(after - before))
        drawing += _bar(row, x(before), x(after), "@active" if after > before else "@fire")
        drawing += path(f"M{number(x(before))} {row * ROW - 5}v10", stroke="@muted")
    end = rows - 1
    drawing += _row(end, "end", percent.share(of_seat.end)) + _bar(end, x(0), x(of_seat.end), f"@seat{seat}")
    drawing += path(f"M{number(x(way[-1]))} {end * ROW - 5}v10", stroke="@muted")
    words = ", ".join(f"{label} {percent.change(getattr(of_seat, key))}" for key, label in LABELS.items())
    alt = f"From {percent.share(of_seat.start)} to {percent.share(of_seat.end)} of the win: {words}."
    return (
        f'<svg class="balance" viewBox="0 0 {WIDTH} {rows * ROW}" role="img" aria-label="{alt}">'
        f"{paint(drawing, 'page')}</svg>"
    )


def _way(of_seat: Balance) -> list[float]:
    """The share after each step."""
    return list(accumulate([of_seat.start, *(getattr(of_seat, key) for key in LABELS)]))


def _row(row: int, label: str, value: str) -> str:
    base = row * ROW + 15.5
    return text(0, base, label, 13, "@muted") + text(WIDTH, base, value, 13, anchor="end")


def _bar(row: int, begin: float, end: float, colour: str) -> str:
    left, width = min(begin, end), max(abs(end - begin), 1)
    return rect(left, row * ROW + (ROW - BAR) / 2, width, BAR, colour, radius=2)
