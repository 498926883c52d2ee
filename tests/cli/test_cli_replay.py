"""`speicher replay`: what it shows of a record, and which faults `--check` finds."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from speicher_env import Game
from speicher_env.record import line_of
from tests.support.command import speicher
from tests.support.games import random_game

GAMES = [random_game(2, seed=1, decisions=5), random_game(3, seed=2), random_game(2, seed=3, decisions=0)]
RECORDS = [game.to_record(legal=True) for game in GAMES]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(map(line_of, RECORDS)))
    return str(path)


class Typist(io.StringIO):
    """A terminal with somebody at the keys."""

    def isatty(self) -> bool:
        return True


# Showing


def test_a_game_is_printed_move_by_move(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("replay", file) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{file}, line 1: 2 players, standard deck, seed 1\n")
    for number, action in enumerate(GAMES[0].moves or [], start=1):
        assert f"\nMove {number}: seat " in out and f"({action})\n" in out
    assert out.count("Round 1 of 16") == 6
    assert str(GAMES[0].start()) in out and str(GAMES[0]) in out
    assert "has 3 games; --game shows another than 1." in out
    assert "\x1b" not in out


def test_another_game_is_printed_to_its_end(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("replay", file, "--game", "2") == 0
    out = capsys.readouterr().out
    assert f"{file}, line 2: 3 players" in out and str(GAMES[1]) in out and repr(GAMES[1]) in out


def test_one_position_is_printed_alone(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    game = Game(3, seed=2)
    for action in (GAMES[1].moves or [])[:7]:
        game.play(action)
    assert speicher("replay", file, "--game", "2", "--move", "7") == 0
    assert capsys.readouterr().out == f"{game}\n"
    assert speicher("replay", file, "--game", "3", "--move", "0") == 0
    assert capsys.readouterr().out == f"{GAMES[2]}\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--game", "4"], "has fewer than 4 games; --game must be one of them."),
        (["--move", "6"], "line 1: --move=6: must be 0..5, for the game has 5 moves."),
        (["--game", "3", "--move", "1"], "line 3: --move=1: must be 0..0, for the game has 0 moves."),
    ],
)
def test_what_is_not_there_is_said(
    options: list[str], words: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("replay", file, *options) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_stdin_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line_of(RECORDS[0]).encode())))
    assert speicher("replay", "-") == 0
    out = capsys.readouterr().out
    assert out.startswith("stdin, line 1: 2 players") and "Move 5: " in out and "--game" not in out


@pytest.mark.parametrize(("keys", "shown"), [("\n\nq\n", 2), ("", 0), ("\n" * 9, 5)], ids=["q", "end of input", "all"])
def test_a_terminal_shows_a_move_at_each_enter(
    keys: str, shown: int, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdin", Typist(keys))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert speicher("replay", file) == 0
    out = capsys.readouterr().out
    assert out.count("\nMove ") == shown
    assert out.count("Enter: next move, q: stop") == min(shown + 1, 5)
    assert "\x1b" not in out


def test_a_terminal_gets_colours(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert speicher("replay", file, "--move", "3") == 0
    assert "\x1b[" in capsys.readouterr().out


def test_a_move_that_is_not_legal_ends_the_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(json.dumps(RECORDS[0]))
    record["moves"][2]["action"] = "buy"
    path = tmp_path / "broken.jsonl"
    path.write_text(line_of(record))
    assert speicher("replay", str(path)) == 2
    out, err = capsys.readouterr()
    assert "Move 2: " in out and "Move 3: " not in out
    assert f'{path}, line 1: moves[2]: action="buy": must be place 0' in err and err.count("\n") == 1


# Checking


def test_right_records_pass_the_check(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("replay", file, "--check") == 0
    assert capsys.readouterr().out == "3 games checked, no faults\n"
    assert speicher("replay", file, "--check", "--game", "2") == 0
    assert capsys.readouterr().out == "1 game checked, no faults\n"


def test_every_fault_of_every_game_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = json.loads(json.dumps(RECORDS))
    first["moves"][0]["legal"].pop()
    first["result"] = {}
    second["result"]["winners"] = [0, 1, 2]
    path = tmp_path / "broken.jsonl"
    path.write_text(line_of(first) + line_of(second)[:-9] + "\n" + line_of(second) + line_of(third))
    assert speicher("replay", str(path), "--check") == 1
    out, err = capsys.readouterr()
    places = [line.partition(": ") for line in out.splitlines()]
    assert [place for place, _, _ in places[:-1]] == [f"{path}, line {number}" for number in (1, 1, 2, 3)]
    assert [re.split("[:=]", fault)[0] for _, _, fault in (places[0], places[1], places[3])] == [
        "moves[0]",
        "result",
        "result",
    ]
    assert out.splitlines()[-1] == "4 games checked, 4 faults in 3 of them"
    assert err == ""
    assert speicher("replay", str(path), "--check", "--game", "4") == 0


@pytest.mark.parametrize("options", [[], ["--game", "1"], ["--game", "2"]])
def test_a_file_without_that_game_does_not_pass(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n")
    assert speicher("replay", str(path), "--check", *options) == 1
    assert str(path) in capsys.readouterr().out


def test_stdin_is_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}\n")))
    assert speicher("replay", "-", "--check") == 1
    assert capsys.readouterr().out.startswith("stdin, line 1: format is missing")
