"""The curves that a card tells are the evaluations of its run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_training.train.metrics import evaluation_curves


def evaluation(steps: int, share: float, players: int = 2, opponent: str = "merchant") -> dict[str, object]:
    return {
        "kind": "evaluation", "steps": steps, "seconds": steps / 10, "opponent": opponent, "players": players,
        "deals": 200, "win_share": share, "low": 0.0, "high": 1.0,
    }  # fmt: skip


def write(path: Path, *lines: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_there_is_a_curve_for_each_number_of_players_and_opponent(tmp_path: Path):
    lines = [
        evaluation(steps, steps / 7000 + players / 100, players, opponent)
        for steps in (1000, 2000) for players in (2, 3) for opponent in ("random", "merchant")
    ]  # fmt: skip
    found = evaluation_curves(write(tmp_path / "metrics.jsonl", *lines))
    assert [(one["players"], one["opponent"]) for one in found] == [
        (2, "random"), (2, "merchant"), (3, "random"), (3, "merchant")
    ]  # fmt: skip
    assert found[3] == {
        "players": 3, "opponent": "merchant", "steps": [1000, 2000], "minutes": [1.67, 3.33],
        "win_share": [0.1729, 0.3157],
    }  # fmt: skip


def test_what_was_evaluated_twice_is_in_a_curve_once(tmp_path: Path):
    lines = [evaluation(1000, 0.5), evaluation(2000, 0.6), evaluation(2000, 0.6) | {"seconds": 260.0}]
    (found,) = evaluation_curves(write(tmp_path / "metrics.jsonl", *lines))
    assert found["steps"] == [1000, 2000] and found["win_share"] == [0.5, 0.6] and found["minutes"] == [1.67, 4.33]


def test_a_run_without_evaluations_has_no_curve(tmp_path: Path):
    assert evaluation_curves(tmp_path / "none.jsonl") == []
    update = {"kind": "update", "steps": 1000, "train/loss": 0.5}
    assert evaluation_curves(write(tmp_path / "metrics.jsonl", update)) == []


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path: Path):
    path = write(tmp_path / "metrics.jsonl", evaluation(1000, 0.5))
    path.write_text(path.read_text() + '{"kind": "evaluation", "steps": 20')
    assert [one["steps"] for one in evaluation_curves(path)] == [[1000]]
