"""The page in a real browser: whole games by clicks and by keys, undo, hints, files, refreshing, a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speicher_agents import load_agent, views_of
from speicher_agents.review import Judge
from speicher_apps.cli import main
from speicher_apps.web.reviews import GameReviews
from speicher_env import ACTION_TEXTS, Game, check_record, replay
from tests.browser.conftest import NewPage
from tests.support.axe import axe_source, violations
from tests.support.contrast import AA, CONTRASTS
from tests.support.quick_player import SPEC
from tests.support.served import Served
from tests.support.toy_judges import Even, Waiting

YOURS_OR_OVER = "#turn.yours, #end:not([hidden])"
LEGAL = "#moves button:not([aria-disabled])"
NETWORK, SEARCH = "baseline:2p", "guided:200"
TOUCHED = {
    "demand": ".column.legal",
    "purchase": ".card.legal",
    "loading": "[data-action^=deliver], [data-action^=sell]",
}
"""What is touched on the board in each phase."""


def _open(page: Any, served: Served, seats: tuple[str, ...] = ("human", SPEC), seed: str = "7") -> dict[str, Any]:
    """Deal a game and show it, with the others playing at once."""
    game = served.deal(seats, seed)
    page.goto(f"{served.address}#{game['id']}")
    page.select_option("#speed", "0")
    page.wait_for_selector("#question:not(:empty)")
    return game


def _at(page: Any) -> int:
    return page.locator("#log > li").count()


def _until_more_than(page: Any, moves: int) -> None:
    """Wait until the page tells of more moves; the page forbids `eval`, which Playwright's wait_for_function needs."""
    page.wait_for_selector(f"#log > li:nth-child({moves + 1})", state="attached")


def _until_at_most(page: Any, moves: int) -> None:
    page.wait_for_selector(f"#log > li:nth-child({moves + 1})", state="detached")


def _loading(served: Served) -> Any:
    """A game whose person is loading, with moves to choose from and others that are not legal."""
    game = served.deal(("human", "merchant"), "7")
    while True:
        legal = game["legal"]
        if game["phase"] == "loading" and len(legal) > 6:
            return game
        change = ("play", {"action": legal[0]}) if game["yours"] else ("advance", {})
        game = served.post(f"games/{game['id']}/{change[0]}", {"at": game["at"], **change[1]})


def _play_first(page: Any) -> None:
    """Click the first legal move, and wait until it is played."""
    page.wait_for_selector("#turn.yours")
    before = _at(page)
    page.locator(LEGAL).first.click()
    _until_more_than(page, before)


def _play_to_the_end(page: Any) -> None:
    """Click a legal move in every decision, now this one and now that."""
    page.evaluate(
        """async () => {
          const moves = () => document.getElementById("log").children.length;
          while (document.getElementById("end").hidden) {
            if (document.getElementById("turn").classList.contains("yours")) {
              const before = moves();
              const legal = document.querySelectorAll("#moves button:not([aria-disabled])");
              legal[before % legal.length].click();
              while (moves() === before) await new Promise((done) => setTimeout(done, 5));
            } else await new Promise((done) => setTimeout(done, 5));
          }
        }"""
    )


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
    _play_to_the_end(page)
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


def test_a_hint_of_a_network_shows_bars_and_values_and_that_of_a_search_it_leads_a_line(
    new_page: NewPage, served: Served
) -> None:
    page = new_page()
    _open(page, served)
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


def test_a_whole_game_by_the_keyboard_alone(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
    pressed = 0
    while page.wait_for_selector(YOURS_OR_OVER).get_attribute("id") == "turn":
        keys, before = page.evaluate(
            """() => [[...document.querySelectorAll("#moves [aria-keyshortcuts]")].map((one) => one.ariaKeyShortcuts),
                      document.getElementById("log").children.length]"""
        )
        assert keys, "every decision has a move with a key"
        page.keyboard.press(keys[pressed % len(keys)])
        pressed += 1
        _until_more_than(page, before)
    assert pressed > 30


def test_moves_are_reached_with_tab_and_enter_and_the_focus_is_seen(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    before = _at(page)
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
    _until_more_than(page, before)
    page.wait_for_selector(YOURS_OR_OVER)
    assert page.evaluate("document.activeElement.closest('#turn') !== null"), "the focus stays where the moves are"


def test_undo_goes_back_to_the_persons_last_decision(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
    page.wait_for_selector(YOURS_OR_OVER)
    at, question = _at(page), page.inner_text("#question")
    _play_first(page)
    _until_more_than(page, at + 1)
    page.wait_for_selector(YOURS_OR_OVER)
    page.click("#undo")
    _until_at_most(page, at)
    assert page.inner_text("#question") == question


def test_a_hint_shows_bars_values_and_marks_its_move(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
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


def test_what_is_legal_is_in_sight_and_what_is_not_lies_folded_below_with_its_reason(
    new_page: NewPage, served: Served
) -> None:
    game = _loading(served)
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


def test_a_saved_game_passes_the_check_and_opens_again(
    new_page: NewPage, served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = new_page()
    _open(page, served)
    _play_first(page)
    page.wait_for_selector(YOURS_OR_OVER)
    at, first = _at(page), page.url
    with page.expect_download() as download:
        page.click("#save")
    file = tmp_path / "saved.jsonl"
    download.value.save_as(file)
    assert check_record(json.loads(file.read_text())) == []
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(file), "--check"])
    assert stopped.value.code == 0 and "no faults" in capsys.readouterr().out
    page.set_input_files("#open", file)
    page.wait_for_url(lambda address: address != first)
    assert _at(page) == at
    assert page.is_visible("#turn.yours")


def test_a_file_that_is_no_record_is_refused_in_words(new_page: NewPage, served: Served, tmp_path: Path) -> None:
    page = new_page(refusals=True)
    _open(page, served)
    file = tmp_path / "no-record.jsonl"
    file.write_text('{"format": "something else"}')
    page.set_input_files("#open", file)
    page.wait_for_selector("#warning:not([hidden])")
    assert "speicherstadt-record/1" in page.inner_text("#warning")


def test_a_busy_server_is_asked_again(new_page: NewPage, served: Served) -> None:
    page = new_page(refusals=True)
    answers = iter([503, 503])

    def busy(route: Any) -> None:
        status = next(answers, None)
        if status is None:
            route.continue_()
        else:
            route.fulfill(status=status, json={"error": "busy"})

    page.route("**/api/lobby*", busy)
    _open(page, served)
    assert next(answers, None) is None and not page.is_visible("#warning")


def test_two_games_at_once_do_not_touch(new_page: NewPage, served: Served) -> None:
    one, two = new_page(), new_page()
    first, second = _open(one, served, seed="1"), _open(two, served, ("human", SPEC, SPEC), seed="2")
    for page in (one, two, one):
        _play_first(page)
    two.wait_for_selector(YOURS_OR_OVER)
    one.wait_for_selector(YOURS_OR_OVER)
    told = {game["id"]: served.get(f"games/{game['id']}") for game in (first, second)}
    assert [len(told[game["id"]]["seats"]) for game in (first, second)] == [2, 3]
    assert [sum(move["seat"] == 0 for move in told[game["id"]]["log"]) for game in (first, second)] == [2, 1]
    assert [_at(page) for page in (one, two)] == [told[game["id"]]["at"] for game in (first, second)]


def test_a_refresh_in_the_middle_loses_nothing(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
    for _ in range(4):
        _play_first(page)
    page.wait_for_selector(YOURS_OR_OVER)
    at, question = _at(page), page.inner_text("#question")
    page.reload()
    page.wait_for_selector(YOURS_OR_OVER)
    assert _at(page) == at and page.inner_text("#question") == question
    assert page.input_value("#speed") == "0", "the chosen speed is kept too"


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
    at = _at(page)
    page.keyboard.press("n")
    _until_more_than(page, at)
    assert _at(page) == at + 1
    assert page.inner_text("#deed").strip()
    page.select_option("#speed", "0")
    _until_more_than(page, at + 6)
    page.select_option("#speed", "step")
    page.wait_for_timeout(300)  # a move that was on its way
    stopped = _at(page)
    page.wait_for_timeout(300)
    assert _at(page) == stopped


def test_a_hint_in_a_watched_game_holds_it_until_the_next_move(new_page: NewPage, served: Served) -> None:
    page = _watched(new_page, served)
    page.select_option("#speed", "350")
    _until_more_than(page, 1)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    assert page.locator("#table .advised").count() == 1
    held = _at(page)
    page.wait_for_timeout(800)
    assert _at(page) == held and page.locator("#hint-body .bars").count() == 2
    page.keyboard.press("n")
    _until_more_than(page, held + 2)  # and on by itself
    page.keyboard.press("h")
    page.wait_for_selector("#hint-body .bars")
    held = _at(page)
    page.click("#hint-close")
    _until_more_than(page, held)


def test_hints_at_every_move_go_along_with_a_watched_game(new_page: NewPage, served: Served) -> None:
    page = _watched(new_page, served)
    page.select_option("#speed", "350")
    page.click("#hint")
    page.wait_for_selector("#hint-body .bars")
    page.check("#hint-always")
    _until_more_than(page, _at(page) + 2)
    page.wait_for_selector("#hint-body .bars")
    page.keyboard.press("u")  # a box that was ticked takes no keys
    page.select_option("#speed", "step")
    page.wait_for_selector("#next:not([hidden])")


def test_what_has_just_changed_is_framed_in_the_drawing_and_read_out_before_the_question(
    new_page: NewPage, served: Served
) -> None:
    page = new_page()
    _open(page, served, ("human", "human"))
    page.wait_for_selector("#turn.yours")
    page.click("[data-action='place 1']")
    _until_more_than(page, 0)
    assert page.locator("#table .fresh").count() == page.locator("#table [data-column='1'].fresh").count() == 1
    assert page.inner_text("#question") in page.text_content("#deed[aria-live=polite] .unseen")


def test_playing_again_deals_another_game_to_the_same_players(new_page: NewPage, served: Served) -> None:
    game = served.deal((SPEC, SPEC, SPEC), "13")
    while not game["over"]:
        game = served.post(f"games/{game['id']}/advance", {"at": game["at"]})
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


def test_on_a_phone_the_rules_can_be_closed_wherever_one_reads(new_page: NewPage, served: Served) -> None:
    page = new_page(390, 700, has_touch=True)
    _open(page, served)
    page.click("#menu-button")
    page.click("#rules-button")
    for _ in range(2):
        box = page.locator("#rules-close").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 700
        page.evaluate("document.getElementById('rules').scrollTo(0, 9999)")
    page.click("#rules-close")
    assert not page.is_visible("#rules")


def test_everything_to_press_has_a_name(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served)
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
    assert _at(page) == 8


def test_people_are_named_and_counted_from_one(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served, ("human", "merchant", "frugal"))
    assert page.locator(".seat .name").all_inner_texts() == ["You", "Bruno", "Clara"]
    assert page.locator(".seat h2 small").all_inner_texts() == ["", "medium", "easy"]
    _open(page, served, ("human", "human"))
    page.wait_for_selector(".seat:nth-child(2) .name:has-text('Player')")
    assert set(page.locator(".seat .name").all_inner_texts()) == {"Player 1", "Player 2"}
    assert page.inner_text("#question").startswith(("Player 1: ", "Player 2: "))


def test_a_touch_shows_what_it_would_do_and_the_second_plays(new_page: NewPage, served: Served) -> None:
    page = new_page(390, 844, has_touch=True)
    _open(page, served, ("human", "human"))
    page.wait_for_selector("#turn.yours")
    page.tap("[data-action='place 1'] .card")
    assert "pays 1 coin" in page.inner_text("#preview") and _at(page) == 0
    assert page.locator("#table .pointed").count() == 1
    page.tap("[data-action='place 2'] .card")
    assert _at(page) == 0, "another one is shown first, too"
    page.tap("#preview-play")
    _until_more_than(page, 0)
    assert "place" in page.inner_text("#log > li")


def test_moves_of_every_phase_are_made_on_the_board(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served, ("human", "human"))
    seen = set()
    while len(seen) < 3:
        page.wait_for_selector("#turn.yours")
        phase, before = page.locator("#game").get_attribute("data-phase"), _at(page)
        seen.add(phase)
        touched = page.locator(f"#table :is({TOUCHED[phase]})")
        if phase == "loading" and not touched.count():
            page.locator("#table .cubes [data-good]").first.click()
            assert page.is_visible("#all-moves"), "a cube shows what it can do"
            page.locator(LEGAL).first.click()
        else:
            touched.last.click()
        _until_more_than(page, before)


def test_a_sold_card_says_who_bought_it_and_for_what(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served, ("human", "human"))
    for action in ("place 0", "place 1", "place 0", "place 1", "place 2", "place 2", "buy"):
        before = _at(page)
        page.click(f"#moves [data-move='{action}']")
        _until_more_than(page, before)
    assert "for 2 coins" in page.locator(".column.sold").first.text_content()
    assert "Player" in page.locator(".column.sold").first.text_content()


def test_the_moves_since_ones_last_are_shown_again(new_page: NewPage, served: Served) -> None:
    page = new_page()
    _open(page, served, ("human", "merchant", "merchant"))
    page.select_option("#speed", "350")
    _play_first(page)
    page.wait_for_selector("#turn.yours")
    board = page.inner_text("#table")
    page.keyboard.press("r")
    page.wait_for_selector("#game.replaying")
    assert page.inner_text("#table") != board
    page.wait_for_selector("#game:not(.replaying) #turn.yours")
    assert page.inner_text("#table") == board


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
        _play_first(page)
        page.wait_for_selector(YOURS_OR_OVER)
        if page.is_visible("#lesson"):
            lessons.add(page.inner_text("#lesson-words"))
    assert len(lessons) >= 4
    page.evaluate("document.getElementById('lesson-stop').click()")
    _play_first(page)
    assert not page.is_visible("#lesson")


@pytest.mark.parametrize(("players", "moves"), [(2, 12), (4, 90), (5, 150)])
def test_a_turn_on_a_phone_and_on_a_desktop_needs_no_scrolling(
    new_page: NewPage, served: Served, players: int, moves: int
) -> None:
    game = _after(served, ("human", *["frugal"] * (players - 1)), moves)
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


def _after(served: Served, seats: tuple[str, ...], moves: int) -> dict[str, Any]:
    """A game in which a person is to move after at least that many moves."""
    game = served.deal(seats, "3")
    while game["at"] < moves or not game["yours"]:
        change = ("play", {"action": game["legal"][0]}) if game["yours"] else ("advance", {})
        game = served.post(f"games/{game['id']}/{change[0]}", {"at": game["at"], **change[1]})
    return game


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(new_page: NewPage, served: Served, scheme: str) -> None:
    page = new_page(390, 844, color_scheme=scheme, has_touch=True)
    game = _after(served, ("human", "merchant", "frugal"), 30)
    page.goto(f"{served.address}#{game['id']}")
    page.wait_for_selector("#turn.yours")
    assert page.evaluate(CONTRASTS, AA) == []
    page.tap("#hint")
    page.wait_for_selector("#hint-body .bars, #advice:not([hidden])")
    assert page.evaluate(CONTRASTS, AA) == []


@pytest.fixture(scope="module")
def axe() -> str | None:
    return axe_source()


def test_the_rules_have_pictures_that_nobody_can_play_in(new_page: NewPage, served: Served, axe: str | None) -> None:
    page = new_page(390, 844)
    _open(page, served)
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


def test_a_finished_game_is_reviewed_and_leads_back(new_page: NewPage, served: Served, axe: str | None) -> None:
    served.state.reviews = GameReviews(lambda: Judge(Even()))
    game = served.deal(("human", "frugal"), "5")
    while not game["over"]:
        change = ("play", {"action": game["legal"][-1]}) if game["yours"] else ("advance", {})
        game = served.post(f"games/{game['id']}/{change[0]}", {"at": game["at"], **change[1]})
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
        game = served.post(f"games/{game['id']}/advance", {"at": game["at"]})
    page = new_page()
    page.goto(f"{served.address}#{game['id']}")
    page.click("#review-start")
    page.wait_for_selector("#review progress")
    page.click("#review-stop")
    page.wait_for_selector("#review-start")
    judge.may.set()
