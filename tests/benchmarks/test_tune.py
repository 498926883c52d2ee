"""Tuning the merchant's weights: what a run writes, and on which deals it is measured."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from benchmarks.tune import HELD_OUT, PANEL, SEEDS, Tuning, compare, gain, main, write_weights
from speicher_agents.scripted.merchant.weights import WEIGHTS, start_set
from tests.support.positions import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="plays too many games for plain Python")


@compiled_only
@pytest.mark.parametrize("players", [2, 3])
def test_a_player_against_itself_wins_its_share(players):
    tuning = Tuning(players, deals=10, seed=1)
    played = tuning.measure(tuning.incumbent, "merchant", 5, 10)
    assert played[:, 0] == pytest.approx(1 / players)


@compiled_only
def test_a_run_repeats_itself_and_writes_only_what_wins_more(tmp_path: Path):
    results = []
    for name in ("first", "second"):
        log, out = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.toml"
        options = (
            f"--players 2 --rounds 2 --generations 2 --members 6 --deals 4 --check 20 --seed 3 --log {log} -o {out}"
        )
        main(options.split())
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert [(line["round"], line.get("generation")) for line in lines] == [
            (number, generation) for number in (1, 2) for generation in (0, 1, 2, None)
        ]
        assert out.exists() == any(line.get("gain", 0) > 0 for line in lines)
        for line in lines:
            line.pop("seconds", None)
        results.append((lines, out.read_bytes() if out.exists() else b""))
    assert results[0] == results[1]


@compiled_only
def test_the_first_round_starts_from_neutral_weights():
    assert np.array_equal(Tuning(2, deals=1, seed=1).incumbent, start_set())


@compiled_only
def test_weights_that_play_badly_lose_on_held_out_deals():
    tuning = Tuning(2, deals=4, seed=1)
    never_buys = np.array(tuning.incumbent)
    for place, weight in enumerate(WEIGHTS):
        never_buys[place] = weight.high if weight.name.startswith("coin") else weight.low
    comparison = compare(tuning, never_buys, 40)
    assert set(comparison) == {rival.name for rival in PANEL}
    assert gain(comparison) < 0
    assert gain(compare(tuning, tuning.incumbent, 5)) == 0


def test_tuning_and_measuring_use_different_deals():
    assert SEEDS <= HELD_OUT


def test_a_set_is_put_beside_the_sets_of_other_counts(tmp_path: Path):
    path = tmp_path / "weights.toml"
    write_weights(3, start_set() + 0.25, "by hand", path)
    write_weights(2, start_set(), "again", path)
    written = tomllib.loads(path.read_text(encoding="utf-8"))
    assert written["tuned"] == {"2_players": "again", "3_players": "by hand"}
    assert list(written["3_players"].values()) == pytest.approx(list(start_set() + 0.25), abs=1e-4)
    assert list(written["2_players"].values()) == pytest.approx(list(start_set()), abs=1e-4)
