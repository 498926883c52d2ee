"""The files that specs of players name travel by content, and nothing else does."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import pytest

from speicher_agents import make_player
from speicher_training.executor import InProcess
from speicher_training.executor.luggage import pack_luggage
from tests.support import toys


class Far(InProcess):
    """Stands for other machines."""

    remote = True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a player, a network and settings."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(toys.__file__, tmp_path / "mine.py")
    shutil.copy(toys.__file__, tmp_path / "luggage_toys.py")
    (tmp_path / "runs").mkdir()
    with resources.as_file(resources.files("speicher_agents.baselines") / "weights") as weights:
        shutil.copy(weights / "2p.json", tmp_path / "runs")
        shutil.copy(weights / "2p.safetensors", tmp_path / "runs")
    (tmp_path / "notes.txt").write_text("mine")
    return tmp_path


def test_files_that_specs_name_are_written_elsewhere_and_the_players_can_be_made(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = ["merchant", "mine.py:First", "runs/2p.json", "baseline:runs/2p.json,seed=3", "guided:baseline=./runs",
             "luggage_toys:First"]  # fmt: skip
    for spec in specs:
        make_player(spec)
    luggage = pack_luggage(Far(), specs)
    assert set(luggage.parts) == set(specs[1:])
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    for name in ("runs", "mine.py", "luggage_toys.py"):
        (shutil.rmtree if name == "runs" else Path.unlink)(folder / name)
    here = luggage.unpacked(specs)
    assert here[0] == "merchant" and all(str(elsewhere) in spec for spec in here[1:])
    for spec in here:
        make_player(spec)
    assert {path.name for path in elsewhere.rglob("*.*") if path.suffix != ".pyc"} == {
        "mine.py",
        "luggage_toys.py",
        "2p.json",
        "2p.safetensors",
    }


def test_a_file_that_a_parameter_names_is_taken_along(folder: Path) -> None:
    (spec,) = pack_luggage(Far(), ["mine.py:First:text=notes.txt"]).unpacked(["mine.py:First:text=notes.txt"])
    assert Path(spec.rpartition("=")[2]).read_text() == "mine"


def test_nothing_travels_on_one_machine(folder: Path) -> None:
    assert pack_luggage(InProcess(), ["mine.py:First"]).unpacked(["mine.py:First"]) == ["mine.py:First"]
