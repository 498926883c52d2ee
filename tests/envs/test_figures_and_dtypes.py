"""Figures, rows of uint8 and boolean masks in every environment that offers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from speicher_env import speicherstadt_v0
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.observation import observation_size, observe
from tests.support.batch_play import draw_legal
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

every_count = pytest.mark.parametrize("players", PLAYER_COUNTS)


@every_count
@pytest.mark.parametrize("observation", ["dict", "vector"])
def test_the_aec_environment_appends_figures(players: int, observation: str) -> None:
    env = speicherstadt_v0.env(num_players=players, figures=True, observation=observation, padded=players == 3)
    plain = speicherstadt_v0.env(num_players=players, observation=observation, padded=players == 3)
    for each in (env, plain):
        each.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 60)):
        agent = env.agent_selection
        seen, without = env.observe(agent), plain.observe(agent)
        assert env.observation_space(agent).contains(seen)
        rows = [each["observation"] if observation == "dict" else each for each in (seen, without)]
        seat = np.array([int(agent[-1])])
        expected = observe(env.unwrapped.game.states_view, seat, 5 if players == 3 else None, figures=True)[0]
        np.testing.assert_array_equal(rows[0], expected)
        np.testing.assert_array_equal(rows[0][: len(rows[1])], rows[1])
        assert env.state_space.contains(env.state())
        action = int(rng.choice(np.flatnonzero(env.infos[agent]["action_mask"])))
        for each in (env, plain):
            each.step(action)


@every_count
def test_the_single_seat_environment_appends_figures(players: int) -> None:
    env = SpeicherEnv(players, seat=0, figures=True)
    row, info = env.reset(seed=4)
    for _ in range(few_or_many(5, 60)):
        assert env.observation_space.contains(row)
        np.testing.assert_array_equal(row, observe(env.batch.arrays.states, np.zeros(1, int), figures=True)[0])
        row, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        if ended:
            break


FORMATS: list[dict[str, Any]] = [{"figures": True}, {"figures": True, "dtype": "uint8"}]
every_format = pytest.mark.parametrize("row_format", FORMATS, ids=lambda each: "-".join(map(str, each.values())))


@every_format
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name.lower())
def test_the_vector_environment_has_rows_of_every_format(row_format: dict[str, Any], mode: AutoresetMode) -> None:
    env = SpeicherVectorEnv(3, 2, autoreset_mode=mode, **row_format)
    rows, info = env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(6, 200)):
        assert env.observation_space.contains(rows)
        expected = observe(env.batch.arrays.states, info["seat"], **row_format)
        np.testing.assert_array_equal(rows, expected)
        rows, _, ended, _, info = env.step(draw_legal(info["action_mask"], rng))
        for last in info.get("final_obs", [None]):
            assert last is None or env.single_observation_space.contains(last)
        if mode == AutoresetMode.DISABLED and ended.any():
            break


def test_masks_of_the_vector_environment_may_be_boolean() -> None:
    for copy in (True, False):
        env = SpeicherVectorEnv(2, mask_dtype="bool", observation="dict", copy=copy, autoreset_mode="same_step")
        plain = SpeicherVectorEnv(2, copy=copy, autoreset_mode="same_step")
        (rows, info), (_, other) = env.reset(seed=1), plain.reset(seed=1)
        for _ in range(few_or_many(5, 120)):
            for masks in (rows["action_mask"], info["action_mask"], env.action_masks()):  # type: ignore[call-overload]
                assert masks.dtype == np.bool_
                np.testing.assert_array_equal(masks, other["action_mask"])
            assert env.observation_space.contains(rows)
            actions = other["action_mask"].argmax(axis=1)
            (rows, *_, info), (*_, other) = env.step(actions), plain.step(actions)
            for last in info.get("final_obs", [None]):
                assert last is None or env.single_observation_space.contains(last)


@every_format
def test_the_vec_env_has_rows_of_every_format(row_format: dict[str, Any]) -> None:
    sb3 = pytest.importorskip("speicher_env.envs.sb3", exc_type=ImportError)
    env = sb3.SpeicherVecEnv(3, 2, seed=1, **row_format)
    rows = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(6, 150)):
        assert all(env.observation_space.contains(row) for row in rows)
        np.testing.assert_array_equal(rows, observe(env.batch.arrays.states, env.batch.seats, **row_format))
        rows, _, _, infos = env.step(draw_legal(env.action_masks(), rng))
        for info in infos:
            if "terminal_observation" in info:
                assert env.observation_space.contains(info["terminal_observation"])


def test_without_these_arguments_observations_are_as_they_were() -> None:
    for make in (SpeicherEnv, SpeicherVectorEnv, speicherstadt_v0.raw_env):
        env = make()
        env.reset(seed=1)
        space = getattr(env, "single_observation_space", None) or (
            env.observation_space("player_0")["observation"]
            if callable(env.observation_space)
            else env.observation_space
        )
        assert space.shape == (observation_size(2),) and space.dtype == np.float32
        assert (space.low == 0).all() and (space.high == 1).all()
