"""What a run leaves behind for people: the command, the tables, the files and the plots; and the standard panels."""

from __future__ import annotations

import csv
import json
import os
import signal
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from speicher_env.errors import ArgumentError
from speicher_training.arena import RANGES, arena, load_panel, panels
from tests.support.command import speicher
from tests.support.toys import First, spec

QUICK = ("--jobs", "1", "--deals", "4", "--seed", "1")


def test_the_command_prints_a_report_and_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert speicher("arena", "random", "random", *QUICK, "-o", str(folder)) == 0
    out, err = capsys.readouterr()
    assert out.startswith("2 players, standard deck, 4 deals of seeds 1..4 in all seatings, 16 games\n")
    assert "random #2" in out and "Not significant at 5 %" in out and all(len(line) <= 110 for line in out.splitlines())
    assert err == f"speicher: 16 games in {folder}\n"
    plots = {f"{name}.{kind}" for name in ("ratings", "pairs", "points", "seats") for kind in ("png", "svg")}
    data = {".lock", "run.json", "deals.jsonl", "results.json", "players.csv", "pairs.csv", "games.csv"}
    assert set(os.listdir(folder)) == plots | data
    assert (folder / "ratings.png").read_bytes().startswith(b"\x89PNG")
    assert "random #2" in (folder / "pairs.svg").read_text()
    before = {name: (folder / name).read_bytes() for name in plots | data if name != "results.json"}
    assert speicher("arena", "random", "random", *QUICK, "-o", str(folder)) == 0  # it is finished: told once more
    assert capsys.readouterr().out.splitlines()[0] == out.splitlines()[0]
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_the_csv_files_agree_with_the_summary(tmp_path: Path) -> None:
    results = arena({"random": "random", "first": First()}, deals=5, seed=1, output=tmp_path, plots=False)
    with (tmp_path / "games.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * results.summary["games"]
    mixed = [row for row in rows if row["game"] in ("0", "1") and row["player"] == "first"]
    share = sum(float(row["win_share"]) for row in mixed) / len(mixed)
    assert share == results.player("first")["win_share"]["estimate"]
    with (tmp_path / "players.csv").open() as stream:
        told = {row["player"]: row for row in csv.DictReader(stream)}
    assert float(told["first"]["rating"]) == results.player("first")["rating"]["estimate"]
    with (tmp_path / "pairs.csv").open() as stream:
        (pair,) = csv.DictReader(stream)
    assert float(pair["ahead"]) == results.pair("random", "first")["ahead"]["estimate"]


def test_players_in_python_play_in_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("arena", "random", spec("First"), *QUICK, "--no-mirrors") == 0
    out, err = capsys.readouterr()
    assert "toys.py:First" in out and "Against itself" not in out and err == ""


def test_ctrl_c_reports_what_is_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    from speicher_training.arena.store import Store

    add = Store.add

    def add_and_press(self: Store, *chunk: object) -> None:
        add(self, *chunk)
        if len(self.lines) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Store, "add", add_and_press)
    command = ("arena", "random", "random", "--jobs", "1", "--lanes", "4", "--deals", "500", "-o", str(tmp_path))
    assert speicher(*command, "--no-plots") == 130
    assert "the same command resumes the run" in capsys.readouterr().out
    summary = json.loads((tmp_path / "results.json").read_text())
    assert 2 <= summary["deals"] < 500 and not summary["complete"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "PLAYER: must be at least one spec"),
        (("random",), "players=1: must be 2 or more for games of 2"),
        (("random", "random", "--players", "6"), "speicher: --players=6: must be 2, 3, 4 or 5"),
        (("random", "rendom"), 'did you mean "random"'),
        (("random", "random:3"), "random takes no parameters"),
        (("random", "nowhere_at_all:Class"), "nowhere_at_all cannot be imported"),
        (("random", "random", "--deals", "0"), "speicher: --deals=0: must be a whole number, 1 or more"),
        (("random", "random", "--deals", "5", "--budget", "9"), "deals and budget: must be one or the other"),
        (("random", "random", "--budget", "never"), 'budget="never": must be'),
        (("random", "random", "--jobs", "0"), "speicher: --jobs=0: must be a whole number"),
        (("random", "random", "--lanes", "0"), "speicher: --lanes=0: must be a whole number"),
        (("random", "random", "--timeout", "-1"), "timeout=-1.0: must be a number of seconds above 0"),
        (("random", "random", "--seed", "tomorrow"), 'seed="tomorrow": must be'),
        (("random", "random", "--deck", "nowhere.toml"), "nowhere.toml"),
        (("random", "--panel", "9p"), 'panel="9p": must be 2p, 2p/1'),
        (("random", "--panel", "2p", "--deals", "5"), "deals: the panel 2p settles it"),
        (("random", "--panel", "nowhere.toml"), "nowhere.toml: cannot be read: there is no such file; must be a panel"),
        (
            ("random", "random", "-o", "/dev/null/out"),
            "/dev/null/out: cannot be used as a folder: a part",
        ),
        (("random", "random", "--deals", "many"), '--deals="many": must be a whole number'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_input_is_told_in_one_sentence(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("arena", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err
    assert err.startswith("speicher: ") and err.count("\n") == 1


def test_a_failing_player_stops_a_strict_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("arena", "random", spec("Loser"), *QUICK, "--strict") == 2
    assert "toys.py:Loser chose 'end', which is illegal in demand" in capsys.readouterr().err


# Panels


def test_every_panel_is_right_and_held_out() -> None:
    assert panels()
    for label in panels():
        panel = load_panel(label)
        assert panel.label == label == f"{panel.players}p/{panel.version}"
        assert panel.first_seed in RANGES["evaluation"] and panel.opponents[0] == "random"
        assert len(panel.opponents) + 1 >= panel.players


def test_the_newest_version_is_what_the_bare_name_means(monkeypatch: pytest.MonkeyPatch) -> None:
    from speicher_training.arena import panel as module

    files = {f"2p/{version}": module._files()["2p/1"].replace(b"version = 1", b"version = %d" % version)
             for version in (1, 2, 10)}  # fmt: skip
    monkeypatch.setattr(module, "_files", lambda: files)
    assert load_panel("2p").version == 10 and load_panel("2p/2").version == 2


def own_panel(folder: Path, **changes: object) -> str:
    content = (resources.files("speicher_training.arena") / "panels" / "2p-1.toml").read_text()
    table = tomllib.loads(content) | {"opponents": ["random"], "deals": 3} | changes
    path = folder / "mine.toml"
    path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items() if value is not None))
    return str(path)


@pytest.mark.parametrize("spec", ["own.py:Mine", "own:Mine", "mcts:5,rollout=own:Mine", "runs/mine/baseline.json"])
def test_a_panel_of_somebody_else_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    (tmp_path / "own.py").write_text("open('it_ran', 'w')\nclass Mine:\n    def act(self, views): ...\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=r"opponents: .*must be"):
        arena({"first": First()}, panel=own_panel(tmp_path, opponents=[spec]))
    assert not (tmp_path / "it_ran").exists()


def test_a_panel_measures_the_players_that_are_not_in_it(tmp_path: Path) -> None:
    results = arena({"first": First(), "random": "random"}, panel=own_panel(tmp_path))
    assert results.plan.names == ("first", "random") and results.summary["candidates"] == ["first"]
    assert results.summary["panel"] == "2p/1" and results.games.deals == 3
    assert str(results).startswith("panel 2p/1, 2 players")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"players": 7}, "players=7"),
        ({"deals": 0}, "deals=0: must be"),
        ({"deals": None}, "deals is missing"),
        ({"opponents": "random"}, 'opponents="random": must be'),
        ({"mirrors": 1}, "mirrors=1: must be"),
        ({"dealz": 3}, 'there is no field "dealz", did you mean "deals"'),
    ],
)
def test_a_panel_that_is_none_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        arena([First()], panel=own_panel(tmp_path, **changes))
