"""Seeds are whole numbers 0..2**64-1 in every interface, and a large one deals one game of its own everywhere."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, RecordError, check_record
from speicher_env.arguments import check_seed, following_seed
from speicher_env.batch import Batch
from speicher_env.envs.aec import env
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.rules.stream import DEAL_STREAM, MAX_SEED, start_stream
from tests.support.command import speicher

LARGE = (2**63, 2**64 - 1)
WRONG = (-1, 2**64)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63 - 1, *LARGE])
def test_a_stream_begins_with_both_halves_of_the_seed(seed: int) -> None:
    first = start_stream(np.uint64(seed), DEAL_STREAM)
    assert all(0 <= part < 2**32 for part in first)
    if seed < 2**63:
        assert first == start_stream(seed, DEAL_STREAM)
    others = {start_stream(np.uint64((seed + step) % 2**64), DEAL_STREAM) for step in (1, 2**32, 2**63)}
    assert first not in others and len(others) == 3


@pytest.mark.nojit
@pytest.mark.parametrize("seed", LARGE)
def test_a_large_seed_deals_copies_and_is_recorded(seed: int) -> None:
    game = Game(3, "sampled", seed)
    assert game.seed == seed and game.start() == game == Game.from_state(game.get_state())
    assert game.redealt(seed) == game.redealt(seed) != game.redealt(seed - 1)
    record = json.loads(json.dumps(game.to_record()))
    assert record["seed"] == seed and check_record(record) == [] and Game.from_record(record) == game
    assert len({Game(3, "sampled", other).get_state() for other in (seed, seed - 1, seed - 2**63)}) == 3


@pytest.mark.nojit
@pytest.mark.parametrize("seed", WRONG)
def test_a_seed_out_of_range_is_refused_by_games_and_records(seed: int) -> None:
    fault = rf"seed={seed}: must be a whole number 0\.\.2\*\*64-1\.$"
    for refuse in (lambda: Game(2, seed=seed), lambda: Game(2).redealt(seed), lambda: check_seed(seed)):
        with pytest.raises(ArgumentError, match=fault):
            refuse()
    with pytest.raises(RecordError, match=fault):
        Game.from_record({**Game(2).to_record(), "seed": seed})


@pytest.mark.parametrize("seed", LARGE)
def test_the_same_large_seed_is_the_same_game_in_every_interface(seed: int) -> None:
    game = Game(2, seed=seed)
    deal = game.states_view[0].tobytes()
    batch = Batch(3, 2)
    batch.reset([seed, 0, seed - 1])
    vector = SpeicherVectorEnv(2, autoreset_mode="same_step")
    vector.reset(seed=[seed, None])
    solo = SpeicherEnv()
    solo.reset(seed=seed)
    aec = env()
    aec.reset(seed=seed)
    for states in (batch.arrays.states, vector.batch.arrays.states, solo.batch.arrays.states):
        assert int(states["seed"][0]) == seed
    assert batch.arrays.states[0].tobytes() == deal == aec.unwrapped.game.states_view[0].tobytes()
    batch.reset(np.array([seed], dtype=np.uint64), [1])
    assert batch.arrays.states[1].tobytes() == deal
    aec.reset()
    solo.reset()
    assert aec.unwrapped.game.seed == following_seed(seed) == int(solo.batch.arrays.states["seed"][0])


def test_the_seed_of_an_ended_game_is_kept_whole() -> None:
    batch = Batch(2, 2, autoreset="same_step")
    batch.reset([2**63, MAX_SEED])
    ended: dict[int, int] = {}
    while len(ended) < 2:
        batch.step(batch.action_masks.argmax(axis=1))
        for lane in np.flatnonzero(batch.ended).tolist():
            ended.setdefault(lane, batch.outcome(lane)["seed"])
    assert ended == {0: 2**63, 1: MAX_SEED}


@pytest.mark.parametrize("seed", WRONG)
def test_a_seed_out_of_range_is_refused_by_every_environment(seed: int) -> None:
    fault = rf"seed={seed}: must be a whole number 0\.\.2\*\*64-1\.$"
    batch, vector = Batch(2, 2), SpeicherVectorEnv(2)
    for refuse in (
        lambda: batch.reset([3, seed]),
        lambda: vector.reset(seed=seed),
        lambda: vector.reset(seed=[0, seed]),
        lambda: SpeicherEnv().reset(seed=seed),
        lambda: env().reset(seed=seed),
    ):
        with pytest.raises(ArgumentError, match=fault):
            refuse()
    with pytest.raises(ArgumentError, match=r"seed=18446744073709551616: must be"):
        vector.reset(seed=MAX_SEED)  # the second row would have 2**64


@pytest.mark.nojit
def test_a_float_is_not_a_seed() -> None:
    for seed in (1.0, math.inf, np.float64(3)):
        with pytest.raises(ArgumentError, match="seed="):
            check_seed(seed)


def test_an_arena_plays_deals_up_to_the_last_seed(tmp_path: Path) -> None:
    arena = pytest.importorskip("speicher_training.arena").arena
    options = {"deals": 2, "replicates": 50, "plots": False}
    results = arena(["random", "random"], seed=MAX_SEED - 1, output=tmp_path, **options)
    assert results.games.seeds.tolist() == [MAX_SEED - 1, MAX_SEED]
    with pytest.raises(ArgumentError, match="seed of the last deal=18446744073709551616: must be"):
        arena(["random", "random"], seed=MAX_SEED, **options)


def test_rows_of_stable_baselines_take_seeds_up_to_the_last() -> None:
    sb3 = pytest.importorskip("speicher_env.envs.sb3", reason="stable-baselines3 is not installed")
    rows = sb3.SpeicherVecEnv(2, seed=MAX_SEED - 1)
    rows.reset()
    assert rows.batch.arrays.states["seed"].tolist() == [MAX_SEED - 1, MAX_SEED]
    for seed in WRONG:
        with pytest.raises(ArgumentError, match=rf"seed={seed}: must be"):
            sb3.SpeicherVecEnv(2, seed=seed)


def test_the_command_line_records_the_last_seed(tmp_path: Path) -> None:
    pytest.importorskip("typer", reason="the extra [cli] is not installed")
    path = tmp_path / "games.jsonl"
    assert speicher("record", "--seed", str(MAX_SEED), "-o", str(path)) == 0
    assert json.loads(path.read_text())["seed"] == MAX_SEED
    assert speicher("replay", str(path), "--check") == 0
    assert speicher("record", "--seed", str(MAX_SEED + 1), "-o", str(path)) == 2
