"""`speicher compile`: it compiles what is asked for, says where it is kept, and refuses wrong input before the work."""

from __future__ import annotations

import pytest

from speicher_apps.cli import compile as command
from tests.support.command import speicher


def test_games_and_players_are_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("compile", "--players", "2", "--agents", "frugal") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "compiling frugal" in err and "compiled code is kept in " in err


def test_all_stands_for_every_player_but_a_person() -> None:
    specs = command._all_specs()
    assert {"random", "merchant", "mcts:8", "guided:8", "baseline"} <= set(specs)
    assert "human" not in specs


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "1"], "--players=1: must be 2, 3, 4 or 5"),
        (["--agents", "merchantt"], "merchant"),
        (["--agents", "merchant,,"], "--agents="),
    ],
)
def test_wrong_input_is_one_sentence_before_the_work(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("speicher_env.compile_all", lambda counts: pytest.fail("the work began"))
    assert speicher("compile", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1
