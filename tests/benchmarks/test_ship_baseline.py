"""A run's baseline enters the package in half precision, with what its card says of the training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks import ship_baseline
from speicher_agents.baselines import read_baseline
from tests.support.small_networks import card, network, write

TRAINING = {"recipe": "2p", "seed": 1, "commit": "01234567", "changed": False}
STRENGTH = {"development": {"deals": 200}, "evaluation": {"deals": 9}}


def run_of(folder: Path, training: dict[str, object]) -> Path:
    own = network()
    return write(folder, own, card(own, training=training, strength=STRENGTH)).parent


def test_a_baseline_is_shipped_in_half_precision_with_the_story_of_its_training(tmp_path: Path) -> None:
    run, into = run_of(tmp_path, TRAINING), tmp_path / "package"
    into.mkdir()
    assert ship_baseline.main([str(run), "mine", "--into", str(into)]) == 0
    card_of, shipped = read_baseline(into / "mine.json")
    assert card_of.name == "mine" and card_of.training == TRAINING
    assert set(card_of.strength) == {"development"}, "strength on held-out deals is measured again"
    weights, before = shipped.tensors(), network().tensors()
    for name, array in weights.items():
        assert np.array_equal(array, before[name].astype(np.float16).astype(np.float32))
    assert (into / "mine.safetensors").stat().st_size < 0.6 * (run / "small.safetensors").stat().st_size


@pytest.mark.parametrize("training", [{**TRAINING, "changed": True}, {"recipe": "2p"}])
def test_a_run_that_nobody_could_repeat_is_refused(
    tmp_path: Path, training: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "package"
    into.mkdir()
    assert ship_baseline.main([str(run_of(tmp_path, training)), "mine", "--into", str(into)]) == 2
    assert "in no commit" in capsys.readouterr().err
    assert not list(into.iterdir())


def test_a_run_without_evaluations_is_shipped_too(tmp_path: Path) -> None:
    own, into = network(), tmp_path / "package"
    into.mkdir()
    run = write(tmp_path, own, card(own, training=TRAINING)).parent
    assert ship_baseline.main([str(run), "mine", "--into", str(into)]) == 0
