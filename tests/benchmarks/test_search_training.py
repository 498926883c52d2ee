"""PPO and learning from search share a core time as each course says, and every run is measured against PPO alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_networks import TINY

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks import search_training  # noqa: E402
from docs.tables import search_training as tables  # noqa: E402
from speicher_training.train import Recipe  # noqa: E402
from speicher_training.train.recipe import recipe_from  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]

MINUTES = 0.05


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    def recipe(name: str) -> Recipe:
        search = {"games": 4, "window": 600, "batch_size": 64, "iterations": 4}
        network = {**TINY["network"], "every_seat": True}
        return recipe_from({**TINY, "network": network, "search": search}, name)

    monkeypatch.setattr(search_training, "load_recipe", recipe)


def carried_out(tmp_path: Path, *courses: str) -> dict[str, dict[str, Any]]:
    words = ["--players", "2", "--minutes", str(MINUTES), "--deals", "2"]
    for course in courses:
        words += ["--only", course]
    search_training.main([*words, "--folder", str(tmp_path / "runs"), "--into", str(tmp_path / "kept")])
    return {course: json.loads((tmp_path / "kept" / f"{course}-2p-1.json").read_text()) for course in courses}


def test_each_course_uses_the_same_time_and_plays_against_ppo_alone(
    tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = carried_out(tmp_path, "ppo", "search", "ppo-search-4")
    for course, result in results.items():
        assert result["seconds"] >= 60 * MINUTES
        assert set(result["against"]) == {*search_training.PANEL, *(() if course == "ppo" else ("ppo",))}
        assert (result["searched"] > 0) == (course != "ppo")
    monkeypatch.setattr(tables, "KEPT", tmp_path / "kept")
    text = tables.courses(2)
    assert [f"| `{course}` | 1 |" in text for course in results] == [True] * 3
    assert "0.05 minutes of core time" in text


def test_a_run_that_is_kept_is_not_carried_out_again(
    tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried_out(tmp_path, "ppo")

    def refuse(*arguments: Any) -> None:
        raise AssertionError("it was run again")

    monkeypatch.setattr(search_training, "learn_by_ppo", refuse)
    carried_out(tmp_path, "ppo")
    recipe = search_training.load_recipe  # how long the recipe itself trains does not matter to runs that end by time
    monkeypatch.setattr(search_training, "load_recipe", lambda name: recipe(name).changed(ppo={"steps": 999_999}))
    carried_out(tmp_path, "ppo")
    monkeypatch.setattr(search_training, "load_recipe", lambda name: recipe(name).changed(ppo={"epochs": 7}))
    with pytest.raises(AssertionError, match="run again"):
        carried_out(tmp_path, "ppo")


def test_an_unknown_course_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        search_training.main(["--only", "mcts", "--folder", str(tmp_path)])
    assert ended.value.code == 2 and 'course="mcts": must be ppo, ppo-half, search' in capsys.readouterr().err
