"""`speicher analyse`, `luck` and `ladder`: what they print is what the library finds, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from speicher_training.arena import arena
from speicher_training.arena.finished import read_run
from speicher_training.arena.run_analysis import analyse_run
from tests.support.command import speicher


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arena") / "run"
    arena(["random", "frugal", "merchant"], deals=12, seed=5, output=folder, plots=False, replicates=50)
    return folder


def test_a_run_is_read_as_it_was_played(run: Path) -> None:
    results = arena(["random", "frugal", "merchant"], deals=12, seed=5, replicates=50)
    found = read_run(run)
    assert found.names == ("random", "frugal", "merchant") and found.num_players == 2 and found.first_seed == 5
    assert (found.games.ranks == results.games.ranks).all() and (found.games.points == results.games.points).all()


def test_the_analysis_is_printed_and_given_as_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("analyse", str(run), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps(analyse_run(read_run(run))))
    assert found["top_cycle"] == ["merchant"] and found["lottery"][0]["name"] == "merchant"
    assert found["lottery"][0]["weight"]["estimate"] == pytest.approx(1) and found["circles"] == []
    assert len(found["luck"]) == 1 + 3 and len(found["seats"]) == 3
    assert speicher("analyse", str(run)) == 0
    out = capsys.readouterr().out
    assert "merchant finishes ahead of every other player." in out and "mean of all lineups" in out


def test_luck_is_told_for_a_player(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("luck", "merchant", "--deals", "20", "--times", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rest"]["estimate"] == 0 and found["deal"]["estimate"] > 0.9
    assert speicher("luck", "merchant", "--deals", "20", "--times", "2") == 0
    assert "the cards of the deal" in capsys.readouterr().out


def test_a_ladder_is_climbed(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("ladder", "mcts", "--budgets", "1,4", "--deals", "3", "--jobs", "1", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    (rung,) = found["rungs"]
    assert (rung["budget"], rung["next_budget"]) == (1, 4) and 0 <= rung["ahead"]["estimate"] <= 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("analyse", "nowhere"), "run.json"),
        (("luck", "merchant", "--times", "1"), "--times=1: must be a whole number, 2 or more"),
        (("luck", "human"), "a player that decides by itself"),
        (("ladder", "mcts", "--budgets", "8,4"), "must be two or more whole numbers from 1, ascending"),
        (("ladder", "merchant"), "merchant takes no parameters"),
        (("ladder", "mcts", "--players", "6"), "speicher: --players=6: must be 2, 3, 4 or 5"),
        (("ladder", "mcts", "--deals", "0"), "speicher: --deals=0: must be a whole number, 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


@pytest.mark.parametrize("damage", ["run.json", "deals.jsonl"])
def test_a_damaged_folder_is_refused(
    damage: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("run.json", "deals.jsonl"):
        text = (run / name).read_text()
        (tmp_path / name).write_text(text.replace("1", "2", 1) if name == damage else text)
    assert speicher("analyse", str(tmp_path)) == 2
    assert capsys.readouterr().err.count("\n") == 1
