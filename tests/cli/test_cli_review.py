"""`speicher review`: the same numbers as text, as JSON and as a page; many games; what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speicher_agents.review import Judge, as_json, review_game
from speicher_apps.review_page import page
from speicher_env.record import line_of
from tests.cli.test_replay_page import Elements, story_of
from tests.support.command import speicher
from tests.support.games import random_game
from tests.support.toy_judges import Richest, Silent, spec

RECORDS: list[dict[str, Any]] = [
    {**random_game(2, seed=1).to_record(), "seats": ["ann", "<b>bob</b>"]},
    random_game(3, seed=3, decisions=50).to_record(),
]
JUDGE = spec("Richest")
FAST = ("--with", JUDGE, "--supplies", "2")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(map(line_of, RECORDS)))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = speicher("review", *arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# One game


def test_json_is_the_review(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, file, "--game", "2", *FAST, "--json")
    assert code == 0 and json.loads(out) == as_json(review_game(RECORDS[1], Judge(JUDGE), 2))


def test_text_names_the_balance_the_turning_points_and_the_mistakes(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, file, *FAST)
    found = review_game(RECORDS[0], Judge(JUDGE), 2)
    assert code == 0 and f"line 1: 2 players, standard deck, seed 1, judged by {JUDGE}" in out
    for balance in found.balances:
        luck = round(100 * balance.luck)
        assert (f"{luck:+d}%" if luck else " 0%") in out
    mistakes = [decision for decision in found.decisions if decision.grade]
    assert len(mistakes) > 3
    assert out.count(", mistake, ") + out.count("; mistake, ") == sum(one.grade == "mistake" for one in mistakes)
    for decision in mistakes:
        assert f"round {decision.round}, move {decision.move}: seat {decision.seat + 1} " in out


def test_the_page_is_written_and_a_file_is_kept(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "review.html"
    code, out, err = run(capsys, file, *FAST, "--html", str(target))
    assert (code, out) == (0, "") and f"moves written to {target}" in err
    assert target.read_text(encoding="utf-8") == page(RECORDS[0], review_game(RECORDS[0], Judge(JUDGE), 2))
    assert run(capsys, file, *FAST, "--html", str(target))[0] == 2
    assert run(capsys, file, *FAST, "--html", str(target), "--force", "--game", "2")[0] == 0
    assert run(capsys, file, *FAST, "--html", file, "--force")[0] == 2


# The page


@pytest.mark.parametrize("record", RECORDS, ids=["finished", "running"])
def test_the_page_says_of_every_position_what_the_review_says(record: dict[str, Any]) -> None:
    found = review_game(record, Judge(Richest()), 2)
    document = page(record, found)
    steps = story_of(document)["steps"]
    assert len(steps) == len(found.decisions) + 1
    for decision, step in zip(found.decisions, steps, strict=False):
        judged = step["judged"]
        assert (judged["grade"], judged["exact"]) == (decision.grade, decision.exact)
        assert judged["before"] == list(decision.before) and judged["after"] == list(decision.after)
        assert ("line" in judged) == (decision.better is not None)
    assert {number for number, step in enumerate(steps) if "reveal" in step} == {
        reveal.after_move for reveal in found.reveals
    }
    assert story_of(document)["review"] == as_json(found)


def test_the_page_asks_for_nothing_outside_and_takes_nothing_from_the_record() -> None:
    document = page(RECORDS[0], review_game(RECORDS[0], Judge(Richest()), 2))
    for tag, attributes in Elements(document).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "href", "style"} & set(attributes), (tag, attributes)
    assert "<b>bob</b>" not in document and story_of(document)["seats"][1]["name"].endswith(", <b>bob</b>")
    assert "<!--" not in document.replace("<!doctype", "")


# Many games


def test_all_games_are_summed_up_and_kept(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    code, out, _ = run(capsys, file, "--all", *FAST, "--json", "--keep", str(kept))
    found = json.loads(out)
    assert code == 0 and found["games"] == 2
    assert [player["name"] for player in found["players"]] == ["ann", "<b>bob</b>", "seat 1", "seat 2", "seat 3"]
    before = (kept / "reviews.jsonl").read_text()
    code, out, _ = run(capsys, file, "--all", *FAST, "--keep", str(kept))
    assert code == 0 and f"2 games, judged by {JUDGE}" in out and "placing" in out
    assert (kept / "reviews.jsonl").read_text() == before, "nothing is reviewed twice"


def test_a_run_that_was_cut_short_resumes(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    _, whole, _ = run(capsys, file, "--all", *FAST, "--keep", str(kept))
    lines = (kept / "reviews.jsonl").read_bytes()
    (kept / "reviews.jsonl").write_bytes(lines[:-100])
    code, again, _ = run(capsys, file, "--all", *FAST, "--keep", str(kept))
    assert code == 0 and again == whole and (kept / "reviews.jsonl").read_bytes() == lines
    damaged = lines.replace(b'"seat":0', b'"seat":1', 1)
    (kept / "reviews.jsonl").write_bytes(damaged)
    code, _, err = run(capsys, file, "--all", *FAST, "--keep", str(kept))
    assert code == 2 and "damaged or was edited" in err


def test_reviews_of_another_judge_are_not_mixed(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "kept")
    assert run(capsys, file, "--all", *FAST, "--keep", kept)[0] == 0
    code, _, err = run(capsys, file, "--all", "--with", JUDGE, "--supplies", "3", "--keep", kept)
    assert code == 2 and "supplies 2; must be another folder for" in err


# What is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--game", "3"], "has fewer than 3 games; --game must be one of them."),
        (["--game", "0"], "--game=0: must be a whole number from 1"),
        (["--all", "--game", "1"], "--game cannot be used with --all."),
        (["--all", "--html", "x.html"], "--html cannot be used with --all."),
        (["--keep", "x"], "--keep can only be used with --all."),
        (["--force"], "--force can only be used with --html."),
        (["--supplies", "0"], "--supplies=0: must be a whole number, 1 or more."),
        (["--with", "human"], "must be a player that decides by itself"),
        (["--with", "merchant"], "must be a player that values positions"),
        (["--with", "nobody"], 'player="nobody": must be'),
    ],
)
def test_what_cannot_be_reviewed_is_refused_in_one_sentence(
    options: list[str], words: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, file, *options)
    assert (code, out) == (2, "") and words in err and err.count("\n") == 1


def test_a_judge_without_values_is_named_by_its_name() -> None:
    with pytest.raises(Exception, match="Silent"):
        review_game(RECORDS[0], Judge(Silent()), 2)
