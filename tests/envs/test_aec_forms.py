"""The forms of an AEC environment: dict or vector, int8 or bool masks, figures, uint8; and its one form of info."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from speicher_env import N_ACTIONS, ArgumentError, speicherstadt_v0
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.observation import observe
from tests.support.aec_play import every_form, game_over, play
from tests.support.batch_play import HIGHEST, Highest
from tests.support.games import PLAYER_COUNTS
from tests.support.plain_loops import plain
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def decisions_and_dead_steps(env: AECEnv, seed: int) -> Any:
    """Step through a game, dead steps included; stop before each."""
    env.reset(seed=seed)
    rng = random.Random(seed)
    for _ in range(few_or_many(6, 10_000)):
        if not env.agents:
            return
        yield
        if game_over(env):
            env.step(None)
        else:
            play(env, rng, decisions=1)


@every_form
@pytest.mark.parametrize("mask_dtype", ["int8", "bool"])
@pytest.mark.parametrize("observation", ["dict", "vector"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_every_info_is_the_mask_and_nothing_else(players: int, observation: str, mask_dtype: str, make: Any) -> None:
    env = make(players, illegal="random", observation=observation, mask_dtype=mask_dtype)
    for _ in decisions_and_dead_steps(env, players):
        assert list(env.infos) == env.agents
        for info in (*env.infos.values(), env.last()[4]):
            assert list(info) == ["action_mask"]
            assert isinstance(info["action_mask"], np.ndarray)
            assert info["action_mask"].dtype == mask_dtype and info["action_mask"].shape == (N_ACTIONS,)


@every_form
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_all_forms_show_the_same_values_in_their_spaces(players: int, padded: bool, make: Any) -> None:
    usual = make(players, padded=padded)
    vector = make(players, padded=padded, observation="vector")
    bools = make(players, padded=padded, mask_dtype="bool")
    for _ in zip(*(decisions_and_dead_steps(env, players) for env in (usual, vector, bools)), strict=True):
        for agent in usual.possible_agents:
            seen = usual.observe(agent)
            assert vector.observe(agent).tobytes() == seen["observation"].tobytes()
            assert plain(bools.observe(agent)["observation"]) == plain(seen["observation"])
            assert bools.observe(agent)["action_mask"].tolist() == seen["action_mask"].astype(bool).tolist()
            for env in (usual, vector, bools):
                assert env.observation_space(agent).contains(env.observe(agent))
        for agent in usual.agents:
            mask = usual.infos[agent]["action_mask"]
            assert vector.infos[agent]["action_mask"].tobytes() == mask.tobytes()
            assert bools.infos[agent]["action_mask"].tolist() == mask.astype(bool).tolist()


ROWS = [(False, "uint8"), (True, "float32"), (True, "uint8")]


@pytest.mark.parametrize(("figures", "dtype"), ROWS)
@pytest.mark.parametrize("observation", ["dict", "vector"])
def test_rows_with_figures_and_of_whole_numbers_are_those_that_observe_writes(
    observation: str, figures: bool, dtype: str
) -> None:
    env = speicherstadt_v0.env(3, observation=observation, figures=figures, dtype=dtype, padded=figures)
    seats = 5 if figures else 3
    for _ in decisions_and_dead_steps(env, 3):
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            row = seen["observation"] if observation == "dict" else seen
            states = env.unwrapped.game.states_view
            assert row.tobytes() == observe(states, np.array([seat]), seats, figures=figures, dtype=dtype).tobytes()
        assert env.state_space.contains(env.state())
    assert env.unwrapped.row_format == (seats, figures, dtype)


@pytest.mark.parametrize(("opponents", "dtype"), [(HIGHEST, "float32"), (Highest(), "uint8")], ids=["float32", "uint8"])
def test_the_single_seat_environment_has_the_same_rows(opponents: Any, dtype: str) -> None:
    env, aec = (
        SpeicherEnv(2, seat=0, opponents=opponents, figures=True, dtype=dtype),
        speicherstadt_v0.env(2, observation="vector", figures=True, dtype=dtype),
    )
    row, info = env.reset(seed=1)
    aec.reset(seed=1)
    for _ in range(few_or_many(3, 60)):
        while aec.agent_selection == "player_1":
            aec.step(int(np.flatnonzero(aec.infos["player_1"]["action_mask"])[-1]))
        assert env.observation_space == aec.observation_space("player_0")
        assert env.observation_space.contains(row)
        assert row.tobytes() == aec.observe("player_0").tobytes()
        action = int(info["action_mask"].argmax())
        row, _, ended, _, info = env.step(action)
        aec.step(action)
        if ended:
            break


def test_the_spaces_are_those_of_the_form() -> None:
    assert isinstance(speicherstadt_v0.env(observation="vector").observation_space("player_0"), spaces.Box)
    for dtype in ("int8", "bool"):
        space = speicherstadt_v0.env(mask_dtype=dtype).observation_space("player_0")
        assert space["action_mask"].dtype == np.dtype(dtype)
        assert isinstance(space["observation"], spaces.Box)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_vectors_pass_pettingzoos_tests_without_any_warning(players: int) -> None:
    def make() -> AECEnv:
        return speicherstadt_v0.env(players, observation="vector")

    api_test(make(), num_cycles=100)
    seed_test(make, num_cycles=100)


def test_the_current_player_is_the_agent_to_decide_and_nobody_after_the_end() -> None:
    env = speicherstadt_v0.env(3)
    for _ in decisions_and_dead_steps(env, 3):
        over = game_over(env)
        assert env.unwrapped.current_player == (None if over else env.agent_selection)
        assert env.unwrapped.current_player == (None if over else f"player_{env.unwrapped.game.player}")
    assert speicherstadt_v0.raw_env().current_player is None


BAD = {
    "figures": ({"figures": 1}, "figures.*must be True or False"),
    "dtype": ({"dtype": "float64"}, 'dtype.*"float64".*must be'),
    "observation": ({"observation": "vectr"}, 'observation.*"vectr".*did you mean "vector"'),
    "observation as flag": ({"observation": True}, "observation.*true.*must be"),
    "mask type": ({"mask_dtype": "boolean"}, 'mask_dtype.*"boolean".*must be'),
    "mask type of NumPy": ({"mask_dtype": np.bool_}, "mask_dtype.*must be"),
    "illegal": ({"illegal": "loose"}, 'illegal.*"loose".*did you mean "lose"'),
}


@every_form
@pytest.mark.parametrize("case", BAD)
def test_another_form_is_refused_in_one_sentence(case: str, make: Any) -> None:
    arguments, words = BAD[case]
    with pytest.raises(ArgumentError, match=words) as caught:
        make(**arguments)
    assert "\n" not in str(caught.value)
