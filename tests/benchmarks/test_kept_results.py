"""A kept result is that of a run if all that it depends on agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks.runs import is_kept, settings_by_time
from speicher_training.train.recipe import load_recipe


def kept(folder: Path, settings: dict[str, Any]) -> bool:
    (folder / "run.json").write_text(json.dumps({"seed": 1, "settings": settings}))
    return is_kept(folder / "run.json", {"seed": 1, "settings": settings_by_time(load_recipe("2p"))})


def test_a_setting_that_came_later_has_its_default_in_what_was_kept_before(tmp_path: Path) -> None:
    tables = load_recipe("2p").tables
    before = {table: settings for table, settings in tables.items() if table != "imitation"}
    before["ppo"] = {name: value for name, value in tables["ppo"].items() if name != "decks"}
    assert kept(tmp_path, before)
    assert not kept(tmp_path, {**before, "imitation": {"decisions": 5}})
    assert not kept(tmp_path, {**before, "ppo": {**before["ppo"], "epochs": 99}})


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"seed": 2, "settings": load_recipe("2p").tables}))
    assert not is_kept(path, {"seed": 1, "settings": load_recipe("2p").tables})
