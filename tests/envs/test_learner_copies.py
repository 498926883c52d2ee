"""Copies of the environments with a learner play on equally, players, wrappers and spaces included."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from tests.support.batch_play import HIGHEST, Lowest, draw_legal
from tests.support.plain_loops import plain
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
every_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
PLAYERS = {"random": "random", "compiled": HIGHEST, "outside": Lowest()}
every_player = pytest.mark.parametrize("opponents", PLAYERS.values(), ids=PLAYERS)

ENVS: dict[str, Callable[[Any], Any]] = {
    "solo": lambda player: SpeicherEnv(3, "sampled", "rotating", player, observation="dict"),
    "made": lambda player: gymnasium.make(GYMNASIUM_ID, num_players=3, opponents=player),
    "vector": lambda player: SpeicherVectorEnv(3, 3, "sampled", "rotating", player),
    "vector, same step": lambda player: SpeicherVectorEnv(2, 4, opponents=player, autoreset_mode="same_step"),
    "all seats": lambda player: SpeicherVectorEnv(2, 4, opponents=player, seats="all", observation="dict"),
}
try:
    from speicher_env.envs.sb3 import SpeicherVecEnv
except ImportError:
    pass
else:
    ENVS["sb3"] = lambda player: SpeicherVecEnv(3, 3, "sampled", "rotating", player, seed=1)


def reset(env: Any) -> Any:
    return env.reset(seed=1) if isinstance(env, gymnasium.Env | gymnasium.vector.VectorEnv) else env.reset()


def step(env: Any, where: np.random.Generator) -> Any:
    """One step at random; a game that is over is followed by the next one."""
    alone = isinstance(env, gymnasium.Env)
    masks = env.get_wrapper_attr("action_masks")()[None] if alone else env.action_masks()
    if alone and not masks.any():
        return plain(env.reset())
    actions = draw_legal(masks, where)
    return without_times(plain(env.step(int(actions[0]) if alone else actions)))


def without_times(returned: Any) -> Any:
    """What a step returned but for the seconds that an episode took."""
    if isinstance(returned, dict):
        return {key: without_times(value) for key, value in returned.items() if key != "t"}
    return [without_times(value) for value in returned] if isinstance(returned, list) else returned


def assert_step_alike(env: Any, other: Any, steps: int) -> None:
    """Step both with the same random actions, and compare what they return."""
    mine, theirs = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(steps):
        assert step(env, mine) == step(other, theirs)


@every_copy
@every_player
@pytest.mark.parametrize("make", ENVS.values(), ids=ENVS)
def test_a_copy_taken_in_mid_game_plays_on_equally(
    make: Callable[[Any], Any], opponents: Any, copied: Callable[[Any], Any]
) -> None:
    env = make(opponents)
    reset(env)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(2, 30)):
        step(env, rng)
    twin = copied(env)
    assert type(twin) is type(env)
    assert twin.observation_space == env.observation_space and twin.action_space == env.action_space
    assert_step_alike(env, twin, few_or_many(4, 150))


@every_copy
@pytest.mark.parametrize("make", ENVS.values(), ids=ENVS)
def test_playing_a_copy_does_not_move_the_environment_it_was_taken_from(
    make: Callable[[Any], Any], copied: Callable[[Any], Any]
) -> None:
    env, untouched = make("random"), make("random")
    reset(env)
    reset(untouched)
    twin = copied(env)
    for _ in range(few_or_many(3, 40)):
        step(twin, np.random.default_rng(5))
    assert_step_alike(env, untouched, few_or_many(3, 40))


@every_copy
@pytest.mark.parametrize("make", ENVS.values(), ids=ENVS)
def test_an_environment_can_be_copied_before_its_first_game(
    make: Callable[[Any], Any], copied: Callable[[Any], Any]
) -> None:
    env = make("random")
    twin = copied(env)
    assert plain(reset(env)) == plain(reset(twin))
