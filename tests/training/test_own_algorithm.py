"""The single-file example: the command trains, evaluates and writes a baseline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import Baseline

EXAMPLE = Path(__file__).parents[2] / "training" / "examples" / "own_algorithm.py"


def command(folder: Path, **changes: object) -> str:
    """What the example prints when it trains for a moment; it exports into `folder`/own."""
    told = {"players": 3, "steps": 1000, "games": 8, "rollout": 16, "minibatch": 64, "deals": 2, **changes}
    options = [str(text) for name, value in told.items() for text in (f"--{name}", value)]
    arguments = [sys.executable, EXAMPLE, *options, "--export", folder / "own"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=folder).stdout


def test_the_command_trains_and_exports(tmp_path: Path):
    told = command(tmp_path)
    assert "decisions" in told and "win share against merchant" in told
    assert Baseline(tmp_path / "own" / "baseline.json").card.players == (3,)


def test_a_minibatch_of_a_single_decision_ruins_nothing(tmp_path: Path):
    """The last one of a rollout may be so small; a single decision has no spread to divide by."""
    assert "nan" not in command(tmp_path, minibatch=1, steps=128, players=2)
    Baseline(tmp_path / "own" / "baseline.json")  # which numbers that are not finite would not make
