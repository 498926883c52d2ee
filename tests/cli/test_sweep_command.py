"""`speicher sweep`: what it prints, and one clear sentence for everything that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

pytest.importorskip("torch", reason="the extra [train] is not installed")
pytest.importorskip("ray", reason="the extra [ray] is not installed")

from speicher_apps.cli.errors import run
from speicher_apps.cli.sweep import sweep


@pytest.fixture(autouse=True)
def with_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Ray were installed, which nothing here starts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("speicher_apps.packages.find_spec", lambda name: True)


def command(*arguments: str) -> int:
    app = typer.Typer()
    app.command()(sweep)
    return run(app, list(arguments))


def test_a_dry_run_prints_the_trials_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("demo", "--set", "ppo.entropy=[0.01,0.02]", "--seeds", "1", "--dry-run") == 0
    printed = capsys.readouterr()
    assert printed.out == "ppo.entropy=0.01,seed=1\nppo.entropy=0.02,seed=1\n"
    assert "2 trials, 2 of them to carry out, in sweeps/demo" in printed.err
    assert command("demo", "--seeds", "1", "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [{"trial": "seed=1", "settings": {}, "seed": 1, "finished": False}]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--set", "ppo.entropi=[1]"), 'there is no such setting, did you mean "ppo.entropy"?'),
        (("--budget", "5"), '--budget="5": must be a time such as 90s, 10m or 2h.'),
        (("--budget", "soon"), '--budget="soon": must be a time such as 90s, 10m or 2h.'),
        (("--budget", "5m", "--steps", "7"), "--steps and --budget: must be one or the other, not both."),
        (("--steps", "0"), "steps=0: must be a whole number, 1 or more."),
        (("--seeds", "0"), "seeds=0: must be a whole number, 1 or more."),
        (("--jobs", "0"), "jobs=0: must be a whole number, 1 or more."),
        (("--ray", "there:99999"), "there:99999: no Ray cluster"),
        (("--ray", "cloud"), 'ray="cloud": must be auto, local or the HOST:PORT'),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("demo", *arguments) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err and "Traceback" not in printed.err and printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("speicher_apps.packages.find_spec", lambda name: None if name == "ray" else True)
    assert command("demo") == 2
    assert "a sweep needs the package ray: pip install 'speicher-env[ray]'" in capsys.readouterr().err
