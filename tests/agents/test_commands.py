"""`speicher players` and `speicher tune`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from positions import JIT

from speicher_agents import describe_players
from speicher_agents._jit import WEIGHTS_FILE
from speicher_agents.scripted.weights import TUNED, WEIGHTS, start_set
from speicher_training.cli import main
from speicher_training.tune import HELD_OUT, PANEL, SEEDS, Tuning, compare, gain, write_weights

compiled_only = pytest.mark.skipif(not JIT, reason="plays too many games for plain Python")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def test_players_lists_every_player_with_its_idea(capsys):
    code, out, _ = run(capsys, "players")
    assert code == 0
    words = " ".join(out.split())
    for kind in describe_players():
        assert kind.name in out
        assert kind.idea.split()[0] in words
        for parameter in kind.parameters:
            assert f"{kind.name}: {parameter.name} is" in words


def test_the_weights_in_use_are_those_of_the_file():
    written = tomllib.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    for players in (2, 3, 4, 5):
        named = written[f"{players}_players"]
        assert list(named) == [weight.name for weight in WEIGHTS]
        assert np.array_equal(TUNED[players], list(named.values()))
        assert not np.array_equal(TUNED[players], start_set())
        assert written["tuned"][f"{players}_players"]


def test_every_weight_is_explained_and_within_its_range():
    assert len({weight.name for weight in WEIGHTS}) == len(WEIGHTS)
    for weight in WEIGHTS:
        assert weight.meaning
        assert weight.low <= weight.start <= weight.high
    for players in (2, 3, 4, 5):
        for weight, value in zip(WEIGHTS, TUNED[players], strict=True):
            assert weight.low <= value <= weight.high, weight.name


@compiled_only
@pytest.mark.parametrize("players", [2, 3])
def test_a_player_against_itself_wins_its_share(players):
    tuning = Tuning(players, deals=10, seed=1)
    played = tuning.measure(tuning.incumbent, "merchant", 5, 10)
    assert played[:, 0] == pytest.approx(1 / players)


@compiled_only
def test_a_run_repeats_itself_and_writes_only_what_wins_more(capsys, tmp_path):
    results = []
    for name in ("first", "second"):
        log = tmp_path / f"{name}.jsonl"
        out = tmp_path / f"{name}.toml"
        options = f"--players 2 --generations 2 --members 6 --deals 4 --check 20 --seed 3 --log {log} -o {out}"
        code, told, said = run(capsys, "tune", *options.split())
        assert code == 0
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert [line.get("generation") for line in lines] == [0, 1, 2, None]
        assert out.exists() == (lines[-1]["gain"] > 0)
        assert ("weights written to" in said) == (lines[-1]["gain"] > 0)
        for line in lines:
            line.pop("seconds", None)
        results.append((told, lines, out.read_bytes() if out.exists() else b""))
    assert results[0] == results[1]


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--players", "6"], "--players: found 6, must be a whole number 2..5"),
        (["--generations", "0"], "--generations: found 0, must be a whole number from 1"),
        (["--members", "4"], "--members: found 4, must be a whole number from 5"),
        (["--deals", "0"], "--deals: found 0, must be a whole number from 1"),
        (["--check", "1"], "--check: found 1, must be a whole number from 2"),
        (["--seed", "-1"], "--seed: found -1, must be a whole number from 0"),
        (["-o", "no/such/folder/w.toml"], "--output: there is no folder no/such/folder"),
        (["--log", "no/such/folder/log.jsonl"], "--log: there is no folder no/such/folder"),
        (["--deck", "standrd"], "standrd"),
    ],
)
def test_a_wrong_option_is_one_sentence(capsys, arguments, said):
    code, out, err = run(capsys, "tune", *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
