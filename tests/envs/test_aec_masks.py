"""Masks and infos, what an illegal action does (nothing), and that nothing handed out is shared."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from speicher_env import ACTION_TEXTS, N_ACTIONS, ArgumentError, IllegalAction, UnknownAction, speicherstadt_v0
from tests.support.aec_play import every_form, game_over, legal_ids, play, played, seen_by_all
from tests.support.games import PLAYER_COUNTS
from tests.support.plain_loops import plain
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

NO_ACTIONS = [0] * N_ACTIONS


def at(players: int, seed: int, decisions: int | None = None, **options: Any) -> AECEnv:
    """An environment after that many random decisions, or with its game over."""
    env = played(speicherstadt_v0.env(players, **options), seed, decisions=decisions)
    return env


def in_phase(phase: str, players: int = 3, seed: int = 4) -> AECEnv:
    """An environment at the first decision of a phase."""
    env = at(players, seed, decisions=0)
    rng = random.Random(seed)
    while env.unwrapped.game.phase != phase:
        play(env, rng, decisions=1)
    return env


# Masks


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_mask_is_the_games_legal_actions_for_the_one_who_decides_and_zeros_for_others(
    players: int, make: Any
) -> None:
    env = make(players)
    rng = random.Random(players)
    for seed in range(few_or_many(1, 4)):
        env.reset(seed=seed)
        while not game_over(env):
            game = env.unwrapped.game
            expected = [int(action in game.legal_ids()) for action in range(N_ACTIONS)]
            assert sum(expected) >= 2
            assert env.agent_selection == f"player_{game.player}"
            for agent in env.possible_agents:
                rightful = expected if agent == env.agent_selection else NO_ACTIONS
                for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
                    assert mask.dtype == np.int8
                    assert mask.shape == (N_ACTIONS,)
                    assert mask.tolist() == rightful
                assert env.unwrapped.current_player == env.agent_selection
            observation, _, _, _, info = env.last()
            assert observation["action_mask"].tolist() == info["action_mask"].tolist() == expected
            play(env, rng, decisions=1)


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_after_the_end_every_mask_is_zeros(players: int, make: Any) -> None:
    env = played(make(players), players)
    for _ in range(players):
        for agent in env.possible_agents:
            assert env.observe(agent)["action_mask"].tolist() == NO_ACTIONS
        assert env.last()[4]["action_mask"].tolist() == NO_ACTIONS
        env.step(None)
    assert env.agents == [] and env.infos == {}
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].tolist() == NO_ACTIONS


# Illegal actions


@every_form
@pytest.mark.parametrize("phase", ["demand", "purchase", "loading"])
def test_an_illegal_action_says_what_is_wrong_and_changes_nothing(phase: str, make: Any) -> None:
    env = make(3)
    env.reset(options={"state": in_phase(phase).unwrapped.get_state()})
    legal = legal_ids(env)
    texts = [ACTION_TEXTS[action] for action in legal]
    state, seen = env.unwrapped.game.states_view.tobytes(), seen_by_all(env)
    for action in set(range(N_ACTIONS)) - set(legal):
        with pytest.raises(IllegalAction) as caught:
            env.step(action)
        error, sentence = caught.value, str(caught.value)
        assert (error.phase, error.action, list(error.legal)) == (phase, ACTION_TEXTS[action], texts)
        assert f"player_{error.player}" == env.agent_selection
        listed = ", ".join(texts[:-1][:12])
        assert f'action="{ACTION_TEXTS[action]}": must be {listed}' in sentence and phase in sentence
        assert len(texts) > 12 or f" or {texts[-1]}, as" in sentence
        assert env.unwrapped.game.states_view.tobytes() == state
    assert seen_by_all(env) == seen
    env.step(legal[0])


@every_form
@pytest.mark.parametrize("action", [-1, N_ACTIONS, 10**9, None, 1.0, True, "place 9", "", [2], np.array([2])])
def test_what_is_no_action_is_refused_and_changes_nothing(action: Any, make: Any) -> None:
    env = make(3)
    env.reset(seed=5)
    state, seen = env.unwrapped.game.states_view.tobytes(), seen_by_all(env)
    with pytest.raises(UnknownAction):
        env.step(action)
    assert env.unwrapped.game.states_view.tobytes() == state
    assert seen_by_all(env) == seen


@pytest.mark.parametrize("number", [np.int8, np.int32, np.int64, np.uint8])
def test_numpys_numbers_are_actions(number: Any) -> None:
    env, other = at(2, 1, decisions=0), at(2, 1, decisions=0)
    env.step(1)
    other.step(number(1))
    assert seen_by_all(env) == seen_by_all(other)


@every_form
def test_a_finished_agent_takes_none_and_nothing_else(make: Any) -> None:
    env = played(make(2), 1)
    seen = seen_by_all(env)
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)
    assert seen_by_all(env) == seen
    env.step(None)


def test_stepping_with_no_agent_left_is_refused() -> None:
    env = speicherstadt_v0.raw_env()
    for before in (lambda: None, lambda: env.reset(seed=1)):
        before()
        while env.agents:
            play(env, random.Random(1))
            env.step(None)
        with pytest.raises(ArgumentError, match=r"step\(\) was called with no agents left; reset\(\) deals the next"):
            env.step(0)


# What is handed out


@every_form
def test_deleting_from_what_was_handed_out_changes_nothing(make: Any) -> None:
    env = played(make(3), 2, decisions=30)
    seen = seen_by_all(env)
    for agent in env.possible_agents:
        env.observe(agent).clear()
        env.infos[agent].clear()
    env.infos.clear()
    observation, _, _, _, info = env.last()
    del observation["action_mask"], info["action_mask"]
    assert seen_by_all(env) == seen


@every_form
def test_writing_into_an_observation_changes_nothing(make: Any) -> None:
    env = played(make(3), 2, decisions=30)
    seen = seen_by_all(env)
    for observation in (env.last()[0], *(env.observe(agent) for agent in env.possible_agents)):
        observation["observation"][:] = -1
        observation["action_mask"][:] = -1
    env.state()[:] = -1
    assert seen_by_all(env) == seen


@every_form
def test_writing_into_a_mask_of_an_info_changes_no_observation_and_no_later_step(make: Any) -> None:
    env, untouched = make(3), make(3)
    for either in (env, untouched):
        either.reset(seed=2)
    rng = random.Random(2)
    for _ in range(few_or_many(10, 60)):
        action = rng.choice(legal_ids(untouched))
        for agent in env.possible_agents:
            env.infos[agent]["action_mask"][:] = 1
        env.last()[4]["action_mask"][:] = 1
        for agent in env.possible_agents:
            assert plain(env.observe(agent)) == plain(untouched.observe(agent))
        env.step(action)
        untouched.step(action)
        assert seen_by_all(env) == seen_by_all(untouched)


@every_form
def test_writing_into_an_outcome_changes_nothing(make: Any) -> None:
    env = played(make(2), 2)
    before = plain(env.unwrapped.outcome()._asdict())
    outcome = env.unwrapped.outcome()
    outcome.points[0].clear()
    for values in (outcome.points_total, outcome.coins, outcome.ranks, outcome.rewards, outcome.illegal):
        values[:] = [7, 7]
    assert plain(env.unwrapped.outcome()._asdict()) == before


@every_form
def test_an_observation_stays_as_it_was_while_the_game_goes_on(make: Any) -> None:
    env = make(2)
    env.reset(seed=2)
    handed_out = [env.last() for _ in range(2)]
    before = pickle.dumps([(observation, info) for observation, _, _, _, info in handed_out])
    play(env, random.Random(2), decisions=20)
    env.reset(seed=3)
    assert pickle.dumps([(observation, info) for observation, _, _, _, info in handed_out]) == before


# Observing


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_any_agent_can_be_observed_at_any_time_and_nothing_changes_by_it(players: int, make: Any) -> None:
    env = make(players, padded=bool(players % 2))
    env.reset(seed=players)
    rng = random.Random(players)
    while env.agents:
        state, seen = env.unwrapped.get_state(), seen_by_all(env)
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        env.last(observe=False)
        assert env.unwrapped.get_state() == state
        assert seen_by_all(env) == seen
        play(env, rng, decisions=few_or_many(40, 7))
        if game_over(env):
            env.step(None)
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))


@every_form
@pytest.mark.parametrize("agent", ["player_2", "player_-1", "0", 0, None, "Player_0"])
def test_an_agent_that_there_is_not_is_refused(agent: Any, make: Any) -> None:
    env = make(2)
    env.reset(seed=1)
    with pytest.raises(ArgumentError, match=r"^agent=.*: must be player_0 or player_1"):
        env.observe(agent)


def test_looking_before_the_first_deal_says_what_to_do() -> None:
    with pytest.raises(ArgumentError, match=r"there is no game yet; reset\(\) deals one"):
        speicherstadt_v0.raw_env().observe("player_0")


# Rendering


@every_form
def test_rendering_gives_the_picture_of_the_table_up_to_the_end(make: Any) -> None:
    env = make(2, render_mode="ansi")
    env.reset(seed=3)
    rng = random.Random(3)
    while True:
        before = env.unwrapped.get_state()
        assert env.render() == str(env.unwrapped.game)
        assert env.unwrapped.get_state() == before
        if game_over(env):
            break
        play(env, rng, decisions=few_or_many(60, 10))


@every_form
def test_rendering_without_a_mode_says_what_is_missing(make: Any) -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(ArgumentError, match=r'render\(\) needs render_mode="ansi", "human" or "rgb_array", given when'):
        env.render()


def test_closing_twice_is_no_harm_and_the_game_stays() -> None:
    env = at(2, 1, decisions=5)
    env.close()
    env.close()
    assert env.unwrapped.game.over is False
