"""Nothing is lost on the page: files, refreshing, a server that is busy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.cli import main
from speicher_env import check_record
from tests.browser.conftest import NewPage
from tests.browser.page import YOURS_OR_OVER, moves_told, play_first, show_dealt
from tests.support.served import Served


def test_a_saved_game_passes_the_check_and_opens_again(
    new_page: NewPage, served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = new_page()
    show_dealt(page, served)
    play_first(page)
    page.wait_for_selector(YOURS_OR_OVER)
    at, first = moves_told(page), page.url
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
    assert moves_told(page) == at
    assert page.is_visible("#turn.yours")


def test_a_file_that_is_no_record_is_refused_in_words(new_page: NewPage, served: Served, tmp_path: Path) -> None:
    page = new_page(refusals=True)
    show_dealt(page, served)
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
    show_dealt(page, served)
    assert next(answers, None) is None and not page.is_visible("#warning")


def test_a_refresh_in_the_middle_loses_nothing(new_page: NewPage, served: Served) -> None:
    page = new_page()
    show_dealt(page, served)
    for _ in range(4):
        play_first(page)
    page.wait_for_selector(YOURS_OR_OVER)
    at, question = moves_told(page), page.inner_text("#question")
    page.reload()
    page.wait_for_selector(YOURS_OR_OVER)
    assert moves_told(page) == at and page.inner_text("#question") == question
    assert page.input_value("#speed") == "0", "the chosen speed is kept too"
