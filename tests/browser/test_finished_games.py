"""Finished games on the page are reviewed there."""

from __future__ import annotations

from speicher_agents.review import Judge
from speicher_apps.web.reviews import GameReviews
from tests.browser.conftest import NewPage
from tests.support.axe import violations
from tests.support.served import Served
from tests.support.toy_judges import Even, Waiting


def test_a_finished_game_is_reviewed_and_leads_back(new_page: NewPage, served: Served, axe: str | None) -> None:
    served.state.reviews = GameReviews(lambda: Judge(Even()))
    game = served.deal(("human", "frugal"), "5")
    while not game["over"]:
        game = served.moved(game, -1)
    page = new_page(390, 844)
    page.goto(f"{served.address}#{game['id']}")
    page.focus("#review-start")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review-open", timeout=300_000)  # the first review on a machine compiles
    if axe:
        assert violations(page, axe) == [], "the panel"
    assert page.evaluate("document.activeElement.id") == "review-open", "the keyboard stays where it was"
    page.keyboard.press("Enter")
    page.wait_for_selector("#table .column, #table .seat")
    assert "You" in page.inner_text(".accounts") and "Bruno, easy" in page.inner_text(".accounts")
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if axe:
            assert violations(page, axe) == [], "the review"
    page.click("text=Back to the game")
    page.wait_for_selector("#review-open")


def test_a_review_can_be_stopped_while_it_is_made(new_page: NewPage, served: Served) -> None:
    judge = Waiting()
    served.state.reviews = GameReviews(lambda: Judge(judge))
    game = served.deal(("frugal", "frugal"), "5")
    while not game["over"]:
        game = served.moved(game)
    page = new_page()
    page.goto(f"{served.address}#{game['id']}")
    page.click("#review-start")
    page.wait_for_selector("#review progress")
    page.click("#review-stop")
    page.wait_for_selector("#review-start")
    judge.may.set()
