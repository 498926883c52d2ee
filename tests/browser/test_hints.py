"""Hints on the page, in one's own game and in one that is only watched."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import NewPage
from tests.browser.page import LEGAL, NETWORK, YOURS_OR_OVER, moves_told, show_dealt, until_more_than
from tests.support.quick_player import SPEC
from tests.support.served import Served

SEARCH = "guided:200"


def test_a_hint_shows_bars_values_and_marks_its_move(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    page.evaluate(f"document.getElementById('hint-from').value = '{SPEC}'")
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    shares = page.locator("#hint-body .bars:not(.values) .figure").all_inner_texts()
    assert shares[0] == "60 %" and len(shares) == 3
    wide, narrow = (
        page.locator("#hint-body .bars:not(.values) .fill").nth(place).bounding_box()["width"] for place in (0, 1)
    )
    assert wide / narrow == pytest.approx(3, abs=0.1)
    assert page.locator("#hint-body .values .figure").all_inner_texts() == ["+1.00", "−1.00"]
    assert page.locator("#table .advised").count() == 1
    assert page.locator("#moves .advised .chance").inner_text() == "60 %"


def test_a_hint_of_a_network_shows_bars_and_values_and_that_of_a_search_it_leads_a_line(
    new_page: NewPage, served: Served
) -> None:
    page = new_page()
    show_dealt(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    assert page.input_value("#hint-from") == NETWORK
    legal = page.locator(LEGAL).count()
    for shown in ("#hint-body .bars:not(.values) li", "#moves .chance", "#moves .chance-bar"):
        assert page.locator(shown).count() == legal, shown
    assert page.locator("#hint-body .values li").count() == 2
    assert page.locator("#hint-body .line").count() == 0, "a network does not look ahead"
    page.select_option("#hint-from", SEARCH)
    page.wait_for_selector("#hint-body .line li:nth-child(3)")
    assert page.locator("#hint-body .values li").count() == 2


def _watched(new_page: NewPage, served: Served) -> Any:
    """The page with a game that people only watch."""
    page = new_page()
    game = served.deal((SPEC, SPEC), "5")
    page.goto(f"{served.address}#{game['id']}")
    return page


def test_watching_can_be_stopped_and_stepped(new_page: NewPage, served: Served) -> None:
    page = _watched(new_page, served)
    page.select_option("#speed", "step")
    page.wait_for_selector("#next")
    at = moves_told(page)
    page.keyboard.press("n")
    until_more_than(page, at)
    assert moves_told(page) == at + 1
    assert page.inner_text("#deed").strip()
    page.select_option("#speed", "0")
    until_more_than(page, at + 6)
    page.select_option("#speed", "step")
    page.wait_for_timeout(300)  # a move that was on its way
    stopped = moves_told(page)
    page.wait_for_timeout(300)
    assert moves_told(page) == stopped


def test_a_hint_in_a_watched_game_holds_it_until_the_next_move(new_page: NewPage, served: Served) -> None:
    page = _watched(new_page, served)
    page.select_option("#speed", "350")
    until_more_than(page, 1)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    assert page.locator("#table .advised").count() == 1
    held = moves_told(page)
    page.wait_for_timeout(800)
    assert moves_told(page) == held and page.locator("#hint-body .bars").count() == 2
    page.keyboard.press("n")
    until_more_than(page, held + 2)  # and on by itself
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    held = moves_told(page)
    page.click("#hint-close")
    until_more_than(page, held)


def test_hints_at_every_move_go_along_with_a_watched_game(new_page: NewPage, served: Served) -> None:
    page = _watched(new_page, served)
    page.select_option("#speed", "350")
    page.click("#hint")
    page.wait_for_selector("#hint-body .bars")
    page.check("#hint-always")
    until_more_than(page, moves_told(page) + 2)
    page.wait_for_selector("#hint-body .bars")
    page.keyboard.press("u")  # a box that was ticked takes no keys
    page.select_option("#speed", "step")
    page.wait_for_selector("#next:not([hidden])")
