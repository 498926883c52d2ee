"""The folder of a run: known again whenever it was left, never mixed with another, and whole when the disk is full."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_networks import TINY

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_training.files import FileError
from speicher_training.train import plots
from speicher_training.train.checkpoint import read_checkpoint
from speicher_training.train.plots import save_curves
from speicher_training.train.recipe import recipe_from
from speicher_training.train.run_folder import RunFolder
from speicher_training.train.tensorboard import StageBoards, TensorBoard

FULL = OSError(28, "No space left on device")


class Killed(BaseException):
    """In place of kill -9: nothing catches it."""


def opened(path: Path, seed: int = 1, start: str | None = None) -> RunFolder:
    folder = RunFolder(path, recipe_from(TINY, "tiny"), seed, start)
    with folder.open(1000):
        assert folder.read_checkpoint() is None
    return folder


def refused(path: Path, **changes: Any) -> str:
    with pytest.raises(FileError) as found:
        opened(path, **changes)
    assert "\n" not in str(found.value)
    return str(found.value)


@pytest.mark.parametrize("done", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize("write", [1, 2])
def test_a_run_killed_while_its_folder_is_made_is_known_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: int, done: bool
):
    replace, count = os.replace, 0

    def killed(part: Path, path: Path) -> None:
        nonlocal count
        count += 1
        if count < write or done:
            replace(part, path)
        if count == write:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(os, "replace", killed)
        opened(tmp_path / "run")
    (tmp_path / "run" / ".speicher-0123456789abcdef.part").write_bytes(b"{")  # as a kill leaves it
    opened(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock", "run.json", "recipe.toml", "league"}
    assert (tmp_path / "run" / "recipe.toml").read_text() == recipe_from(TINY, "tiny").text()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["seed"] == 1


def test_a_full_disk_at_the_beginning_leaves_a_folder_to_begin_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(number: int) -> None:
        raise FULL

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert "run.json: cannot be written: the disk is full" in refused(tmp_path / "run")
    opened(tmp_path / "run")


def test_what_differs_in_another_run_is_named(tmp_path: Path):
    opened(tmp_path / "run", seed=3)
    assert "another run (seed 3)" in refused(tmp_path / "run", seed=4)
    assert "another run (from no baseline)" in refused(tmp_path / "run", seed=3, start="baseline:2p")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ('{"format": "speicher-arena/1"}', 'another run (format "speicher-arena/1")'),
        ('{"format": "speicherstadt-run/3"}', "is damaged or was edited"),
        ('{"format": "speicherstadt-run/3", "settings": {"game": 3}, "sha256": 5}', "is damaged or was edited"),
        ("{}", "is damaged or was edited"),
        ("[]", "is not a JSON object but a list"),
        ("{", "is not JSON"),
        (5000 * "1", "a number of more than 20 digits"),
    ],
)
def test_what_is_no_run_is_left_alone(tmp_path: Path, content: str, part: str):
    (tmp_path / "run.json").write_text(content)
    assert part in refused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("content", [b"{}", b'{"files": {}}', b"[]", b"", None])
def test_another_file_in_the_place_of_the_results_is_no_result(tmp_path: Path, content: bytes | None):
    folder = opened(tmp_path)
    (tmp_path / "finished.json").write_bytes((tmp_path / "run.json").read_bytes() if content is None else content)
    assert folder.read_finished() is None


def test_a_place_that_cannot_be_looked_at_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert "cannot be used as a folder: the name is too long" in refused(tmp_path / ("x" * 300))
    (tmp_path / "file").write_text("x")
    assert "is a file; must be a folder" in refused(tmp_path / "file")


def test_a_checkpoint_with_wrong_bytes_is_one_sentence(tmp_path: Path):
    path = tmp_path / "checkpoint.pickle"
    draw = random.Random(1)
    for length in range(40):
        path.write_bytes(b"\x80\x05" + draw.randbytes(length))
        with pytest.raises(FileError, match="is damaged or was edited"):
            read_checkpoint(path)


def test_a_checkpoint_of_another_version_is_told_from_a_damaged_one(tmp_path: Path):
    path = tmp_path / "checkpoint.pickle"
    path.write_bytes(b"speicherstadt-checkpoint/3 " + 64 * b"0" + b"\n...")
    with pytest.raises(FileError, match="is of another version of this package; finish the run with that one"):
        read_checkpoint(path)


def test_tensorboard_reads_what_is_written_and_not_what_a_run_that_went_on_has_left_behind(tmp_path: Path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    for begin, shares in ((0, (0.1, 0.2, 0.9)), (300, (0.3, 0.4))):
        board = TensorBoard(tmp_path / "tensorboard", begin)
        for number, share in enumerate(shares):
            steps = 100 * (number + 1) if not begin else begin + 100 * number
            board.write({"win_share": share, "text": "is left out"}, {}, steps)
        board.close()
    assert len(list((tmp_path / "tensorboard").iterdir())) == 2
    found = accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    found.Reload()
    assert found.Tags()["scalars"] == ["win_share"]
    told = found.Scalars("win_share")
    assert [event.step for event in told] == [100, 200, 300, 400]
    assert [event.value for event in told] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_a_full_disk_is_one_sentence_from_tensorboard_too(
    tmp_path: Path, capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    class Full:
        def __init__(self, stream: object) -> None:
            pass

        def write(self, content: bytes) -> None:
            raise FULL

    board = TensorBoard(tmp_path / "tensorboard", 0)
    monkeypatch.setattr("speicher_training.train.tensorboard.RecordWriter", Full)
    with pytest.raises(FileError, match="the disk is full"):
        board.write({"win_share": 0.5}, {}, 100)
    assert capfd.readouterr().err == ""


def test_curves_that_cannot_be_written_leave_the_old_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "curves.png").write_bytes(b"old")

    def full(number: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="the disk is full"):
        save_curves(tmp_path)
    assert (tmp_path / "curves.png").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_curves_show_par_and_a_share_of_1_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    line = {"kind": "evaluation", "seconds": 1.0, "players": 3, "opponent": "random", "low": 0.9, "high": 1.0}
    lines = [json.dumps({**line, "steps": steps, "win_share": 1.0}) for steps in (100, 200)]
    (tmp_path / "metrics.jsonl").write_text("".join(f"{text}\n" for text in lines))
    figures = []
    monkeypatch.setattr(plots, "write_curves", lambda figure, folder: figures.append(figure))
    save_curves(tmp_path)
    shares = figures[0].axes[0]
    assert {label.get_text() for label in shares.get_legend().get_texts()} == {"3 players, random", "3 players, par"}
    assert shares.get_ylim()[1] > 1.01


def test_tensorboard_has_the_stages_before_and_after_learning(tmp_path: Path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    boards = StageBoards(tmp_path)
    for decisions in (100, 200):
        boards.add({"kind": "pretraining", "steps": 0, "decisions": decisions, "agreement": 0.5, "of": 300})
    boards.add({"kind": "update", "steps": 1000, "train/loss": 1.0})
    assert [path.name for path in tmp_path.iterdir()] == ["pretraining"]
    written = accumulator.EventAccumulator(str(tmp_path / "pretraining"))
    written.Reload()
    assert written.Tags()["scalars"] == ["pretraining/agreement"]
    assert [event.step for event in written.Scalars("pretraining/agreement")] == [100, 200]
