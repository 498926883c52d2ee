"""How a person moves on the page: by Tab and Enter, on the board, by touch; undo; what the page says of each move."""

from __future__ import annotations

from tests.browser.conftest import NewPage
from tests.browser.page import (
    LEGAL,
    YOURS_OR_OVER,
    loading_game,
    moves_told,
    play_first,
    show_dealt,
    until_at_most,
    until_more_than,
)
from tests.support.served import Served

TOUCHED = {
    "demand": ".column.legal",
    "purchase": ".card.legal",
    "loading": "[data-action^=deliver], [data-action^=sell]",
}
"""What is touched on the board in each phase."""


def test_moves_are_reached_with_tab_and_enter_and_the_focus_is_seen(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    before = moves_told(page)
    page.evaluate("document.activeElement.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#moves button')"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
    assert outline == "solid" and width >= 2
    assert page.locator("#table .pointed").count() == 1, "the focused move is shown in the drawing too"
    page.keyboard.press("Enter")
    until_more_than(page, before)
    page.wait_for_selector(YOURS_OR_OVER)
    assert page.evaluate("document.activeElement.closest('#turn') !== null"), "the focus stays where the moves are"


def test_undo_goes_back_to_the_persons_last_decision(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    at, question = moves_told(page), page.inner_text("#question")
    play_first(page)
    until_more_than(page, at + 1)
    page.wait_for_selector(YOURS_OR_OVER)
    page.click("#undo")
    until_at_most(page, at)
    assert page.inner_text("#question") == question


def test_what_is_legal_is_in_sight_and_what_is_not_lies_folded_below_with_its_reason(
    new_page: NewPage, served: Served
) -> None:
    game = loading_game(served)
    page = new_page()
    page.goto(f"{served.address}#{game['id']}")
    page.wait_for_selector("#turn.yours")
    assert page.locator(LEGAL).count() == len(game["legal"])
    assert page.locator(f"{LEGAL} >> visible=true").count() >= 3
    barred = page.locator("#moves button[aria-disabled]")
    assert not barred.first.is_visible()
    page.click("#moves summary:has-text('Not legal now')")
    barred.first.focus()
    page.keyboard.press("Enter")
    told = page.inner_text("#why")
    assert told.strip() and told.partition(": ")[2] in barred.first.inner_text()
    page.click("[data-move='end']")
    page.wait_for_selector("#turn:not(.yours), #moves:not(:has([data-move='end']))")


def test_a_move_that_is_not_legal_says_why(new_page: NewPage, served: Served) -> None:
    crowded = served.deal(("human",) * 5, "1")
    for _ in range(8):
        crowded = served.post(f"games/{crowded['id']}/play", {"at": crowded["at"], "action": "place 0"})
    page = new_page()
    page.goto(f"{served.address}#{crowded['id']}")
    page.wait_for_selector("#turn.yours")
    page.click("#moves summary:has-text('Not legal now')")
    page.locator("#moves button[aria-disabled]").focus()
    page.keyboard.press("Enter")
    assert "All 8 spaces above this card are taken" in page.inner_text("#why")
    assert moves_told(page) == 8


def test_a_touch_shows_what_it_would_do_and_the_second_plays(new_page: NewPage, served: Served) -> None:
    page = new_page(390, 844, has_touch=True)
    show_dealt(page, served, ("human", "human"))
    page.wait_for_selector("#turn.yours")
    page.tap("[data-action='place 1'] .card")
    assert "pays 1 coin" in page.inner_text("#preview") and moves_told(page) == 0
    assert page.locator("#table .pointed").count() == 1
    page.tap("[data-action='place 2'] .card")
    assert moves_told(page) == 0, "another one is shown first, too"
    page.tap("#preview-play")
    until_more_than(page, 0)
    assert "place" in page.inner_text("#log > li")


def test_moves_of_every_phase_are_made_on_the_board(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served, ("human", "human"))
    seen = set()
    while len(seen) < 3:
        page.wait_for_selector("#turn.yours")
        phase, before = page.locator("#game").get_attribute("data-phase"), moves_told(page)
        seen.add(phase)
        touched = page.locator(f"#table :is({TOUCHED[phase]})")
        if phase == "loading" and not touched.count():
            page.locator("#table .cubes [data-good]").first.click()
            assert page.is_visible("#all-moves"), "a cube shows what it can do"
            page.locator(LEGAL).first.click()
        else:
            touched.last.click()
        until_more_than(page, before)


def test_a_sold_card_says_who_bought_it_and_for_what(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served, ("human", "human"))
    for action in ("place 0", "place 1", "place 0", "place 1", "place 2", "place 2", "buy"):
        before = moves_told(page)
        page.click(f"#moves [data-move='{action}']")
        until_more_than(page, before)
    assert "for 2 coins" in page.locator(".column.sold").first.text_content()
    assert "Player" in page.locator(".column.sold").first.text_content()


def test_the_moves_since_ones_last_are_shown_again(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served, ("human", "merchant", "merchant"))
    page.select_option("#speed", "350")
    play_first(page)
    page.wait_for_selector("#turn.yours")
    board = page.inner_text("#table")
    page.keyboard.press("r")
    page.wait_for_selector("#game.replaying")
    assert page.inner_text("#table") != board
    page.wait_for_selector("#game:not(.replaying) #turn.yours")
    assert page.inner_text("#table") == board


def test_what_has_just_changed_is_framed_in_the_drawing_and_read_out_before_the_question(
    new_page: NewPage, served: Served
) -> None:
    page = new_page()
    show_dealt(page, served, ("human", "human"))
    page.wait_for_selector("#turn.yours")
    page.click("[data-action='place 1']")
    until_more_than(page, 0)
    assert page.locator("#table .fresh").count() == page.locator("#table [data-column='1'].fresh").count() == 1
    assert page.inner_text("#question") in page.text_content("#deed[aria-live=polite] .unseen")


def test_people_are_named_and_counted_from_one(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served, ("human", "merchant", "frugal"))
    assert page.locator(".seat .name").all_inner_texts() == ["You", "Bruno", "Clara"]
    assert page.locator(".seat h2 small").all_inner_texts() == ["", "medium", "easy"]
    show_dealt(page, served, ("human", "human"))
    page.wait_for_selector(".seat:nth-child(2) .name:has-text('Player')")
    assert set(page.locator(".seat .name").all_inner_texts()) == {"Player 1", "Player 2"}
    assert page.inner_text("#question").startswith(("Player 1: ", "Player 2: "))
