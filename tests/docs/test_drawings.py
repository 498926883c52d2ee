"""The drawings of the site are current, and the film shows a game as it was played."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from docs import drawings
from docs.generate import PAGES, marked_pages
from speicher_env import Game
from speicher_env.render.drawing.palette import paint
from speicher_env.render.drawing.table import scene

LARGEST_FILM = 1_000_000
"""Bytes."""
RULE = re.compile(r"@keyframes (film\d+)\{(.*?)\}\.film\d+\{visibility:(\w+);")
FRAME = re.compile(r"([\d.]+)%\{visibility:(\w+)\}")


@pytest.mark.parametrize("name", drawings.DRAWINGS)
def test_a_committed_drawing_is_current(name: str) -> None:
    committed = (PAGES / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert committed == drawings.DRAWINGS[name](), "python -m docs.generate draws it"


@pytest.mark.parametrize("name", drawings.DRAWINGS)
def test_every_drawing_is_on_a_page(name: str) -> None:
    assert any(f"images/{name}.svg" in page.read_text(encoding="utf-8") for page in marked_pages())


@pytest.mark.parametrize("narrow", [False, True])
def test_the_film_shows_each_position_at_its_time_and_one_without_motion(narrow: bool) -> None:
    film = drawings.film(narrow)
    assert len(film.encode()) < LARGEST_FILM
    states = drawings.positions("film")[drawings.FILM_FROM :]
    seconds = np.array([drawings.SECONDS[Game.from_state(state).phase] for state in states])
    middles = 100 * (seconds.cumsum() - seconds / 2) / seconds.sum()
    for state, middle in zip(states, middles, strict=True):
        assert visible_texts(film, middle) == texts_of(state, narrow)
    assert visible_texts(film, None) == texts_of(states[drawings.STILL], narrow)
    assert "@media (prefers-reduced-motion:reduce){[class^=film]{animation:none}}" in film


def texts_of(state: np.void, narrow: bool) -> Counter[str]:
    """How often each text is in the drawing of a position."""
    inner = "".join(paint(panel.drawing, "page") for panel in scene(state, None, narrow).panels)
    return texts(ElementTree.fromstring(f"<svg>{inner}</svg>"), set())


def visible_texts(film: str, percent: float | None) -> Counter[str]:
    """The same of a film, at a part of its time; without motion if that is None."""
    hidden = set()
    for name, frames, still in RULE.findall(film):
        begun = [look for start, look in FRAME.findall(frames) if percent is not None and float(start) <= percent]
        if (begun[-1] if begun else still) == "hidden":
            hidden.add(name)
    return texts(ElementTree.fromstring(film), hidden)


def texts(element: ElementTree.Element, hidden: set[str]) -> Counter[str]:
    """The texts inside an element that are not in one of the hidden groups, nor a tooltip."""
    if element.get("class") in hidden or element.tag.endswith(("title", "style")):
        return Counter()
    found = Counter([element.text] if element.text else [])
    for part in element:
        found += texts(part, hidden)
    return found
