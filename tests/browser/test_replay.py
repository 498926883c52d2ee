"""A replay file in a real browser, opened from disk: keys, jumps, autoplay, the legal moves, thoughts, a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.cli import main
from speicher_env import Game
from tests.browser.conftest import NewPage
from tests.support.contrast import AA, CONTRASTS

MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A recorded game whose second seat thinks, and the page made of it."""
    folder = tmp_path_factory.mktemp("replay")
    games, page = folder / "games.jsonl", folder / "game.html"
    with_players = ["--with", "random,mcts:3"]
    for command in (["record", *with_players, "--think", "--seed", "5", "-o"], ["replay", "--html", str(page)]):
        with pytest.raises(SystemExit, match="0"):
            main([*command, str(games)])
    found: dict[str, Any] = json.loads(games.read_text(encoding="utf-8"))
    return {**found, "page": page}


def _open(page: Any, record: dict[str, Any]) -> Any:
    path: Path = record["page"]
    page.goto(path.as_uri())
    page.wait_for_selector("#table svg")
    return page


def _position(page: Any) -> int:
    return int(page.input_value("#slider"))


def test_keys_and_the_slider_go_through_the_whole_game(new_page: NewPage, record: dict[str, Any]) -> None:
    page = _open(new_page(), record)
    assert _position(page) == 0
    before = page.inner_html("#table")
    page.keyboard.press("ArrowRight")
    assert _position(page) == 1 and page.inner_html("#table") != before
    page.keyboard.press("ArrowLeft")
    assert _position(page) == 0 and page.inner_html("#table") == before
    page.keyboard.press("End")
    assert _position(page) == len(record["moves"])
    for points in record["result"]["points"]:
        assert str(points).replace("-", MINUS) in page.inner_text("#points")
    page.keyboard.press("Home")
    assert _position(page) == 0


def test_each_position_lists_its_legal_moves(new_page: NewPage, record: dict[str, Any]) -> None:
    page = _open(new_page(), record)
    game = Game.from_record({**record, "moves": [], "think": [], "result": None})
    for move in record["moves"][:6]:
        assert page.locator("#legal > li").count() == len(game.legal())
        game.play(move["action"])
        page.keyboard.press("ArrowRight")


def test_what_a_player_thought_is_shown_where_the_record_tells(new_page: NewPage, record: dict[str, Any]) -> None:
    page = _open(new_page(), record)
    told = next(index for index, entry in enumerate(record["think"]) if "values" in entry)
    for _ in range(told):
        page.keyboard.press("ArrowRight")
    assert record["think"][told]["player"] in page.inner_text("#thinker")
    assert page.inner_text("#values").strip() and page.inner_text("#line").strip()


def test_autoplay_moves_on_and_stops(new_page: NewPage, record: dict[str, Any]) -> None:
    page = _open(new_page(), record)
    page.select_option("#speed", "200")
    page.click("#play")
    page.wait_for_timeout(1000)
    page.click("#play")
    reached = _position(page)
    assert reached >= 2
    page.wait_for_timeout(500)
    assert _position(page) == reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_move_in_words_stands_by_the_buttons(
    new_page: NewPage, record: dict[str, Any], scheme: str
) -> None:
    page = _open(new_page(width=390, height=800, color_scheme=scheme), record)
    page.keyboard.press("ArrowRight")
    said, button = page.locator("#said"), page.locator("#next")
    assert said.inner_text() == page.inner_text("#move")
    box, pressed = said.bounding_box(), button.bounding_box()
    assert box["y"] + box["height"] <= pressed["y"] and pressed["y"] + pressed["height"] <= 800
    assert page.evaluate(CONTRASTS, AA) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    assert not said.is_visible(), "beside the table there is room for it"


def test_a_phone_shows_all_without_scrolling_sideways(new_page: NewPage, record: dict[str, Any]) -> None:
    page = _open(new_page(width=390, height=800), record)
    page.keyboard.press("End")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
