"""A card tells where its network came from, as far back as runs are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_networks import TINY, card, network, write

pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import read_baseline
from speicher_agents.baselines.card import HISTORY
from speicher_training.train import train
from speicher_training.train.recipe import recipe_from


def test_a_card_tells_all_runs_that_its_own_went_on_from(tmp_path: Path):
    first = network(2, (16,), "relu", figures=True, columns=(10, 6))
    told = {"recipe": "two", "seed": 7, "from": None, "steps": 4000, "minutes": 0.5, "commit": "ab", "settings": {}}
    start = write(tmp_path, first, card(first, training=told))
    recipe = recipe_from(
        {**TINY, "network": {"columns": [10, 6], "shared": [], "policy": [16], "value": [16], "every_seat": False}},
        "finer",
    )
    paths = [tmp_path / "once", tmp_path / "twice"]
    for path in paths:
        train(recipe, path, steps=384, start=str(start), plots=False, jobs=1)
        start = path / "baseline.json"
    once, twice = (read_baseline(path)[0] for path in paths)
    oldest = {"name": "small", "sha256": card(first).sha256} | {key: told[key] for key in HISTORY}
    assert once.training["before"] == [oldest]
    assert twice.training["before"] == [oldest, once.history[-1]]
    assert once.history[-1]["sha256"] == once.sha256 and once.history[-1]["steps"] == once.training["steps"]


def test_a_run_that_goes_on_needs_the_baseline_it_started_from_no_more(tmp_path: Path):
    """By then another network may have that name, which is none of its ancestors."""
    recipe = recipe_from(
        {**TINY, "network": {"columns": [10, 6], "shared": [], "policy": [16], "value": [16], "every_seat": False}},
        "finer",
    )
    told = {"recipe": "two", "seed": 7, "from": None, "steps": 4000, "minutes": 0.5, "commit": "ab"}
    first, other = (network(2, (16,), "relu", seed=seed, figures=True, columns=(10, 6)) for seed in (0, 1))
    start = str(write(tmp_path, first, card(first, training=told)))
    train(recipe, tmp_path / "run", steps=384, start=start, plots=False, jobs=1)
    before = read_baseline(tmp_path / "run")[0].training["before"]
    assert [one["sha256"] for one in before] == [card(first).sha256]
    write(tmp_path, other, card(other, training={**told, "steps": 1}))
    train(recipe, tmp_path / "run", steps=768, start=start, plots=False, jobs=1)
    assert read_baseline(tmp_path / "run")[0].training["before"] == before
    Path(start).unlink()
    train(recipe, tmp_path / "run", steps=1152, start=start, plots=False, jobs=1)
    assert read_baseline(tmp_path / "run")[0].training["before"] == before
