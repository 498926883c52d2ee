"""The vector environment beside Gymnasium's own `SyncVectorEnv` over single-seat environments, step by step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from speicher_env import ArgumentError
from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import HIGHEST, Lowest, draw_legal
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

MODES = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}
every_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
ROWS = 3
STEPS = few_or_many(6, 300)

OPTIONS: dict[str, dict[str, Any]] = {
    "two players": {"num_players": 2},
    "fixed seat": {"num_players": 3, "seat": 1, "reward": "rank"},
    "sampled and padded": {"num_players": 4, "deck": "sampled", "padded": True, "reward": "margin"},
    "five with a compiled player": {"num_players": 5, "opponents": HIGHEST},
    "outside player": {"num_players": 3, "opponents": Lowest()},
    "dict observation": {"num_players": 2, "observation": "dict"},
    "lose": {"num_players": 2, "illegal": "lose"},
    "random": {"num_players": 3, "illegal": "random"},
}
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def both(mode: AutoresetMode, options: dict[str, Any]) -> tuple[SpeicherVectorEnv, SyncVectorEnv]:
    ours = SpeicherVectorEnv(ROWS, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: SpeicherEnv(**options)] * ROWS, autoreset_mode=mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    assert ours.autoreset_mode == theirs.autoreset_mode == mode and isinstance(ours.autoreset_mode, AutoresetMode)
    return ours, theirs


def assert_same(one: Any, other: Any) -> None:
    """Arrays, or dicts of arrays, with the same values in the same form."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert one.shape == other.shape
        for each, twin in zip(one, other, strict=True):
            assert_same(each, twin)
    elif isinstance(one, np.ndarray):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


RESULT = ("points", "points_total", "coins", "rank", "seed", "illegal", "lost_illegally", "episode_length")


def assert_same_info(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The same entries where Gymnasium says that they count; results are there only where a game has ended."""
    for key in ("action_mask", "_action_mask", "_seat", "final_obs", "_final_obs", "_final_info"):
        if key in theirs:
            assert_same(ours[key], theirs[key])
    for key in ("seat", *RESULT):
        counts = ours.get(f"_{key}", np.zeros(ROWS, dtype=bool))
        assert theirs[f"_{key}"][counts].all(), key
        if key in ours:
            np.testing.assert_array_equal(ours[key][counts], theirs[key][counts], err_msg=key)
    ended = ours.get("_points", np.zeros(ROWS, dtype=bool))
    assert ((theirs["rank"] > 0) == ended).all()
    if "final_info" in theirs:
        assert_same_info(ours["final_info"] | {"action_mask": theirs["final_info"]["action_mask"],
                                               "_action_mask": theirs["final_info"]["_action_mask"]},
                         theirs["final_info"])  # fmt: skip
        assert not theirs["final_info"]["action_mask"].any()


@every_option
@every_mode
def test_it_steps_as_gymnasiums_own_vector_environment_does(mode: AutoresetMode, options: dict[str, Any]) -> None:
    ours, theirs = both(mode, options)
    here, there = ours.reset(seed=7), theirs.reset(seed=7)
    assert_same(here[0], there[0])
    assert_same_info(here[1], there[1])
    rng = np.random.default_rng(0)
    over = np.zeros(ROWS, dtype=bool)
    ends = 0
    for step in range(STEPS):
        actions = draw_legal(here[-1]["action_mask"], rng)
        if options.get("illegal") and step % 40 == 3:
            actions[1] = 183
        if mode == AutoresetMode.DISABLED and over.any():
            # A seed of its own for the first row, the one that follows for the others.
            seeds = [11, None, None] if step % 2 else None
            here = ours.reset(seed=seeds, options={"reset_mask": over})
            there = theirs.reset(seed=seeds, options={"reset_mask": over})
            assert_same(here[0], there[0])
            for key in ("action_mask", "seat"):  # Gymnasium leaves out the rows that go on
                np.testing.assert_array_equal(here[1][key][over], there[1][key][over])
            over = np.zeros(ROWS, dtype=bool)
            continue
        here, there = ours.step(actions), theirs.step(actions)
        for one, other in zip(here[:4], there[:4], strict=True):
            assert_same(one, other)
        assert_same_info(here[4], there[4])
        over = here[2]
        ends += np.count_nonzero(over)
    assert ends > few_or_many(-1, 2 * ROWS)


@every_option
@every_mode
def test_a_decision_that_is_due_always_has_two_legal_actions(mode: AutoresetMode, options: dict[str, Any]) -> None:
    env = SpeicherVectorEnv(ROWS, autoreset_mode=mode, **options)
    rows, info = env.reset(seed=0)
    over = np.zeros(ROWS, dtype=bool)
    for _ in range(STEPS):
        masks = info["action_mask"]
        assert masks.dtype == np.int8 and masks.shape == (ROWS, 184)
        assert info["_action_mask"].all()
        np.testing.assert_array_equal(masks, env.action_masks())
        if env.observation == "dict":
            np.testing.assert_array_equal(masks, rows["action_mask"])
        assert env.observation_space.contains(rows)
        due = ~over if mode != AutoresetMode.SAME_STEP else np.ones(ROWS, dtype=bool)
        assert (masks[due].sum(axis=1) >= 2).all() and not masks[~due].any()
        if mode == AutoresetMode.DISABLED and over.any():
            rows, info = env.reset(options={"reset_mask": over})
            over = np.zeros(ROWS, dtype=bool)
        else:
            rows, _, over, _, info = env.step(draw_legal(masks, np.random.default_rng(0)))


def test_disabled_mode_refuses_a_step_of_a_game_that_is_over() -> None:
    env = SpeicherVectorEnv(2, seat=0, autoreset_mode="disabled", opponents=HIGHEST)
    _, info = env.reset(seed=0)
    over = np.zeros(2, dtype=bool)
    while not over.any():
        _, _, over, _, info = env.step(info["action_mask"].argmax(axis=1))
    with pytest.raises(ArgumentError, match=rf"game {over.argmax()} is over; reset\(\) must deal the next one"):
        env.step(np.zeros(2, dtype=int))


def test_a_row_of_a_rotating_seat_that_is_dealt_alone_moves_on() -> None:
    env = SpeicherVectorEnv(2, num_players=3, seat="rotating", autoreset_mode="disabled")
    _, info = env.reset(seed=0)
    assert info["seat"].tolist() == [0, 1]
    for expected in ([0, 2], [0, 0], [0, 1]):
        _, info = env.reset(options={"reset_mask": np.array([False, True])})
        assert info["seat"].tolist() == expected
    _, info = env.reset(seed=0)
    assert info["seat"].tolist() == [0, 1]


# Seeds


def seeds(env: SpeicherVectorEnv) -> list[int]:
    return env.batch.arrays.states["seed"].tolist()


def test_row_k_is_dealt_from_the_seed_plus_k_or_from_its_own() -> None:
    env = SpeicherVectorEnv(3)
    env.reset(seed=5)
    assert seeds(env) == [5, 6, 7]
    env.reset(seed=[9, 4, 4])
    assert seeds(env) == [9, 4, 4]
    env.reset(seed=[8, None, 1])
    assert seeds(env) == [8, next_seed(4), 1]
    env.reset()
    assert seeds(env) == [next_seed(8), next_seed(next_seed(4)), next_seed(1)]
    env.reset(seed=2**64 - 3)
    assert seeds(env)[-1] == 2**64 - 1


def test_without_any_seed_the_first_games_are_fresh() -> None:
    envs = [SpeicherVectorEnv(2) for _ in range(3)]
    for env in envs:
        env.reset()
    assert len({tuple(seeds(env)) for env in envs}) == 3


# Gymnasium's registry


def test_make_vec_finds_the_environment_with_its_options() -> None:
    env = gymnasium.make_vec(GYMNASIUM_ID, num_envs=5, num_players=3, seat="rotating", observation="dict")
    assert isinstance(env, SpeicherVectorEnv)
    assert env.num_envs == 5 and env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    rows, info = env.reset(seed=0)
    assert rows["observation"].shape[0] == info["action_mask"].shape[0] == 5
    env.close()


def test_make_vec_can_also_run_single_seat_environments_side_by_side() -> None:
    env = gymnasium.make_vec(GYMNASIUM_ID, num_envs=2, vectorization_mode="sync", num_players=3)
    assert isinstance(env, SyncVectorEnv)
    env.reset(seed=0)
    env.close()


def test_wrappers_of_gymnasiums_count_its_episodes() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(SpeicherVectorEnv(4, seat=0, opponents=HIGHEST))
    _, info = env.reset(seed=0)
    found = 0
    while found < few_or_many(1, 8):
        _, rewards, over, _, info = env.step(draw_legal(info["action_mask"], np.random.default_rng(0)))
        for row in np.flatnonzero(over):
            found += 1
            assert info["episode"]["r"][row] == rewards[row]
            assert info["episode"]["l"][row] == info["episode_length"][row]
