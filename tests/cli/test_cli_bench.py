"""`speicher bench`: its arguments, its table and its JSON. What it measures is tested beside the meter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.meter import layers, report
from tests.support.command import speicher


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """One layer, and no new processes."""
    some = [layer for layer in layers.LAYERS if layer.name in ("rules", "game_copy")]
    spread = {"median": 0.25, "low": 0.2, "high": 0.3, "rounds": [0.2, 0.3]}

    def measure_some(players: list[int], **options: Any) -> dict[str, Any]:
        return layers.measure_layers(players, layers=some, **options)

    monkeypatch.setattr(report, "measure_layers", measure_some)
    monkeypatch.setattr(report, "measure_starts", lambda rounds, told: dict.fromkeys(report.START_TITLES, spread))


def test_table_and_json(little: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "speed.json"
    assert speicher("bench", "--seconds", "0.001", "--rounds", "3", "--players", "4,2", "--json", str(path)) == 0
    out = capsys.readouterr().out
    for words in ("rules only", "2 players", "4 players", "Game.copy", "import speicher_env", "numba"):
        assert words in out
    result = json.loads(path.read_text(encoding="utf-8"))
    assert result["schema"] == report.SCHEMA
    assert {"processor", "cores"} <= set(result["machine"]) and {"python", "numpy"} <= set(result["versions"])
    assert list(result["layers"]) == ["rules", "game_copy"]
    for layer in result["layers"].values():
        assert list(layer["players"]) == ["2", "4"]
        for rate in layer["players"].values():
            assert len(rate["counts"]) == len(rate["seconds"]) == 3
            assert rate["low"] <= rate["median"] <= rate["high"]


def test_json_to_stdout_is_json_alone(little: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("bench", "--quick", "--seconds", "0.001", "--players", "3", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "1"], "--players=1: must be 2, 3, 4 or 5"),
        (["--players", "2,x"], '--players="2,x": must be numbers 2..5 with commas between them'),
        (["--seconds", "0"], "--seconds=0.0: must be above 0"),
        (["--rounds", "0"], "--rounds=0: must be a whole number, 1 or more"),
        (["--json", "/no/such/folder/x.json"], "there is no directory"),
    ],
)
def test_wrong_input_is_one_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("bench", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("number", "text"),
    [(72, "72"), (999.6, "1.00 k"), (46_060, "46.1 k"), (431_000, "431 k"), (999_700, "1.00 M"), (5.314e6, "5.31 M")],
)
def test_three_digits_count(number: float, text: str) -> None:
    assert report.short(number) == text
