"""Draws the SVG pictures of the documentation: those of the rules, the film on the home page, and the badges.

Rules and film show positions of two recorded games, `docs/games.jsonl`, in the drawing of the package. All take the
colours that the reader's system prefers. `python -m docs.generate` writes them; a test fails while one is out of date.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path

import numpy as np

from speicher_env import Game
from speicher_env.render.drawing import columns, icons, page_colours
from speicher_env.render.drawing.breakdown import breakdown
from speicher_env.render.drawing.pen import moved, number, rect, text, text_width
from speicher_env.render.drawing.picture import drawn, in_words
from speicher_env.render.drawing.seat import HEIGHT as SEAT
from speicher_env.render.drawing.seat import WIDTH as CELL
from speicher_env.render.drawing.seat import seat
from speicher_env.render.drawing.table import Panel, Scene, scene
from speicher_env.render.words import counted, seat_name

HERE = Path(__file__).parent
ROOT = HERE.parent
GAMES = HERE / "games.jsonl"
MARGIN = 10
WIDTH = CELL + 2 * MARGIN
"""Of the small pictures, in user units: they are readable on a phone."""
LABEL = 24
"""Height of a line of text above a part."""

BOARD = 57
"""The position of the game of the rules in which the first card of a round is on offer."""
BIDDING = (61, 62, 63)
"""Positions later in that round: two workers are taken back, the third owner buys."""
LOADING = (139, 143)
"""The first and the last move of seat 0 in a loading."""
FIRE = 84
"""The position after the first fire, when nothing else has changed the points of fires."""

FILM_FROM = 162
"""The film of the other game begins before this move, with the last round but one."""
SECONDS = {"demand": 0.8, "purchase": 1.4, "loading": 1.4, "over": 6.0}
"""How long the film shows a position, by phase."""
RUNS = 3
"""How many times the film runs, so that nothing moves for ever beside a text."""
STILL = 7
"""The position, counted from the beginning of the film, that is seen after it and by readers who prefer no motion."""


@cache
def _recorded() -> dict[str, Game]:
    records = map(json.loads, GAMES.read_text(encoding="utf-8").splitlines())
    return {record["name"]: Game.from_record(record) for record in records}


def positions(name: str) -> list[np.void]:
    """The states before each move of a recorded game, and the last one."""
    game = _recorded()[name]
    position = game.start()
    states = [position.state.copy()]
    for move in game.moves or ():
        position.play(move)
        states.append(position.state.copy())
    return states


def board() -> str:
    """The whole table of a game of three."""
    state = positions("rules")[BOARD]
    return _document(scene(state, None, narrow=False), in_words(state))


def bidding() -> str:
    """One column at three decisions, with the price asked above it."""
    states = [positions("rules")[move] for move in BIDDING]
    legal = ["buy", "pass"]
    wide = (WIDTH - 4 * MARGIN) / 3
    panels, told = [], []
    for place, state in enumerate(states):
        asked, price = int(state["player"]), int(state["standing"][state["offer"]])
        x = MARGIN + place * (wide + MARGIN)
        label = moved(0, -2, icons.token(asked, 20)) + text(25, 14, f"asked for {price}", 13, bold=True)
        panels.append(Panel(x, MARGIN, wide, LABEL, label))
        column = columns.column(state, int(state["offer"]), wide, legal)
        panels.append(Panel(x, MARGIN + LABEL, wide, columns.height(3), column))
        told.append(f"{seat_name(asked)} is asked for {counted(price, 'coin')}")
    return _document(Scene(WIDTH, 2 * MARGIN + LABEL + columns.height(3), panels), "; then ".join(told))


def loading() -> str:
    """A seat before and after its loading, with the moves between."""
    states = positions("rules")
    first, last = LOADING
    moves = (_recorded()["rules"].moves or [])[first:last]
    who = int(states[first]["player"])
    panels = [Panel(MARGIN, MARGIN, CELL, SEAT, seat(states[first], who, None, []))]
    y = MARGIN + SEAT + MARGIN
    for move in moves:
        panels.append(Panel(MARGIN, y, CELL, LABEL, text(16, 15, move.replace("_", " "), 14)))
        y += LABEL
    panels.append(Panel(MARGIN, y, CELL, SEAT, seat(states[last], who, None, [])))
    return _document(Scene(WIDTH, y + SEAT + MARGIN, panels), f"{seat_name(who)} loads: {', '.join(moves)}")


def fire() -> str:
    """The first fire, and what it brought each seat."""
    state = positions("rules")[FIRE]
    value, top = int(state["fire_value"][0]), 52
    head = moved(12, 8, icons.flame(value, 44)) + text(70, 38, f"Fire {value}", 20, bold=True)
    panels = [Panel(MARGIN, MARGIN, CELL, 60, head)]
    told = []
    y = MARGIN + 60.0
    for who in range(int(state["players"])):
        upper = f'<svg width="{CELL}" height="{top}" viewBox="0 0 {CELL} {top}">{seat(state, who, None, [])}</svg>'
        panels.append(Panel(MARGIN, y, CELL, top, upper))
        y += top + MARGIN
        strength, brought = int(state["firemen"][who]), int(state["fire_points"][who])
        told.append(f"{seat_name(who)} has firemen of {strength} and gets {brought:+d}")
    return _document(Scene(WIDTH, y, panels), f"A fire of {value}: {'; '.join(told)}")


def end() -> str:
    """The points by source at the end."""
    state = positions("rules")[-1]
    high = 330
    table = breakdown(state, list(range(int(state["players"]))), CELL, high)
    return _document(Scene(WIDTH, high + 2 * MARGIN, [Panel(MARGIN, MARGIN, CELL, high, table)]), in_words(state))


def film(narrow: bool) -> str:
    """The end of a game of two, move by move.

    Every distinct drawing of a part is in the file once, and is visible while the film shows a position that has it.
    """
    states = positions("film")[FILM_FROM:]
    scenes = [scene(state, None, narrow) for state in states]
    shown: dict[Panel, list[int]] = {}
    for place, one in enumerate(scenes):
        for panel in one.panels:
            shown.setdefault(panel, []).append(place)
    ends = np.cumsum([SECONDS[Game.from_state(state).phase] for state in states])
    names: dict[tuple[int, ...], str] = {}
    panels = []
    for panel, places in shown.items():
        drawing = re.sub("<title>.*?</title>", "", panel.drawing)  # nobody can point at a part of an image
        if len(places) < len(scenes):
            name = names.setdefault(tuple(places), f"film{len(names)}")
            drawing = f'<g class="{name}">{drawing}</g>'
        panels.append(panel._replace(drawing=drawing))
    style = "".join(_visible(name, places, ends) for places, name in names.items())
    style += "@media (prefers-reduced-motion:reduce){[class^=film]{animation:none}}"
    size = scenes[0]
    words = "The last two rounds of a game of two: workers are placed, cards bought, cubes delivered and points counted"
    return _document(Scene(size.width, size.height, panels), words, style)


def _visible(name: str, places: Iterable[int], ends: np.ndarray) -> str:
    """CSS that makes a part visible at some of the positions, and without animation if the still one has it."""
    edges = np.concatenate(([0.0], 100 * ends / ends[-1]))
    here = set(places)
    changes = [place for place in range(len(ends)) if place == 0 or (place in here) != (place - 1 in here)]
    steps = "".join(
        f"{number(edges[place])}%{{visibility:{'visible' if place in here else 'hidden'}}}" for place in changes
    )
    still = "visible" if STILL in here else "hidden"
    animation = f"{name} {number(ends[-1])}s step-end {RUNS}"
    return f"@keyframes {name}{{{steps}}}.{name}{{visibility:{still};animation:{animation}}}\n"


def facts() -> dict[str, str]:
    """What the badges say: from the settings of the project, and what its checks demand."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    about, types = project["project"], project["tool"]["mypy"]
    coverage = re.search(r"--cov-fail-under=(\d+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    return {
        "version": about["version"],
        "Python": f"{about['requires-python'].removeprefix('>=')} or newer",
        "licence": about["license"],
        "types": "mypy, strict" if types["strict"] else "mypy",
        "coverage": f"at least {coverage[1]} %" if coverage else "not checked",
    }


def badges() -> str:
    """The facts, each in a box."""
    x, panels = 0.0, []
    for name, value in facts().items():
        first, whole = text_width(name, 11) + 12, text_width(name, 11) + text_width(value, 11, True) + 24
        box = rect(0.5, 0.5, whole - 1, 19, "@panel", "@line", 4) + text(7, 14, name, 11, "@muted")
        panels.append(Panel(x, 0, whole, 20, box + text(first + 5, 14, value, 11, bold=True)))
        x += whole + 6
    return _document(Scene(x - 6, 20, panels), _in_words(facts()))


def badge_line() -> str:
    """The badges as an image of the README."""
    return f"![{_in_words(facts())}](docs/images/badges.svg)"


def _in_words(pairs: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in pairs.items())


def _document(parts: Scene, words: str, style: str = "") -> str:
    """An SVG file that takes the colours of the reader's system."""
    document = drawn(parts, "page", int(parts.width), words)
    return document.replace(">", f"><style>{page_colours()}{style}</style>", 1) + "\n"


DRAWINGS: dict[str, Callable[[], str]] = {
    "rules-board": board,
    "rules-bidding": bidding,
    "rules-loading": loading,
    "rules-fire": fire,
    "rules-end": end,
    "film": partial(film, narrow=False),
    "film-phone": partial(film, narrow=True),
    "badges": badges,
}
"""What draws each file of docs/images."""

TABLES = {"badges": badge_line}


def draw(folder: Path) -> None:
    """Write every drawing."""
    for name, make in DRAWINGS.items():
        (folder / "images" / f"{name}.svg").write_text(make(), encoding="utf-8")
