"""The page on a phone and on a desktop: what fits, contrast, names of all controls, the form and the rules."""

from __future__ import annotations

import pytest

from speicher_agents import load_agent
from speicher_env import Game
from tests.browser.conftest import NewPage
from tests.browser.page import LEGAL, NETWORK, YOURS_OR_OVER, game_after, show_dealt
from tests.support.axe import violations
from tests.support.contrast import AA, CONTRASTS
from tests.support.served import Served


@pytest.mark.parametrize(("players", "moves"), [(2, 12), (4, 90), (5, 150)])
def test_a_turn_on_a_phone_and_on_a_desktop_needs_no_scrolling(
    new_page: NewPage, served: Served, players: int, moves: int
) -> None:
    game = game_after(served, ("human", *["frugal"] * (players - 1)), moves)
    for size in ((390, 844), (1280, 800)):
        width, height = size
        page = new_page(*size)
        page.goto(f"{served.address}#{game['id']}")
        page.wait_for_selector("#turn.yours")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        own, turn = (page.locator(one).bounding_box() for one in (".seat.you", "#turn"))
        assert turn["y"] + turn["height"] <= height
        buttons = page.locator(f"{LEGAL} >> visible=true").evaluate_all(
            "(all) => all.map((one) => { const { right, bottom, height } = one.getBoundingClientRect();"
            " return [right, bottom, height] })"
        )
        assert buttons and all(right <= width and bottom <= height for right, bottom, _ in buttons)
        if width < 500:
            assert own["y"] + own["height"] <= turn["y"] + 12, "one's own things lie above the moves"
            assert all(tall >= 40 for _, _, tall in buttons), "large enough for a finger"
        else:
            assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_loading_with_many_moves_needs_no_scrolling_either(new_page: NewPage, served: Served) -> None:
    game, merchant = Game(4, seed=8), load_agent("merchant")
    while not (game.phase == "loading" and game.player == 0 and len(game.legal()) > 15):
        game.play(merchant.action(game))
    opened = served.post("open", {**game.to_record(), "seats": ["human", *["merchant"] * 3]})
    for size in ((390, 844), (1280, 800)):
        page = new_page(*size)
        page.goto(f"{served.address}#{opened['id']}")
        page.wait_for_selector("#turn.yours")
        assert page.locator(f"{LEGAL} >> visible=true").count() >= 8
        inside = page.locator("#turn").evaluate("(turn) => turn.scrollHeight - turn.clientHeight")
        assert inside <= 1, "nor is there anything out of sight in the panel"
        assert page.locator("#turn").bounding_box()["y"] + page.locator("#turn").bounding_box()["height"] <= size[1]


def test_on_a_phone_the_rules_can_be_closed_wherever_one_reads(new_page: NewPage, served: Served) -> None:
    page = new_page(390, 700, has_touch=True)
    show_dealt(page, served)
    page.click("#menu-button")
    page.click("#rules-button")
    for _ in range(2):
        box = page.locator("#rules-close").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 700
        page.evaluate("document.getElementById('rules').scrollTo(0, 9999)")
    page.click("#rules-close")
    assert not page.is_visible("#rules")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(new_page: NewPage, served: Served, scheme: str) -> None:
    page = new_page(390, 844, color_scheme=scheme, has_touch=True)
    game = game_after(served, ("human", "merchant", "frugal"), 30)
    page.goto(f"{served.address}#{game['id']}")
    page.wait_for_selector("#turn.yours")
    assert page.evaluate(CONTRASTS, AA) == []
    page.tap("#hint")
    page.wait_for_selector("#hint-body .bars, #advice:not([hidden])")
    assert page.evaluate(CONTRASTS, AA) == []


def test_everything_to_press_has_a_name(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    page.click("#new")
    page.wait_for_selector("#kept-list button")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, a[href]")].filter((one) =>
             !(one.ariaLabel || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML)"""
    )
    assert nameless == []


def test_the_form_offers_levels_of_play_that_fit_the_table(new_page: NewPage, served: Served) -> None:
    page = new_page()
    page.goto(served.address)
    page.wait_for_selector("#form-seat-1")
    page.select_option("#form-seat-1", NETWORK)
    for count in (3, 5, 2):
        page.check(f"input[name=count][value='{count}']")
        levels = page.locator("#form-seat-1 > option").evaluate_all("(all) => all.map((one) => one.value)")
        assert levels == ["human", "frugal", "merchant", "mcts:200", f"baseline:{count}p", "guided:200", "other"]
        assert page.input_value("#form-seat-1") == f"baseline:{count}p"


def test_the_rules_have_pictures_that_nobody_can_play_in(new_page: NewPage, served: Served, axe: str | None) -> None:
    page = new_page(390, 844)
    show_dealt(page, served)
    page.click("#menu-button")
    page.click("#rules-button")
    pictures = page.locator("#rules .picture")
    assert pictures.count() == 3 and all(pictures.nth(place).bounding_box()["height"] > 60 for place in range(3))
    assert pictures.locator("[data-action]").count() == 0
    assert page.locator("#rules").evaluate("(rules) => rules.scrollWidth <= rules.clientWidth")
    if axe:
        assert violations(page, axe) == []
    page.click("#rules-close")
    page.click("#menu-button")
    page.click("#rules-button")
    assert pictures.count() == 3, "drawn once"
