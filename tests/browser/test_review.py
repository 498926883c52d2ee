"""A review in a real browser, opened from disk: the graph, the lists, the judgement of a move, a phone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from speicher_agents.review import Judge, Review, review_game
from speicher_apps.review_page import page as page_of
from tests.browser.conftest import NewPage
from tests.support.contrast import AA, CONTRASTS
from tests.support.games import random_game
from tests.support.toy_judges import Richest

RECORD = {**random_game(2, seed=1).to_record(), "seats": ["ann", "<b>bob</b>"]}


@pytest.fixture(scope="module")
def review() -> Review:
    return review_game(RECORD, Judge(Richest()), supplies=2)


@pytest.fixture(scope="module")
def address(review: Review, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("review") / "review.html"
    path.write_text(page_of(RECORD, review), encoding="utf-8")
    return path.as_uri()


def _open(page: Any, address: str) -> Any:
    page.goto(address)
    page.wait_for_selector("#table svg")
    return page


def test_a_mistake_of_the_list_is_shown_with_the_better_move(new_page: NewPage, address: str, review: Review) -> None:
    page = _open(new_page(), address)
    worst = max(review.decisions, key=lambda decision: decision.loss)
    assert worst.grade is not None
    page.click(f'[data-grade] .goes[data-step="{worst.move - 1}"]')
    assert int(page.input_value("#slider")) == worst.move - 1
    assert worst.grade in page.inner_text("#judged") and page.inner_text("#said").endswith(("?", "?!"))
    assert page.locator("#better li").count() >= 1 and page.locator("#table .better").count() == 1
    assert page.locator("#table").bounding_box()["y"] < 800
    page.keyboard.press("End")
    assert not page.is_visible("#better") and "now" in page.inner_text("#shares")


def test_the_graph_is_as_high_as_all_shares_together(new_page: NewPage, address: str, review: Review) -> None:
    """Each area begins where the one above it ends."""
    chart = _open(new_page(), address).inner_html("#graph")
    wide = chart[: chart.index("chart narrow")]
    areas = re.findall(r'<path d="M([^"]+)Z" fill="var\(--sp-seat(\d)\)" stroke="var\(--sp-paper\)"', wide)
    assert [seat for _, seat in areas] == ["0", "1"]
    above, below = ([tuple(map(float, corner.split())) for corner in outline.split("L")] for outline, _ in areas)
    steps = len(review.decisions) + 1
    assert list(reversed(above[steps:])) == below[:steps]
    assert len({height for _, height in above[:steps]}) == len({height for _, height in below[steps:]}) == 1


def test_names_from_a_record_are_shown_as_text(new_page: NewPage, address: str) -> None:
    page = _open(new_page(), address)
    assert "Seat 2, <b>bob</b>" in page.locator(".account").nth(1).inner_text()
    assert page.locator("main b").count() == 0


def test_the_graph_leads_to_the_move_at_its_place(new_page: NewPage, address: str) -> None:
    page = _open(new_page(), address)
    box = page.locator(".chart.wide").bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
    moves = len(RECORD["moves"])
    assert abs(int(page.input_value("#slider")) - 0.69 * moves) < 0.04 * moves


def test_mistakes_can_be_listed_seat_by_seat(new_page: NewPage, address: str, review: Review) -> None:
    page = _open(new_page(), address)
    of_seat = sum(decision.grade is not None and decision.seat == 1 for decision in review.decisions)
    everybody = page.locator("[data-grade]:visible").count()
    page.click("#filter button:last-child")
    assert page.locator("[data-grade]:visible").count() == of_seat < everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_words_stand_out_and_nothing_is_cut_off(new_page: NewPage, address: str, width: int, scheme: str) -> None:
    page = _open(new_page(width=width, height=800, color_scheme=scheme), address)
    page.click("details summary >> nth=0")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRASTS, AA) == []
    assert page.locator(".chart:visible").count() == 1
