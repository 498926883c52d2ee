"""The page without a server: whole games in the browser, saved, opened, and without a network."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from speicher_agents import load_agent
from speicher_agents.review import Judge, as_json, review_game
from speicher_apps.wasm import WasmError, linker
from speicher_apps.web.site import FIRST_LOAD, build_site
from speicher_env import Game, check_record
from tests.support.games import random_game
from tests.support.wasm_check import FOLDER

SEAT_STREAM = 0x9E3779B97F4A7C15
"""What the page multiplies a game's seed by, for the seeds of its players."""
REVIEW_ITERATIONS, SUPPLIES = 12, 12
"""Fewer than on the real page, so that a review takes seconds."""
YOURS_OR_OVER = "#turn.yours, #end:not([hidden])"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *parts: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        linker()
    except WasmError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("site")
    build_site(folder, FOLDER)
    tables = json.loads((folder / "static" / "tables.json").read_text())
    tables["inBrowser"]["review"] |= {"iterations": REVIEW_ITERATIONS, "supplies": SUPPLIES}
    (folder / "static" / "tables.json").write_text(json.dumps(tables))
    return folder


@pytest.fixture
def site(folder: Path) -> Iterator[http.server.ThreadingHTTPServer]:
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(browser: Any, site: http.server.ThreadingHTTPServer) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"http://127.0.0.1:{site.server_address[1]}/")
    page.wait_for_selector("#form-seat-1")
    yield page
    assert complaints == []
    context.close()


def _deal(page: Any, *seats: str, seed: str = "11") -> None:
    page.check(f"input[name=count][value='{len(seats)}']")
    for place, spec in enumerate(seats):
        page.select_option(f"#form-seat-{place}", spec)
    page.fill("#form-seed", seed)
    page.click("#form-submit")
    page.select_option("#speed", "0")
    page.wait_for_selector(YOURS_OR_OVER)


def _play_to_the_end(page: Any) -> None:
    while page.wait_for_selector(YOURS_OR_OVER).get_attribute("id") == "turn":
        before = page.locator("#log > li").count()
        page.evaluate("document.querySelector('#moves button:not([aria-disabled])').click()")
        page.wait_for_selector(f"#log > li:nth-child({before + 1})", state="attached")


def test_a_whole_game_in_the_browser_is_a_right_record_and_opens_again(page: Any, tmp_path: Path) -> None:
    _deal(page, "human", "mcts:200")
    _play_to_the_end(page)
    with page.expect_download() as download:
        page.click("#save")
    file = tmp_path / "saved.jsonl"
    download.value.save_as(file)
    record = json.loads(file.read_text())
    assert check_record(record) == [] and record["seats"] == ["human", "mcts:200"]
    totals = page.locator("#end tr.total td").all_inner_texts()
    assert [int(text.replace("−", "-")) for text in totals] == record["result"]["points"]
    address = page.url
    page.set_input_files("#open", file)
    page.wait_for_url(lambda now: now != address)
    assert page.locator("#log > li").count() == len(record["moves"])


@pytest.mark.parametrize("spec", ["baseline:2p", "guided:200"])
def test_networks_in_the_browser_play_as_in_python(page: Any, tmp_path: Path, spec: str) -> None:
    player = load_agent(spec)
    player.reset((11 * SEAT_STREAM + 1) % 2**63)
    _deal(page, "human", spec)
    for _ in range(6):
        page.wait_for_selector(YOURS_OR_OVER)
        page.evaluate("document.querySelector('#moves button:not([aria-disabled])').click()")
        page.wait_for_timeout(100)
    page.wait_for_selector(YOURS_OR_OVER)
    with page.expect_download() as download:
        page.click("#save")
    file = tmp_path / "saved.jsonl"
    download.value.save_as(file)
    record = json.loads(file.read_text())
    game = Game(2, seed=11)
    asked = 0
    for move in record["moves"]:
        if move["player"] == 1:
            assert game.legal_ids() and player.action(game) == _id(move["action"])
            asked += 1
        game.play(move["action"])
    assert asked >= 4


def _id(text: str) -> int:
    from speicher_env import ACTION_TEXTS

    return ACTION_TEXTS.index(text)


def test_a_hint_of_a_network_values_every_seat_of_a_larger_table(page: Any) -> None:
    _deal(page, "human", "human", "human", "human")
    page.click("#hint")
    page.wait_for_selector("#hint-body .values")
    assert page.input_value("#hint-from") == "baseline:4p"
    thought = load_agent("baseline:4p").action_and_thought(Game(4, seed=11))[1]
    assert thought is not None and thought.values is not None
    shown = [float(text.replace("−", "-")) for text in page.locator("#hint-body .values .figure").all_inner_texts()]
    assert shown == pytest.approx(thought.values, abs=0.006)


def test_it_opens_without_a_network_once_it_was_loaded(page: Any, site: http.server.ThreadingHTTPServer) -> None:
    home = page.url
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_selector("#form-seat-1")
    _deal(page, "human", "human")
    page.click("#hint")  # loads the network for two
    page.wait_for_selector("#hint-body .values")
    site.shutdown()
    site.server_close()
    page.goto(home)
    page.wait_for_selector("#form-seat-1")
    _deal(page, "human", "guided:200")
    page.evaluate("document.querySelector('#moves button:not([aria-disabled])').click()")
    page.wait_for_selector("#log > li:has-text('Bruno')", state="attached")


def test_the_first_visit_loads_little_and_nothing_runs_that_was_written_into_the_page(folder: Path) -> None:
    files = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".weights"]
    assert sum(file.stat().st_size for file in files) < FIRST_LOAD / 10
    index = (folder / "index.html").read_text()
    assert "Content-Security-Policy" in index and "'unsafe-eval'" not in index and "unsafe-inline" not in index
    assert "onclick" not in index and "<script>" not in index


def test_a_damaged_file_and_a_game_from_elsewhere_are_refused_in_a_sentence(page: Any, tmp_path: Path) -> None:
    _deal(page, "human", "merchant")
    for content in ('{"format": "x"}', "not json", json.dumps({**Game(2, seed=1).to_record(), "seed": 2})):
        file = tmp_path / "file.jsonl"
        file.write_text(content)
        page.set_input_files("#open", file)
        page.wait_for_selector("#warning:not([hidden])")
        assert page.inner_text("#warning").endswith(".")
        page.evaluate("document.getElementById('warning').hidden = true")


def test_a_review_in_the_browser_is_that_of_python(page: Any, tmp_path: Path) -> None:
    record = {**random_game(2, seed=1).to_record(), "seats": ["human", "merchant"]}
    _open_record(page, record, tmp_path)
    page.click("#review-start")
    page.wait_for_selector("#review-open", timeout=60_000)
    found = page.evaluate("JSON.parse(localStorage.getItem('speicher-reviews'))[0].result.review")
    expected = as_json(review_game(record, Judge(f"guided:{REVIEW_ITERATIONS}"), SUPPLIES))
    assert {*expected} - {*found} == {"edition"}
    found["seed"] = int(found["seed"])
    assert _differences(found, {key: value for key, value in expected.items() if key != "edition"}) == []
    assert any(decision["exact"] and decision["lead_lost"] for decision in found["decisions"])
    assert any(0 < reveal["supplies"] < SUPPLIES for reveal in found["reveals"]), "all supplies that could come"
    page.click("#review-open")
    page.wait_for_selector("#table .seat")
    assert page.locator("[data-grade]").count() == sum(one["grade"] is not None for one in expected["decisions"])
    assert "You" in page.inner_text(".accounts") and "Bruno" in page.inner_text(".accounts")
    page.click("[data-grade] .goes >> nth=0")
    assert page.locator("#better li").count() >= 1
    page.click("#back-to-game")
    page.wait_for_selector("#review-open")


def _differences(found: Any, expected: Any, where: str = "") -> list[str]:
    """Where two reviews differ by more than the rounding of sums."""
    if isinstance(expected, dict):
        return [line for key in expected for line in _differences(found[key], expected[key], f"{where}.{key}")]
    if isinstance(expected, list):
        if len(found) != len(expected):
            return [f"{where} has {len(found)} entries, not {len(expected)}."]
        pairs = enumerate(zip(found, expected, strict=True))
        return [line for place, pair in pairs for line in _differences(*pair, f"{where}[{place}]")]
    alike = abs(found - expected) < 0.0005 if isinstance(expected, float) else found == expected
    return [] if alike else [f"{where} is {found}, not {expected}."]


def test_a_review_in_the_browser_is_stopped_and_begun_again(page: Any, tmp_path: Path) -> None:
    _open_record(page, {**random_game(3, seed=2).to_record(), "seats": ["frugal"] * 3}, tmp_path)
    page.click("#review-start")
    page.wait_for_selector("#review progress[max]")
    page.click("#review-stop")
    page.wait_for_selector("#review-start")
    assert page.evaluate("localStorage.getItem('speicher-reviews')") is None
    page.click("#review-start")
    page.wait_for_selector("#review progress")


def _open_record(page: Any, record: dict[str, Any], folder: Path) -> None:
    file = folder / "game.jsonl"
    file.write_text(json.dumps(record))
    page.click("#form-close")
    page.set_input_files("#open", file)
    page.wait_for_selector("#review-start")
