"""The graph of a game: the win shares of all seats, one above the other, with its turning points and mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from speicher_agents.review import Decision, Reveal, Review
from speicher_apps.replay_page.chart import apart
from speicher_apps.review_page import percent
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.palette import paint
from speicher_env.render.drawing.pen import circle, moved, number, path, text

__all__ = ["NARROW", "WIDE", "Size", "graph", "shares_by_step", "step_of"]

LEFT, RIGHT, TOP, BOTTOM = 48, 12, 30, 40
TOKEN = 22
LEAST_ROOM = 1.2 * TOKEN
"""Height of an area that has room for its token."""
BETWEEN_ROUNDS = 26
"""Room between the numbers of two rounds, at least."""


@dataclass(frozen=True)
class Size:
    """A size of the graph, in the units of its letters."""

    name: str
    """The class of its element."""
    width: float
    height: float


WIDE, NARROW = Size("wide", 1200, 260), Size("narrow", 430, 280)
SHOWN = ("blunder", "mistake")
"""The classes that the graph marks."""


def shares_by_step(review: Review) -> list[tuple[float, ...]]:
    """The win shares at every position: before each move, and at the end."""
    return [*(decision.before for decision in review.decisions), review.end]


def step_of(event: Decision | Reveal) -> int:
    """The position that shows an event: the one before a move, the one after a reveal."""
    return event.move - 1 if isinstance(event, Decision) else event.after_move


def graph(review: Review, rounds: Sequence[int], size: Size) -> str:
    """The graph as SVG.

    Args:
        review: The game.
        rounds: The round of each position.
        size: Its size.
    """
    shares = shares_by_step(review)
    frame = _Frame(size, len(shares) - 1)
    drawing = _areas(shares, frame)
    for share in (0.25, 0.5, 0.75):
        drawing += path(f"M{LEFT} {number(frame.y(share))}H{number(frame.right)}", stroke="@paper", dashes="2 5")
    for share in (0, 0.5, 1):
        drawing += text(LEFT - 6, frame.y(share) + 4, percent.share(share), 12, "@muted", anchor="end")
    drawing += _rounds(rounds, frame)
    drawing += _tokens(shares, frame)
    drawing += _mistakes(review, frame)
    drawing += _turning_points(review, frame)
    drawing += f'<path class="cursor" d="M0 {TOP - 4}V{number(frame.bottom + 4)}" stroke="@ink" stroke-width="2.5"/>'
    return (
        f'<svg class="chart {size.name}" viewBox="0 0 {number(size.width)} {number(size.height)}" aria-hidden="true" '
        f'data-left="{LEFT}" data-right="{number(frame.right)}">{paint(drawing, "page")}</svg>'
    )


class _Frame:
    """Where a position and a share are in the drawing."""

    def __init__(self, size: Size, last: int) -> None:
        self.size = size
        self.right, self.bottom = size.width - RIGHT, size.height - BOTTOM
        self._last = max(1, last)

    def x(self, step: float) -> float:
        return LEFT + (self.right - LEFT) * step / self._last

    def y(self, share: float) -> float:
        return TOP + (self.bottom - TOP) * (1 - share)


def _areas(shares: Sequence[Sequence[float]], frame: _Frame) -> str:
    """An area for each seat, seat 0 at the top."""
    drawing = ""
    for seat in range(len(shares[0])):
        above = [(frame.x(step), frame.y(1 - sum(row[:seat]))) for step, row in enumerate(shares)]
        below = [(frame.x(step), frame.y(1 - sum(row[: seat + 1]))) for step, row in enumerate(shares)]
        corners = [*above, *reversed(below)]
        outline = "M" + "L".join(f"{number(across)} {number(down)}" for across, down in corners) + "Z"
        drawing += f'<path d="{outline}" fill="@seat{seat}" stroke="@paper" stroke-width="1"/>'
    return drawing


def _rounds(rounds: Sequence[int], frame: _Frame) -> str:
    """The numbers of the rounds, where there is room."""
    drawing = text(LEFT - 12, frame.size.height - 4, "round", 12, "@muted", anchor="end")
    labelled = -float(BETWEEN_ROUNDS)
    for step, of_round in enumerate(rounds):
        begins = step == 0 or of_round != rounds[step - 1]
        if begins and step:
            drawing += path(f"M{number(frame.x(step))} {TOP}V{number(frame.bottom)}", stroke="@paper", dashes="1 4")
        if begins and frame.x(step) >= labelled + BETWEEN_ROUNDS:
            labelled = frame.x(step)
            drawing += text(labelled, frame.size.height - 4, of_round, 12, "@muted", anchor="middle")
    return drawing


def _tokens(shares: Sequence[Sequence[float]], frame: _Frame) -> str:
    """The sign of each seat where its area is highest."""
    drawing = ""
    places = range(len(shares) // 12, len(shares) - len(shares) // 12)
    for seat in range(len(shares[0])):
        step = max(places, key=lambda at: shares[at][seat])
        top, below = frame.y(1 - sum(shares[step][:seat])), frame.y(1 - sum(shares[step][: seat + 1]))
        if below - top >= LEAST_ROOM:
            token = circle(TOKEN / 2, TOKEN / 2, TOKEN / 2 + 2, "@paper") + icons.token(seat, TOKEN)
            drawing += moved(frame.x(step) - TOKEN / 2, (top + below - TOKEN) / 2, token)
    return drawing


def _mistakes(review: Review, frame: _Frame) -> str:
    """A mark below the graph for each large mistake: larger for a blunder."""
    drawing = ""
    for decision in review.decisions:
        if decision.grade in SHOWN:
            size = 16 if decision.grade == "blunder" else 11
            place = frame.x(step_of(decision)) - size / 2
            drawing += moved(place, frame.bottom + 12 - size / 2, icons.token(decision.seat, size))
    return drawing


def _turning_points(review: Review, frame: _Frame) -> str:
    """A number above the graph for each turning point, at its place."""
    events = review.turning_points
    wanted = [frame.x(step_of(event)) for event in events]
    placed = apart(wanted, TOKEN, frame.right)
    drawing = ""
    for place, (across, at) in enumerate(zip(wanted, placed, strict=True), start=1):
        line = f"M{number(across)} {number(frame.bottom)}V{TOP}L{number(at)} 20"
        drawing += path(line, stroke="@ink", stroke_width=1.2)
        drawing += circle(at, 12, 10, "@ink") + text(at, 16.2, place, 12, "@paper", bold=True, anchor="middle")
    return drawing
