"""`speicher train`: a run from the command line, and one clear sentence for everything that is wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from tests.support.small_networks import TINY

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_apps.cli.errors import run  # noqa: E402
from speicher_apps.cli.train import train  # noqa: E402
from speicher_training.train import progress  # noqa: E402
from speicher_training.train.progress import ProgressTable  # noqa: E402
from speicher_training.train.recipe import recipe_from  # noqa: E402

pytestmark = pytest.mark.usefixtures("same_torch_threads")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(recipe_from(TINY, "tiny").changed(run={"evaluation_steps": 384}).text())
    return "tiny.toml"


def command(*arguments: str) -> int:
    app = typer.Typer()
    app.command()(train)
    return run(app, list(arguments))


def test_a_run_says_how_strong_it_is_and_where_its_files_are(tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    assert command(tiny, "--steps", "768", "--seed", "7") == 0
    told = capsys.readouterr()
    assert told.out.startswith("win share with 2 players against random")
    assert "training tiny with seed 7 in runs/tiny-7" in told.err
    assert " decisions in " in told.err and "the baseline is runs/tiny-7/baseline.json" in told.err
    names = {path.name for path in (tmp_path / "runs" / "tiny-7").iterdir()}
    assert {"baseline.json", "baseline.safetensors", "curves.png", "curves.svg", "metrics.jsonl", "run.json"} <= names


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("tinny.toml",), "tinny.toml: cannot be read: there is no such file; must be a recipe"),
        (("dmeo",), 'did you mean "demo"?'),
        (("tiny.toml", "--steps", "0"), "steps=0: must be a whole number, 1 or more."),
        (("tiny.toml", "--steps", "5", "--minutes", "1"), "must be one or the other"),
        (("tiny.toml", "--from", "nobody"), 'baseline="nobody": must be'),
        (("tiny.toml", "--out", "tiny.toml"), "is a file; must be a folder for the run."),
        (("tiny.toml", "--seed", "-1"), "seed=-1: must be a whole number 0..2**32-1"),
        (("tiny.toml", "--seed", "4294967296"), "seed=4294967296: must be a whole number 0..2**32-1"),
        (("tiny.toml", "--out", "x" * 300), "cannot be used as a folder: the name is too long."),
        (("tiny.toml", "--out", "x" * 300, "--from", "2p"), "from 2p: its policy is"),
    ],
)
def test_what_is_wrong_is_one_sentence(tiny: str, capsys: pytest.CaptureFixture, arguments: tuple[str, ...], part: str):
    assert command(*arguments) == 2
    told = capsys.readouterr().err
    assert part in told
    assert "Traceback" not in told
    assert not os.path.exists("runs")


def test_a_missing_package_is_named_with_what_brings_it(
    tiny: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("speicher_apps.packages.find_spec", lambda name: None)
    assert command(tiny) == 2
    assert "the package torch: pip install 'speicher-env[train]'" in capsys.readouterr().err


def test_a_missing_package_is_named_from_python_too(monkeypatch: pytest.MonkeyPatch):
    import speicher_training.train as training

    monkeypatch.delitem(sys.modules, "speicher_training.train.run", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"train needs torch, which pip install 'speicher-env\[train\]' brings"):
        _ = training.train


def shown(table: ProgressTable) -> str:
    from rich.console import Console

    with open(os.devnull, "w") as nowhere:
        console = Console(width=100, record=True, file=nowhere)
        console.print(table)
        return console.export_text()


def test_progress_says_the_stage_in_plain_words():
    table = ProgressTable(2000, None)
    assert table.sentence() == "starting" and "starting" in shown(table)
    table.add({"kind": "pretraining", "steps": 0, "seconds": 4.0, "decisions": 300, "of": 1000, "agreement": 0.5})
    assert table.sentence() == "pretraining: 300 of 1,000 decisions, agreement with the teacher 0.50"
    assert "stage" in shown(table) and "300 of 1,000" in shown(table)
    table.add({"kind": "update", "steps": 1000, "seconds": 14.0, "learning_seconds": 10.0})
    assert table.sentence() == "learning: 1,000 decisions, 100/s"
    table.add({"kind": "update", "steps": 1000, "seconds": 14.0, "learning_seconds": 10.0,
               "games/nodes": 3.0, "games/cores": 6.0})  # fmt: skip
    assert table.sentence() == "learning: 1,000 decisions, 100/s, games on 6 cores of 3 machines"
    table.add({"kind": "imitation", "steps": 2000, "seconds": 20.0, "decisions": 600, "of": 900, "agreement": 0.75})
    assert table.sentence() == "imitation at the end: 600 of 900 decisions, agreement with the teacher 0.75"
    assert "600 of 900" in shown(table)
    table.add({"kind": "value_finetuning", "steps": 2000, "seconds": 30.0, "decisions": 500, "of": 800})
    assert table.sentence() == "value fine-tuning: 500 of 800 decisions"
    assert "value fine-tuning" in shown(table)


def test_the_table_shows_the_newest_numbers():
    table = ProgressTable(2000, None)
    for steps in (500, 1000):
        table.add({"kind": "update", "steps": steps, "seconds": 100.0, "learning_seconds": steps / 50,
                   "win_share/merchant": 0.25, "train/entropy_loss": -1.5, "league/win_share": 0.5})  # fmt: skip
    table.add({"kind": "evaluation", "steps": 1000, "seconds": 100.0, "players": 2, "opponent": "frugal",
               "win_share": 0.75, "low": 0.7, "high": 0.8})  # fmt: skip
    for part in ("learning", "1,000 of 2,000", "1.5000", "0.250", "2 players, frugal", "[0.700, 0.800]"):
        assert part in shown(table)
    assert table.sentence() == "learning: 1,000 decisions, 50/s, win share in the league 0.50, 2 players, frugal 0.75"


@pytest.mark.parametrize(("limits", "left"), [((2000, None), 20.0), ((None, 5.0), 200.0)])
def test_the_time_left_counts_what_a_run_took_before_it_was_interrupted(
    limits: tuple[int | None, float | None], left: float, monkeypatch: pytest.MonkeyPatch
):
    """And decisions per second do not count the pretraining."""
    now = 1000.0
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now))
    table = ProgressTable(*limits)
    table.add({"kind": "update", "steps": 1000, "seconds": 100.0, "learning_seconds": 20.0})
    assert table.rate == 50.0
    now += 3.0
    assert table.seconds_left() == left - 3.0
    table.add({"kind": "update", "steps": 1200, "seconds": 102.0, "learning_seconds": 22.0})
    assert table.rate == 100.0, "the first update, which compiles, is counted"


def test_every_stage_says_how_long_it_takes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 1000.0))
    table = ProgressTable(2000, None)
    assert table.seconds_left() is None
    for kind, agreement in (("pretraining", {"agreement": 0.5}), ("value_finetuning", {})):
        table.add({"kind": kind, "steps": 0, "seconds": 4.0, "decisions": 100, "of": 1000, **agreement})
        assert table.seconds_left() is None
        table.add({"kind": kind, "steps": 0, "seconds": 6.0, "decisions": 300, "of": 1000, **agreement})
        assert table.seconds_left() == 7.0
        assert "0 min 07 s" in shown(table)
