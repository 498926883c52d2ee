"""`speicher dataset`: record shards and their description; what is written to Minari is tested in `make stacks`."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from speicher_apps import record_shards
from speicher_apps.cli import dataset as dataset_command
from speicher_apps.record_shards import DESCRIPTION
from speicher_env import Game, check_record
from speicher_training.files import digest
from tests.support.command import speicher


def shards(folder: Path) -> list[list[dict[str, Any]]]:
    """The records of each file, in order."""
    files = sorted(folder.glob("*.jsonl.gz"))
    return [[json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()] for file in files]


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence with which the command refuses."""
    assert speicher("dataset", *map(str, arguments)) == 2
    return capsys.readouterr().err.splitlines()[-1].removeprefix("speicher: ")


def test_games_of_players_fill_one_file_after_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    arguments = ["--with", "random,frugal,random", "--games", "5", "--seed", "9", "--shard", "2"]
    assert speicher("dataset", *arguments, "--records", str(folder)) == 0
    assert capsys.readouterr().err.splitlines() == ["speicher: seed 9", f"speicher: 5 games written to {folder}"]
    files = shards(folder)
    assert [len(file) for file in files] == [2, 2, 1]
    records = [record for file in files for record in file]
    assert [record["seed"] for record in records] == [9, 10, 11, 12, 13]
    for record in records:
        assert check_record(record) == [] and record["result"] is not None
        assert Game.from_record(record).start() == Game(3, seed=record["seed"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games"]
    again = tmp_path / "again"
    assert speicher("dataset", *arguments, "--records", str(again)) == 0
    assert [path.read_bytes() for path in sorted(again.glob("*.gz"))] == [
        path.read_bytes() for path in sorted(folder.glob("*.gz"))
    ]


def test_how_many_games_are_played_at_once_makes_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, at_once in (("one", 1), ("three", 3), ("many", 64)):
        monkeypatch.setattr(dataset_command, "COMPILED_AT_ONCE", at_once)
        arguments = ["--with", "random", "--games", "4", "--seed", "1", "--deck", "sampled"]
        assert speicher("dataset", *arguments, "--records", str(tmp_path / folder)) == 0
    assert shards(tmp_path / "one") == shards(tmp_path / "three") == shards(tmp_path / "many")


def test_the_description_names_every_file_with_its_digest(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    arguments = ["--with", "random", "--games", "3", "--seed", "1", "--shard", "2", "--author", "A. B."]
    assert speicher("dataset", *arguments, "--records", str(folder)) == 0
    described = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    files = {file["contentUrl"]: file for file in described["distribution"] if "contentUrl" in file}
    assert sorted(files) == sorted(path.name for path in folder.glob("*.gz"))
    for name, file in files.items():
        assert file["sha256"] == digest(folder / name)
        assert file["contentSize"] == f"{(folder / name).stat().st_size} B"
    assert described["name"] == "mine" and described["creator"]["name"] == "A. B."
    assert described["description"].startswith(
        "3 games of the board game Die Speicherstadt for 2 players, played by ran"
    )
    assert all(described[key] for key in described if key.startswith("rai:"))
    fields = {field["name"].partition("/")[2] for field in described["recordSet"][0]["field"]}
    record = shards(folder)[0][0]
    assert fields == set(record) - {"cards"}
    inner = {name: set(record[name][0] if name == "moves" else record[name]) for name in ("moves", "result")}
    for field in described["recordSet"][0]["field"]:
        for below in field.get("subField", ()):
            _, outer, name = below["name"].split("/")
            inner[outer].remove(name)
    assert not any(inner.values())


def test_recorded_games_are_checked_and_kept_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, folder = tmp_path / "plain.jsonl", tmp_path / "shards"
    assert speicher("record", "--players", "4", "--seed", "1", "--games", "3", "-o", str(plain)) == 0
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert speicher("dataset", str(plain), str(packed), "--records", str(folder)) == 0
    assert "speicher: 6 games written to" in capsys.readouterr().err
    recorded = [json.loads(line) for line in plain.read_text(encoding="utf-8").splitlines()]
    assert [record for file in shards(folder) for record in file] == recorded * 2
    assert speicher("replay", "--check", str(folder / "games-00000.jsonl.gz")) == 0

    recorded[1]["moves"].pop()
    recorded[1]["result"] = None
    plain.write_text("".join(json.dumps(record) + "\n" for record in recorded), encoding="utf-8")
    assert refused(capsys, plain, "--records", tmp_path / "other") == (
        f"{plain}, line 2: the game is not over; must be a whole game."
    )
    recorded[1]["moves"][0]["action"] = "end"
    plain.write_text("".join(json.dumps(record) + "\n" for record in recorded), encoding="utf-8")
    assert refused(capsys, plain, "--records", tmp_path / "other").startswith(f"{plain}, line 2: moves[0]: ")
    packed.write_bytes(packed.read_bytes()[:-20])
    assert refused(capsys, packed, "--records", tmp_path / "other") == (
        f"{packed}: is not a whole file of gzip, as its name says."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packed.jsonl.gz", "plain.jsonl", "shards"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--with", "random"), "the dataset needs a kind and a name: --minari ID, --records FOLDER or both."),
        (("--records", "new"), "the games need players or files: --with SPEC,... or files of game records."),
        (("a.jsonl", "--games", 3, "--records", "new"), "--games cannot be used with files of records, whose games"),
        (("--with", "human", "--records", "new"), '--with="human": must be a player that decides by itself.'),
        (("--with", "random", "--records", "."), ".: exists; must be a new folder."),
        (("--with", "random", "--records", "no/new"), "no/new: there is no directory "),
        (("--with", "random", "--games", 0, "--records", "new"), "--games=0: must be a whole number, 1 or more."),
        (("--with", "random", "--shard", 0, "--records", "new"), "--shard=0: must be a whole number, 1 or more."),
        (("--with", "random", "--deck", "sampeld", "--records", "new"), '--deck="sampeld": must be "standard", '),
        (("--with", "random,random,random", "--players", 2, "--records", "new"), "--with: must be 1 player for all"),
        (("--with", "random", "--seed", 2**64 - 1, "--games", 2, "--records", "new"), "--seed of the last game="),
        (("missing.jsonl", "--records", "new"), "missing.jsonl: there is no such file; must be a file of game"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_a_file_is_touched(
    arguments: tuple[object, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, *arguments).startswith(sentence)
    assert list(tmp_path.iterdir()) == []


def test_without_minari_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    monkeypatch.setitem(sys.modules, "h5py", None)
    monkeypatch.delitem(sys.modules, "speicher_env.integrations.minari", raising=False)
    message = refused(capsys, "--with", "random", "--minari", "some/games-v0", "--records", tmp_path / "new")
    assert message.startswith("--minari: ") and message.endswith("pip install 'speicher-env[data]'")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_command_keeps_the_finished_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pressed = iter([False, False, True, True])
    monkeypatch.setattr(dataset_command, "interruptible", lambda: _Pressed(pressed))
    assert speicher("dataset", "--with", "random", "--seed", "1", "--records", str(tmp_path / "games")) == 130
    assert capsys.readouterr().err.splitlines()[-1] == f"speicher: 3 games written to {tmp_path / 'games'}"
    assert [len(file) for file in shards(tmp_path / "games")] == [3]


class _Pressed:
    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def __enter__(self) -> Any:
        return lambda: next(self.answers)

    def __exit__(self, *error: object) -> None:
        pass


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record_shards, "write_file", full)
    assert speicher("dataset", "--with", "random", "--games", "2", "--records", str(tmp_path / "games")) == 2
    assert list(tmp_path.iterdir()) == []
