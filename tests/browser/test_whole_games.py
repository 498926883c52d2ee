"""Whole games on the page: by clicks, by keys alone, by a network's hints; the first game, the next, two at once."""

from __future__ import annotations

from speicher_agents import load_agent, views_of
from speicher_env import ACTION_TEXTS, Game, check_record, replay
from tests.browser.conftest import NewPage
from tests.browser.page import (
    LEGAL,
    NETWORK,
    YOURS_OR_OVER,
    moves_told,
    play_first,
    play_to_the_end,
    show_dealt,
    until_more_than,
)
from tests.support.quick_player import SPEC
from tests.support.served import Served


def test_a_whole_game_by_clicks_from_the_form_to_the_final_points(new_page: NewPage, served: Served) -> None:
    page = new_page()
    page.goto(served.address)
    page.check("input[name=count][value='3']")
    page.select_option("#form-seat-1", SPEC)
    page.select_option("#form-seat-2", SPEC)
    page.fill("#form-seed", "11")
    page.click("#form-submit")
    page.select_option("#speed", "0")
    page.wait_for_selector(YOURS_OR_OVER)
    page.click("[data-action='place 1']")  # in the drawing
    page.wait_for_selector("#log > li:has-text('You place a worker above')", state="attached")
    page.wait_for_selector(YOURS_OR_OVER)
    page.locator(LEGAL).last.click()
    play_to_the_end(page)
    game = Game.from_record(served.state.sessions.storage.read(page.url.partition("#")[2]))
    assert game.over and game.seed == 11
    totals = page.locator("#end tr.total td").all_inner_texts()
    assert [int(text.replace("−", "-")) for text in totals] == [points["total"] for points in game.points()]
    assert ("You", "Bruno", "Clara")[game.winners()[0]] in page.inner_text("#end h2")
    assert page.locator(LEGAL).count() == 0


def test_a_whole_game_by_clicks_against_a_trained_network_on_its_own_hints(new_page: NewPage, served: Served) -> None:
    page = new_page()
    page.goto(served.address)
    page.wait_for_selector("#form-seat-1")
    page.select_option("#form-seat-1", NETWORK)
    page.fill("#form-seed", "12")
    page.click("#form-submit")
    page.select_option("#speed", "0")
    page.wait_for_selector(YOURS_OR_OVER)
    page.click("#hint")
    page.check("#hint-always")
    page.evaluate(
        """async () => {
          while (document.getElementById("end").hidden) {
            document.querySelector("#moves .advised")?.click();
            await new Promise((done) => setTimeout(done, 5));
          }
        }"""
    )
    record = served.state.sessions.storage.read(page.url.partition("#")[2])
    assert record["seats"] == ["human", NETWORK] and check_record(record) == []
    network = load_agent(NETWORK)
    for game, action in replay(record):
        if action is not None:
            assert action == ACTION_TEXTS[int(network.act(views_of(game))[0])], "both play what the network would"
    assert page.locator("#end tr.total td").count() == 2


def test_a_whole_game_by_the_keyboard_alone(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    pressed = 0
    while page.wait_for_selector(YOURS_OR_OVER).get_attribute("id") == "turn":
        keys, before = page.evaluate(
            """() => [[...document.querySelectorAll("#moves [aria-keyshortcuts]")].map((one) => one.ariaKeyShortcuts),
                      document.getElementById("log").children.length]"""
        )
        assert keys, "every decision has a move with a key"
        page.keyboard.press(keys[pressed % len(keys)])
        pressed += 1
        until_more_than(page, before)
    assert pressed > 30


def test_the_first_game_explains_itself(new_page: NewPage, served: Served) -> None:
    page = new_page()
    page.goto(served.address)
    page.wait_for_selector("#form-submit")
    page.click("#form-close")
    page.click("#learn")
    page.wait_for_selector("#lesson:not([hidden])")
    page.select_option("#speed", "0")
    lessons = {page.inner_text("#lesson-words")}
    for _ in range(12):
        play_first(page)
        page.wait_for_selector(YOURS_OR_OVER)
        if page.is_visible("#lesson"):
            lessons.add(page.inner_text("#lesson-words"))
    assert len(lessons) >= 4
    page.evaluate("document.getElementById('lesson-stop').click()")
    play_first(page)
    assert not page.is_visible("#lesson")


def test_two_games_at_once_do_not_touch(new_page: NewPage, served: Served) -> None:
    one, two = new_page(), new_page()
    first, second = show_dealt(one, served, seed="1"), show_dealt(two, served, ("human", SPEC, SPEC), seed="2")
    for page in (one, two, one):
        play_first(page)
    two.wait_for_selector(YOURS_OR_OVER)
    one.wait_for_selector(YOURS_OR_OVER)
    told = {game["id"]: served.get(f"games/{game['id']}") for game in (first, second)}
    assert [len(told[game["id"]]["seats"]) for game in (first, second)] == [2, 3]
    assert [sum(move["seat"] == 0 for move in told[game["id"]]["log"]) for game in (first, second)] == [2, 1]
    assert [moves_told(page) for page in (one, two)] == [told[game["id"]]["at"] for game in (first, second)]


def test_playing_again_deals_another_game_to_the_same_players(new_page: NewPage, served: Served) -> None:
    game = served.deal((SPEC, SPEC, SPEC), "13")
    while not game["over"]:
        game = served.moved(game)
    page = new_page()
    page.goto(f"{served.address}#{game['id']}")
    page.click("#again")
    page.wait_for_selector("#end", state="hidden")
    read = served.state.sessions.storage.read
    old, new = read(game["id"]), read(page.url.partition("#")[2])
    assert new["seats"] == old["seats"] and new["result"] is None
    assert new["pile"] != old["pile"], "a fresh seed"


def test_a_seed_is_used_for_one_game(new_page: NewPage, served: Served) -> None:
    page = new_page()
    page.goto(served.address)
    page.wait_for_selector("#form-seat-1")
    page.fill("#form-seed", "12")
    page.click("#form-submit")
    page.wait_for_selector("#turn.yours")
    page.click("#new")
    assert page.input_value("#form-seed") == "", "the next game is another one"
