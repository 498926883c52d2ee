"""`speicher record`: the games it writes, where, and what is left when it is stopped."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from speicher_apps.cli import record as record_command
from speicher_env import Game, check_record, read_records
from speicher_env.deck import standard_deck
from tests.support.command import speicher

COMMAND = [sys.executable, "-c", "from speicher_apps.cli import main; main()"]


def written(path: Path) -> list[dict]:
    with path.open("rb") as stream:
        return [record for _, record in read_records(stream, str(path))]


def test_games_of_following_seeds_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    assert speicher("record", "--players", "3", "--seed", "40", "--games", "4", "-o", str(path)) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "speicher: seed 40",
        f"speicher: 4 games of 3 players written to {path}, seeds 40..43",
    ]
    records = written(path)
    assert [record["seed"] for record in records] == [40, 41, 42, 43]
    for record in records:
        assert check_record(record) == []
        assert record["result"] is not None
        assert Game.from_record(record).start() == Game(3, seed=record["seed"])
    assert os.listdir(tmp_path) == ["games.jsonl"]


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        assert speicher("record", "--seed", "1", "--games", "2", "--deck", "sampled", "-o", str(path)) == 0
    assert one.read_bytes() == other.read_bytes()
    assert speicher("record", "--seed", "2", "-o", str(other), "--force") == 0
    assert written(one)[1] != written(other)[0]  # the deck differs
    assert written(one)[1]["seed"] == written(other)[0]["seed"] == 2


def test_how_the_players_choose_does_not_hang_on_the_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Game(2, seed=5), Game(2, seed=5)
    record_command.play_at_random(one)
    monkeypatch.setattr(record_command, "PLAY_STREAM", 99)
    record_command.play_at_random(other)
    assert one.start() == other.start() and one.moves != other.moves


def test_without_a_seed_a_fresh_one_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = []
    for _ in range(2):
        assert speicher("record") == 0
        out, err = capsys.readouterr()
        seeds.append(json.loads(out)["seed"])
        assert err.splitlines()[0] == f"speicher: seed {seeds[-1]}"
    assert seeds[0] != seeds[1]


def test_stdout_gets_the_records_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("record", "--seed", "1", "--games", "2", "--legal", "-o", "-") == 0
    out, err = capsys.readouterr()
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["seed"] for record in records] == [1, 2]
    assert all(len(move["legal"]) >= 2 for record in records for move in record["moves"])
    assert "2 games of 2 players written to stdout, seeds 1..2" in err


def test_a_deck_file_is_played(tmp_path: Path) -> None:
    deck = tmp_path / "ours.toml"
    lines = ['name = "ours"']
    for card, fields in standard_deck().cards().items():
        lines.append(f"[cards.{card}]")
        lines += [f"{key} = {json.dumps(6 if card == 'fire_4' and key == 'value' else fields[key])}" for key in fields]
    deck.write_text("\n".join(lines))
    path = tmp_path / "games.jsonl"
    assert speicher("record", "--seed", "1", "--deck", str(deck), "-o", str(path)) == 0
    (record,) = written(path)
    assert record["deck"] == "ours" and record["cards"]["fire_4"]["value"] == 6
    assert check_record(record) == []


def test_a_file_that_is_there_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    assert speicher("record", "--seed", "1", "-o", str(link)) == 2
    assert path.read_text() == "old", "only --force replaces a file"
    assert speicher("record", "--seed", "1", "-o", str(link), "--force") == 0
    assert len(written(path)) == 1
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_is_written_to_and_stays_a_device() -> None:
    assert speicher("record", "--seed", "1", "-o", os.devnull) == 0
    assert not Path(os.devnull).is_file()


def fail_at_the_second(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> None:
    """In the second game either Ctrl-C is pressed, or an error comes up."""
    played = 0
    original = record_command.play_at_random

    def play(game: Game) -> None:
        nonlocal played
        played += 1
        if played == 2:
            if error is not None:
                raise error
            os.kill(os.getpid(), signal.SIGINT)
        original(game)

    monkeypatch.setattr(record_command, "play_at_random", play)


def test_ctrl_c_keeps_the_finished_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_at_the_second(monkeypatch, None)
    path = tmp_path / "games.jsonl"
    handler = signal.getsignal(signal.SIGINT)
    assert speicher("record", "--seed", "1", "--games", "9", "-o", str(path)) == 130
    assert [record["seed"] for record in written(path)] == [1, 2]
    assert all(check_record(record) == [] for record in written(path))
    assert "2 of 9 games of 2 players written" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_before_the_first_game_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    original = record_command.say

    def say_and_press(sentence: str) -> None:
        original(sentence)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(record_command, "say", say_and_press)
    assert speicher("record", "--seed", "1", "--games", "9", "-o", str(path), "--force") == 130
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["games.jsonl"]
    assert capsys.readouterr().err.splitlines() == [
        "speicher: seed 1",
        "speicher: interrupted before a game was finished, nothing was written",
    ]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("ours")], ids=["OS", "ours"])
def test_a_failure_leaves_no_half_written_file(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_at_the_second(monkeypatch, error)
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    arguments = ("record", "--seed", "1", "--games", "9", "-o", str(path), "--force")
    if isinstance(error, OSError):
        assert speicher(*arguments) == 2
        assert f"{path}: cannot be written: the disk is full." in capsys.readouterr().err
    else:
        with pytest.raises(RuntimeError, match="ours"):
            speicher(*arguments)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["games.jsonl"]


def test_a_reader_that_has_enough_ends_the_command_quietly() -> None:
    with subprocess.Popen(
        [*COMMAND, "record", "--seed", "1", "--games", "500"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert json.loads(process.stdout.readline())["seed"] == 1
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b"speicher: seed 1\n"
