"""SuperSuit's and PettingZoo's wrappers around the AEC environment: which play whole games, and which do not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import supersuit
from pettingzoo.utils import wrappers

from speicher_env import speicherstadt_v0
from tests.stacks.conftest import Figures
from tests.stacks.speed import beside_ours

ANY_FORM: dict[str, Callable[[Any], Any]] = {
    "clip_reward_v0": supersuit.clip_reward_v0,
    "reward_lambda_v0": partial(supersuit.reward_lambda_v0, change_reward_fn=lambda reward: 2 * reward),
    "observation_lambda_v0": partial(
        supersuit.observation_lambda_v0,
        change_observation_fn=lambda seen, space: seen,
        change_obs_space_fn=lambda space: space,
    ),
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "sticky_actions_v0": partial(supersuit.sticky_actions_v0, repeat_action_probability=0.0),
    "nan_zeros_v0": supersuit.nan_zeros_v0,
    "nan_noop_v0": partial(supersuit.nan_noop_v0, no_op_action=0),
    "nan_random_v0": supersuit.nan_random_v0,
    "delay_observations_v0": partial(supersuit.delay_observations_v0, delay=1),
}
VECTOR_ONLY: dict[str, Callable[[Any], Any]] = {
    "frame_stack_v1": partial(supersuit.frame_stack_v1, stack_size=2),
    "dtype_v0": partial(supersuit.dtype_v0, dtype=np.float16),
    "flatten_v0": supersuit.flatten_v0,
    "reshape_v0": partial(supersuit.reshape_v0, shape=(2, 229)),
    "normalize_obs_v0": partial(supersuit.normalize_obs_v0, env_min=0, env_max=1),
    "agent_indicator_v0": supersuit.agent_indicator_v0,
    "pad_observations_v0": supersuit.pad_observations_v0,
    "max_observation_v0": partial(supersuit.max_observation_v0, memory=2),
}
NEVER: dict[str, Callable[[Any], Any]] = {
    "frame_skip_v0": partial(supersuit.frame_skip_v0, num_frames=1),
    "clip_actions_v0": supersuit.clip_actions_v0,
    "black_death_v3": supersuit.black_death_v3,
    "pettingzoo_env_to_vec_env_v1": supersuit.pettingzoo_env_to_vec_env_v1,
}
PETTINGZOO: dict[str, Callable[[Any], Any]] = {
    "AssertOutOfBoundsWrapper": wrappers.AssertOutOfBoundsWrapper,
    "OrderEnforcingWrapper": wrappers.OrderEnforcingWrapper,
    "TerminateIllegalWrapper": partial(wrappers.TerminateIllegalWrapper, illegal_reward=-1),
    "BaseWrapper": wrappers.BaseWrapper,
}


def games(form: str = "vector", **options: Any) -> Any:
    return speicherstadt_v0.env(num_players=3, observation=form, **options)


def play(env: Any, seed: int = 3) -> tuple[int, dict[str, float]]:
    """A whole game at random by the masks in the infos, which illegal="raise" checks; decisions and rewards."""
    rng = np.random.default_rng(0)
    env.reset(seed=seed)
    decisions, paid = 0, {}
    for agent in env.agent_iter():
        seen, reward, over, _, info = env.last()
        assert env.observation_space(agent).contains(seen)
        if over:
            paid[agent] = reward
            env.step(None)
            continue
        decisions += 1
        assert info["action_mask"].sum() >= 2
        env.step(int((rng.random(184) * info["action_mask"]).argmax()))
    return decisions, paid


@pytest.mark.parametrize("form", ["vector", "dict"])
@pytest.mark.parametrize("wrap", (ANY_FORM | PETTINGZOO).values(), ids=ANY_FORM | PETTINGZOO)
def test_wrappers_of_rewards_and_actions_take_both_forms(wrap: Callable[[Any], Any], form: str) -> None:
    decisions, paid = play(wrap(games(form)))
    bare, bare_paid = play(games(form))
    assert decisions == bare
    assert np.sign(list(paid.values())).tolist() == np.sign(list(bare_paid.values())).tolist()


@pytest.mark.parametrize("wrap", VECTOR_ONLY.values(), ids=VECTOR_ONLY)
def test_wrappers_of_observations_take_the_vector(wrap: Callable[[Any], Any]) -> None:
    assert play(wrap(games("vector"))) == play(games("vector"))


@pytest.mark.parametrize("wrap", VECTOR_ONLY.values(), ids=VECTOR_ONLY)
def test_wrappers_of_observations_refuse_the_dict(wrap: Callable[[Any], Any]) -> None:
    """When one of these passes, SuperSuit has learned something, and the page can say so."""
    with pytest.raises((AssertionError, AttributeError)):
        play(wrap(games("dict")))


@pytest.mark.parametrize("form", ["vector", "dict"])
@pytest.mark.parametrize("wrap", NEVER.values(), ids=NEVER)
def test_these_do_not_work_on_a_game_in_turns(wrap: Callable[[Any], Any], form: str) -> None:
    with pytest.raises((AssertionError, AttributeError, KeyError)):
        play(wrap(games(form)))


def test_sticky_actions_break_the_rules() -> None:
    """The last action is repeated, whether or not it is legal; illegal="random" plays something else then."""
    with pytest.raises(Exception, match="decides in"):
        play(supersuit.sticky_actions_v0(games(), 0.9))
    env = games(illegal="random")
    play(supersuit.sticky_actions_v0(env, 0.9))
    assert sum(env.unwrapped.illegal_actions) > 0


def test_a_delay_holds_back_the_mask_in_the_observation_too() -> None:
    env = supersuit.delay_observations_v0(games("dict"), 1)
    env.reset(seed=3)
    observation, _, _, _, info = env.last()
    assert observation["action_mask"].all() and not info["action_mask"].all()


def test_vectorized_games_each_have_a_deal_of_their_own() -> None:
    """It asks about one agent at a time; `passes` says in which games it is not that agent's turn."""
    vector = supersuit.vectorize_aec_env_v0(games(), 2)
    vector.reset(seed=3)
    rng, decided, ended = np.random.default_rng(0), np.zeros(2), 0
    for agent in vector.agent_iter(1500):
        seen, _, over, _, _, _, passes, infos = vector.last()
        assert seen.shape == (2, 458) and agent in games().possible_agents
        masks = np.array([info.get("action_mask", np.ones(184)) for info in infos])
        decided += (passes == 0) & (over == 0)
        ended += int(((passes == 0) & (over == 1)).sum())
        vector.step((rng.random((2, 184)) * masks).argmax(axis=1))
    assert (decided > 150).all() and ended >= 2
    assert vector.envs[0].unwrapped.game.seed != vector.envs[1].unwrapped.game.seed


def test_pettingzoo_records_a_film(tmp_path: Path) -> None:
    env = wrappers.RecordVideo(games(render_mode="rgb_array"), str(tmp_path))
    play(env)
    env.close()
    assert list(tmp_path.glob("*.mp4"))


def test_its_speed(figures: Figures) -> None:
    env = supersuit.agent_indicator_v0(speicherstadt_v0.env(observation="vector"))
    figures("agent_indicator_v0", players=2, **beside_ours(lambda: play(env)[0], games=1))
