"""Seeds of one recipe: what is trained, what plays whom, and that nothing is trained twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_networks import TINY

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks import seeds  # noqa: E402
from docs.tables import seeds as tables  # noqa: E402
from speicher_agents.baselines import read_baseline  # noqa: E402
from speicher_training.train.recipe import recipe_from, toml  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]


def test_the_seed_of_the_shipped_baseline_is_known_by_its_settings() -> None:
    training = read_baseline("2p")[0].training
    recipe = recipe_from({table: training["settings"][table] for table in seeds.DECISIVE}, "2p")
    assert seeds.is_shipped(recipe, training["seed"])
    assert not seeds.is_shipped(recipe, training["seed"] + 1)
    assert not seeds.is_shipped(recipe.changed(ppo={"epochs": 99}), training["seed"])


def test_all_seeds_play_the_opponent_and_each_other_and_are_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []
    for table, settings in {**TINY, "ppo": {**TINY["ppo"], "steps": 768}}.items():
        lines += [f"[{table}]", *(f"{name} = {toml(value)}" for name, value in settings.items())]
    (tmp_path / "tiny.toml").write_text("\n".join(lines))
    words = ["--recipe", str(tmp_path / "tiny.toml"), "--seeds", "2", "--deals", "3", "--jobs", "1"]
    words += ["--folder", str(tmp_path / "runs"), "--into", str(tmp_path)]
    assert seeds.main(words) == 0
    result = json.loads((tmp_path / "seeds.json").read_text())
    assert [row["seed"] for row in result["seeds"]] == [1, 2]
    assert [(row["first"], row["second"]) for row in result["pairs"]] == [(1, 2)]
    assert result["decisions"] == 768 and result["recipe"] == "tiny"
    text = tables.seeds(result)
    assert "768 decisions each; 3 held-out deals" in text and "seed 1 against seed 2: " in text

    trained: list[Any] = []
    original = seeds.train
    monkeypatch.setattr(seeds, "train", lambda *rest, **named: trained.append(original(*rest, **named)) or trained[-1])
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").rglob("baseline.safetensors")}
    assert seeds.main(words) == 0
    assert len(trained) == 2 and before == {path: path.stat().st_mtime_ns for path in before}


def test_the_decisions_of_each_training_can_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def untrained(recipe: seeds.Recipe, *_: object) -> None:
        asked.append(recipe.ppo.steps)

    monkeypatch.setattr(seeds, "trained", untrained)
    assert seeds.main(["--steps", "1234", "--folder", str(tmp_path), "--into", str(tmp_path)]) == seeds.INTERRUPTED
    assert asked == [1234]


def test_a_recipe_for_other_numbers_of_players_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert seeds.main(["--recipe", "3p"]) == 2
    assert "must be for games of 2." in capsys.readouterr().err
