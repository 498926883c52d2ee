"""`speicher replay --html`: one file that holds the whole game and asks for nothing."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.replay_page import page
from speicher_apps.replay_page.chart import HEIGHT, TOKEN, chart
from speicher_env import Game, replay
from speicher_env.render import move_in_words, svg
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.thoughts import Thought
from tests.support.command import speicher

RECORDS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "render" / "positions.jsonl").read_text(encoding="utf-8").splitlines()
]
FINISHED = next(record for record in RECORDS if record["name"] == "2_players_over")
RUNNING = next(record for record in RECORDS if record["name"] == "3_players_purchase")


def story_of(document: str) -> dict[str, Any]:
    """The data in a page."""
    packed = re.search('id="data">([^<]+)<', document)
    assert packed is not None
    told: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return told


def with_thoughts(record: dict[str, Any]) -> dict[str, Any]:
    entries: list[dict[str, Any] | None] = []
    for game, action in replay(record):
        if action is not None:
            legal = game.legal()
            thought = Thought({legal[0]: 0.25, action: 0.75}, [0.5] * game.num_players, [action])
            entries.append(thought.entry("mcts:50"))
    entries[1] = None
    return {**record, "think": entries}


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


# The page


@pytest.mark.parametrize("record", [FINISHED, RUNNING], ids=["finished", "running"])
def test_every_position_is_in_the_page(record: dict[str, Any]) -> None:
    told = story_of(page(record))
    positions = list(replay(record))
    assert len(told["steps"]) == len(positions) == len(record["moves"]) + 1
    assert told["texts"] == list(ACTION_TEXTS)
    again: Game | None = None
    for step, move in zip(told["steps"], [*record["moves"], None], strict=True):
        again = Game.from_record({**record, "moves": [], "result": None}) if again is None else again
        assert step["round"] == again.round
        assert step["points"] == [points["total"] for points in again.points()]
        assert [ACTION_TEXTS[action] for action in step["legal"]] == again.legal()
        if move is None:
            assert "move" not in step and "action" not in step
            break
        words = move_in_words(again.state, move["action"])
        assert step["move"].lower() == f"{words}.".lower()
        assert ACTION_TEXTS[step["action"]] == move["action"] and step["player"] == again.player
        again.play(move["action"])


@pytest.mark.parametrize(("arrangement", "width"), [("wide", 960), ("narrow", 480)])
def test_the_parts_put_together_are_the_picture(arrangement: str, width: int) -> None:
    told = story_of(page(FINISHED))
    last = told["steps"][-1]["picture"][arrangement]
    places = told["arrangements"][last[0]]
    drawing = "".join(
        f'<g transform="translate({x:g} {y:g})">{told["parts"][part]}</g>'
        for (x, y), part in zip(places, last[1], strict=True)
    )
    assert drawing in svg(Game.from_record(FINISHED), theme="page", width=width)


def test_parts_that_stay_are_kept_once() -> None:
    told = story_of(page(FINISHED))
    shown = sum(len(step["picture"]["wide"][1]) for step in told["steps"])
    assert len(set(told["parts"])) == len(told["parts"]) < shown


def test_the_page_asks_for_nothing_outside() -> None:
    document = page(with_thoughts(FINISHED))
    elements = Elements(document).found
    assert {tag for tag, _ in elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    for tag, attributes in elements:
        for name, value in attributes.items():
            assert name not in ("src", "href", "srcset", "action") and not name.startswith("on"), (tag, name, value)
    policy = next(attributes["content"] for tag, attributes in elements if "http-equiv" in attributes)
    assert policy is not None and policy.startswith("default-src 'none'") and "unsafe" not in policy
    for tag, source in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf'<{tag}(?: type="module")?>(.*?)</{tag}>', document, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}';" in policy
    style_and_script = re.sub('id="data">[^<]+<', "", document)
    assert set(re.findall("https?://[^\"' ]+", style_and_script)) == {"http://www.w3.org/2000/svg"}
    assert not re.search("@import|url\\(|fetch\\(|XMLHttpRequest", style_and_script)
    assert "<!--" not in document.replace("<!doctype", ""), "every part of the page is filled in"


def test_what_players_thought_stands_beside_their_moves() -> None:
    record = with_thoughts(FINISHED)
    steps = story_of(page(record))["steps"]
    assert "think" not in steps[1] and "think" not in steps[-1]
    told = steps[0]["think"]
    action = record["moves"][0]["action"]
    assert told["player"] == "mcts:50" and told["values"] == [0.5, 0.5] and told["line"] == [action]
    assert told["probabilities"][str(steps[0]["action"])] == 0.75
    assert all("think" not in step for step in story_of(page(FINISHED))["steps"])


def test_nothing_of_a_record_becomes_part_of_the_page() -> None:
    nasty = "</script><script>alert(1)</script>"
    record = {**with_thoughts(FINISHED), "deck": nasty, "seats": [nasty, "merchant"]}
    record["think"][0]["player"] = nasty
    document = page(record)
    assert nasty not in document
    told = story_of(document)
    assert told["names"] == [nasty, "merchant"] and nasty in told["title"]


def test_a_long_game_stays_small() -> None:
    longest = max(RECORDS, key=lambda record: len(record["moves"]))
    assert len(longest["moves"]) > 200
    assert len(page(longest)) < 600_000


def test_the_same_record_gives_the_same_page() -> None:
    assert page(RUNNING) == page(RUNNING)


# The chart


def test_the_chart_has_a_line_for_each_seat_and_its_tokens_do_not_hide_each_other() -> None:
    points = [[0, 0, 0, 0, 0], [3, 0, -2, 0, 1], [3, 3, 3, 3, 3]]
    drawn = chart(points, [1, 1, 2])
    lines = re.findall(r'stroke="var\(--sp-seat(\d)\)" stroke-width="2"', drawn)
    assert lines == ["0", "1", "2", "3", "4"]
    heights = sorted(float(y) for y in re.findall(r'<g transform="translate\(432 ([\d.-]+)\)"', drawn))
    assert len(heights) == 5
    assert all(after - before >= TOKEN - 0.1 for before, after in pairwise(heights))
    assert heights[0] >= -1 and heights[-1] + TOKEN <= HEIGHT + 1


def test_the_numbers_of_rounds_keep_away_from_the_word_before_them() -> None:
    drawn = chart([[0, 0]] * 200, [1 + step // 9 for step in range(200)])
    below = [float(x) for x in re.findall(rf'<text x="([\d.]+)" y="{HEIGHT - 6}"', drawn)]
    word, *numbers = sorted(below)
    assert len(numbers) > 3 and numbers[0] - word >= 24
    assert all(after - before >= 24 for before, after in pairwise(numbers))


@pytest.mark.parametrize("points", [[[0, 0]], [[0, 0], [-30, 120]], [[5, 5], [5, 5]]])
def test_any_game_has_a_chart(points: list[list[int]]) -> None:
    assert chart(points, [1] * len(points)).startswith("<svg")


# The command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = speicher(*arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def games(tmp_path: Path) -> Path:
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in (FINISHED, RUNNING)), encoding="utf-8")
    return file


def test_the_command_writes_the_page_of_a_game(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "game.html"
    code, said, heard = run(capsys, "replay", str(games), "--html", str(out))
    assert (code, said) == (0, "")
    assert f"{len(FINISHED['moves'])} moves written to {out}" in heard and "has 2 games" in heard
    assert out.read_text(encoding="utf-8") == page(FINISHED)
    code, said, _ = run(capsys, "replay", str(games), "--game", "2", "--html", "-")
    assert code == 0 and said == page(RUNNING)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--html", "x.html", "--check"), "--check cannot be used with --html"),
        (("--html", "x.html", "--move", "3"), "--move cannot be used with --html"),
        (("--html", "x.html", "--game", "3"), "has fewer than 3 games"),
        (("--html", "nowhere/x.html"), "there is no directory"),
    ],
)
def test_what_cannot_be_done_is_told_and_leaves_no_file(
    arguments: tuple[str, ...],
    told: str,
    games: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, heard = run(capsys, "replay", str(games), *arguments)
    assert code == 2 and told in heard
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


def test_a_record_that_cannot_be_played_leaves_the_page_that_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {**FINISHED, "think": [None]}
    file, out = tmp_path / "broken.jsonl", tmp_path / "game.html"
    file.write_text(json.dumps(broken) + "\n", encoding="utf-8")
    out.write_text("as it was", encoding="utf-8")
    code, _, heard = run(capsys, "replay", str(file), "--html", str(out), "--force")
    assert code == 2 and "broken.jsonl, line 1: think has 1 entries: must be" in heard
    assert out.read_text(encoding="utf-8") == "as it was"
