"""Gymnasium's wrappers of vector environments around many games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import vector

from speicher_env.envs.registration import GYMNASIUM_ID
from tests.support.batch_play import draw_legal

ANY_RESET: dict[str, Callable[[Any], Any]] = {
    "record episode statistics": vector.RecordEpisodeStatistics,
    "normalize reward": vector.NormalizeReward,
    "clip reward": partial(vector.ClipReward, min_reward=-1, max_reward=1),
}
NO_SAME_STEP: dict[str, Callable[[Any], Any]] = {
    "normalize observation": vector.NormalizeObservation,
    "flatten observation": vector.FlattenObservation,
    "rescale observation": partial(vector.RescaleObservation, min_obs=-1, max_obs=1),
}
"""Gymnasium has these for environments that do not deal in the same step."""
CASES = [(mode, name) for mode in ("next_step", "same_step") for name in ANY_RESET] + [
    ("next_step", name) for name in NO_SAME_STEP
]


def games(mode: str, seats: str) -> Any:
    return gymnasium.make_vec(GYMNASIUM_ID, num_envs=3, seats=seats, autoreset_mode=mode)


@pytest.mark.parametrize("seats", ["one", "all"])
@pytest.mark.parametrize(("mode", "name"), CASES)
def test_a_wrapper_changes_nothing_of_the_games(mode: str, name: str, seats: str) -> None:
    env, bare = (ANY_RESET | NO_SAME_STEP)[name](games(mode, seats)), games(mode, seats)
    masks = env.reset(seed=1)[1]["action_mask"]
    bare.reset(seed=1)
    rng, ended = np.random.default_rng(0), 0
    while ended < 2:
        actions = draw_legal(masks, rng)
        _, _, over, _, info = env.step(actions)
        _, _, bare_over, _, bare_info = bare.step(actions)
        masks = info["action_mask"]
        np.testing.assert_array_equal(masks, bare_info["action_mask"])
        np.testing.assert_array_equal(over, bare_over)
        ended += int(over.sum())


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_episode_statistics_are_those_of_the_games(mode: str) -> None:
    env = vector.RecordEpisodeStatistics(games(mode, "one"))
    masks = env.reset(seed=1)[1]["action_mask"]
    rng, ended = np.random.default_rng(0), 0
    while ended < 4:
        _, rewards, over, _, info = env.step(draw_legal(masks, rng))
        masks = info["action_mask"]
        results = info["final_info"] if mode == "same_step" and over.any() else info
        for row in np.flatnonzero(over):
            ended += 1
            assert info["episode"]["r"][row] == rewards[row]
            assert info["episode"]["l"][row] == results["episode_length"][row]
