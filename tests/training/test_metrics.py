"""The metrics of a run: the curves of its card, and one sentence for every damaged line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_env.errors import FileError
from speicher_training.train.metrics import evaluation_curves, read_metrics


def evaluation(steps: int, share: float, players: int = 2, opponent: str = "merchant") -> dict[str, object]:
    return {
        "kind": "evaluation", "steps": steps, "seconds": steps / 10, "opponent": opponent, "players": players,
        "deals": 200, "win_share": share, "low": 0.0, "high": 1.0,
    }  # fmt: skip


def write(path: Path, *lines: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_there_is_a_curve_for_each_number_of_players_and_opponent():
    lines = [
        evaluation(steps, steps / 7000 + players / 100, players, opponent)
        for steps in (1000, 2000) for players in (2, 3) for opponent in ("random", "merchant")
    ]  # fmt: skip
    found = evaluation_curves(lines)
    assert [(curve["players"], curve["opponent"]) for curve in found] == [
        (2, "random"), (2, "merchant"), (3, "random"), (3, "merchant")
    ]  # fmt: skip
    assert found[3] == {
        "players": 3, "opponent": "merchant", "steps": [1000, 2000], "minutes": [1.67, 3.33],
        "win_share": [0.1729, 0.3157],
    }  # fmt: skip


def test_a_run_without_evaluations_has_no_curve():
    assert evaluation_curves([]) == []
    assert evaluation_curves([{"kind": "update", "steps": 1000, "train/loss": 0.5}]) == []


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path: Path):
    path = write(tmp_path / "metrics.jsonl", evaluation(1000, 0.5))
    path.write_text(path.read_text() + '{"kind": "evaluation", "steps": 20')
    assert [line["steps"] for line in read_metrics(path)] == [1000]
    assert read_metrics(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{", "{}", "3", '{"kind": "update"}', '{"kind": [], "steps": 1}', '{"kind": "update", "steps": "1"}',
        '{"kind": "evaluation", "steps": 1}', '{"kind": "other", "steps": 1}', 100 * "[", "\ud800", "1" * 5000,
        json.dumps(evaluation(1000, 0.5) | {"low": None}), json.dumps(evaluation(1000, 0.5) | {"opponent": 3}),
    ],
)  # fmt: skip
def test_an_odd_line_is_one_sentence(tmp_path: Path, text: str):
    path = write(tmp_path / "metrics.jsonl", evaluation(1000, 0.5))
    path.write_bytes(path.read_bytes() + text.encode("utf-8", "surrogatepass") + b"\n")
    with pytest.raises(FileError, match=r"metrics.jsonl, line 2: .*must be a line that a run has written"):
        read_metrics(path)
