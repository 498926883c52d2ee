"""The single-file example: each seat's decisions are chained to its own, and the command writes a baseline."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import Baseline

EXAMPLE = Path(__file__).parents[2] / "training" / "examples" / "own_algorithm.py"


def advantages(*arguments: object):
    spec = importlib.util.spec_from_file_location("own_algorithm", EXAMPLE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.advantages(*arguments)


def test_every_seat_is_paid_for_its_own_decisions_whoever_ends_the_game():
    """One game of two: seats 0, 1, 0 decide, the last decision ends it; then 1, 1, 0 decide in one that goes on."""
    seats = np.array([[0], [1], [0], [1], [1], [0]])
    ended = np.array([[False], [False], [True], [False], [False], [False]])
    values = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]])
    rewards = np.zeros((6, 1, 2))
    rewards[2, 0] = [1.0, -1.0]
    found, known = advantages(rewards, ended, seats, values, 0.5)
    assert known[:, 0].tolist() == [True, True, True, True, False, False]
    np.testing.assert_allclose(found[:3, 0], [(0.3 - 0.1) + 0.5 * 0.7, -1.0 - 0.2, 1.0 - 0.3])
    np.testing.assert_allclose(found[3:, 0], [0.5 - 0.4, 0.0, 0.0])


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
