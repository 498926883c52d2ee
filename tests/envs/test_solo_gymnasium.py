"""Gymnasium's and stable-baselines3's own checks of the single-seat environment, over every option.

Any warning is a failure: so pytest is set in this project.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import speicher_env
from speicher_env import IllegalAction
from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.solo import SpeicherEnv
from tests.support.games import PLAYER_COUNTS, REWARDS
from tests.support.option_pairs import every_pair

sb3_checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="the extra [train] is not installed")

SEATS = (0, 1, "rotating", "random")
ILLEGAL = ("lose", "random")
"""Both checks take actions without looking at the mask."""

every_option = pytest.mark.parametrize(
    ("players", "seat", "deck", "padded", "observation", "illegal"),
    every_pair(PLAYER_COUNTS, SEATS, ("standard", "sampled", "path"), (False, True), ("vector", "dict"), ILLEGAL),
)


CHECKS = {
    "gymnasium": lambda env: check_env(env, skip_render_check=True),
    "stable-baselines3": lambda env: sb3_checker.check_env(env, warn=True, skip_render_check=True),
}


@every_option
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_the_checks_find_no_fault(
    check: Any, players: int, seat: Any, deck: str, padded: bool, observation: str, illegal: str, deck_file: Path
) -> None:
    check(
        SpeicherEnv(
            players, deck_file if deck == "path" else deck, seat, padded=padded,
            observation=observation, illegal=illegal,
        )
    )  # fmt: skip


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("render_mode", [None, "ansi", "human"])
def test_the_checks_find_no_fault_in_rewards_and_rendering(reward: str, render_mode: str | None) -> None:
    env = gymnasium.make(GYMNASIUM_ID, reward=reward, render_mode=render_mode, illegal="random")
    check_env(env.unwrapped, skip_render_check=render_mode is None)


@pytest.mark.parametrize("check", [check_env, sb3_checker.check_env], ids=["gymnasium", "stable-baselines3"])
def test_by_default_an_unmasked_action_does_not_pass_silently(check: Any) -> None:
    with pytest.raises(IllegalAction, match="decides in demand"):
        check(SpeicherEnv())


# Gymnasium's registry


def test_make_finds_the_environment_with_its_options() -> None:
    env = gymnasium.make(GYMNASIUM_ID, num_players=3, opponents="random", seat="random", observation="dict")
    assert isinstance(env.unwrapped, SpeicherEnv)
    observation, info = env.reset(seed=1)
    total, ended = 0.0, False
    while not ended:
        assert env.observation_space.contains(observation)
        observation, reward, ended, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        total += float(reward)
        assert not truncated
    assert total in (1.0, 0.25, -0.5, 0.0)
    assert info["rank"] in (1, 2, 3)
    assert gymnasium.make(env.spec).spec == env.spec


def test_the_id_is_registered_by_the_import_and_only_once() -> None:
    speicher_env.envs.registration.register()
    spec = gymnasium.spec("Speicherstadt-v0")
    assert spec.entry_point == "speicher_env.envs.solo:SpeicherEnv"
    assert spec.vector_entry_point == "speicher_env.envs.vector:SpeicherVectorEnv"


def test_wrappers_of_gymnasiums_work_on_it() -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(GYMNASIUM_ID, num_players=2))
    _, info = env.reset(seed=0)
    ended = False
    while not ended:
        mask = env.get_wrapper_attr("action_masks")()
        assert np.array_equal(mask, info["action_mask"])
        _, reward, ended, _, info = env.step(int(mask.argmax()))
    assert info["episode"]["r"] == reward
    assert info["episode"]["l"] > 20
