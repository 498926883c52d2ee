"""illegal="lose" and illegal="random" in the AEC environment do what a `Batch` does, and pay the same."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test

from speicher_env import N_ACTIONS, Game, UnknownAction, check_record, speicherstadt_v0
from speicher_env.batch import Batch
from tests.support.aec_play import assert_alike_to_the_end, every_form, game_over, legal_ids, play, played, seen_by_all
from tests.support.games import PLAYER_COUNTS, REWARDS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def illegal_ids(env: AECEnv) -> list[int]:
    """The ids that the mask of the deciding agent forbids."""
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0).tolist()


def beside(env: AECEnv, batch: Batch) -> None:
    """Compare what an environment and a batch of one game show of the decision that is due."""
    agent = env.unwrapped.current_player or env.possible_agents[int(batch.seats[0])]
    seen = env.observe(agent)
    assert seen["observation"].tobytes() == batch.observations[0].tobytes()
    assert seen["action_mask"].tobytes() == batch.action_masks[0].tobytes()


@every_form
@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, REWARDS)))
def test_lose_ends_the_game_for_all_and_pays_what_a_batch_pays(players: int, reward: str, make: Any) -> None:
    env = make(players, reward=reward, illegal="lose")
    batch = Batch(1, players, reward=reward, illegal="lose", autoreset="disabled")
    for seed, decisions in enumerate(few_or_many((3,), (0, 1, 12, 70))):
        env.reset(seed=seed)
        batch.reset([seed])
        for action in play(env, random.Random(seed), decisions):
            batch.step(np.array([action]))
        beside(env, batch)
        loser = env.unwrapped.game.player
        action = random.Random(seed).choice(illegal_ids(env))
        game = env.unwrapped.game.copy()
        env.step(action)
        batch.step(np.array([action]))
        beside(env, batch)
        assert list(env.rewards.values()) == pytest.approx(batch.rewards[0].tolist(), abs=1e-7)
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-12)
        assert min(env.rewards, key=env.rewards.__getitem__) == f"player_{loser}"
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.truncations == dict.fromkeys(env.possible_agents, False)
        assert env.unwrapped.current_player is None
        outcome = env.unwrapped.outcome()
        assert outcome.forfeited_by == loser
        assert outcome.ranks == [players if seat == loser else 1 for seat in range(players)]
        assert outcome.winners == [seat for seat in range(players) if seat != loser]
        assert outcome.illegal == [int(seat == loser) for seat in range(players)]
        assert outcome.rewards == list(env.rewards.values())
        assert outcome.points == game.points()
        assert env.unwrapped.game == game, "the game stays at the decision where it was lost"


LOST = {
    "outcome": {2: (-1, 1), 3: (-1 / 2, 1 / 4), 4: (-1 / 3, 1 / 9), 5: (-1 / 4, 1 / 16)},
    "rank": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
    "margin": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
}
"""What the loser and each other seat are paid, by hand."""


@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, REWARDS)))
def test_the_loser_is_paid_the_least_and_the_others_share_the_win(players: int, reward: str) -> None:
    env = speicherstadt_v0.env(players, reward=reward, illegal="lose")
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(7)
    least, others = LOST[reward][players]
    expected = {agent: least if agent == loser else others for agent in env.possible_agents}
    assert env.rewards == pytest.approx(expected)
    paid = {}
    for agent in env.agent_iter():
        _, paid[agent], terminated, truncated, info = env.last()
        assert terminated and not truncated and not info["action_mask"].any()
        env.step(None)
    assert paid == pytest.approx(expected)


@every_form
def test_the_next_game_knows_nothing_of_the_one_that_was_lost(make: Any) -> None:
    lost, fresh = make(3, illegal="lose"), make(3, illegal="lose")
    lost.reset(seed=1)
    lost.step(7)
    lost.reset(seed=2)
    fresh.reset(seed=2)
    assert lost.unwrapped.illegal_actions == [0, 0, 0]
    assert_alike_to_the_end(lost, fresh, random.Random(2))


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_random_plays_the_legal_action_that_a_batch_plays_and_counts(players: int, make: Any) -> None:
    env = make(players, illegal="random")
    batch = Batch(1, players, illegal="random", autoreset="disabled")
    rng = random.Random(players)
    for seed in few_or_many((2**64 - 1,), (1, 2**64 - 1)):
        env.reset(seed=seed)
        batch.reset([seed])
        expected = [0] * players
        for _ in range(few_or_many(6, 10_000)):
            beside(env, batch)
            if game_over(env):
                break
            action = rng.randrange(N_ACTIONS)
            expected[env.unwrapped.game.player] += action not in legal_ids(env)
            env.step(action)
            batch.step(np.array([action]))
            assert env.unwrapped.game.state.tobytes() == batch.arrays.states[0].tobytes()
            assert env.unwrapped.illegal_actions == expected
        if few_or_many(False, True):
            outcome = env.unwrapped.outcome()
            assert outcome.illegal == expected and sum(expected) > 50 and outcome.forfeited_by is None
            assert outcome.rewards == pytest.approx(batch.rewards[0].tolist(), abs=1e-7)
            assert check_record(env.unwrapped.game.to_record()) == [], "the actions that were played are its moves"


def test_the_random_actions_are_decided_by_the_seed_alone() -> None:
    def moves(seed: int, global_seed: int) -> list[int]:
        random.seed(global_seed)
        env = speicherstadt_v0.env(3, illegal="random")
        env.reset(seed=seed)
        for _ in range(20):
            env.step(183)
        played: list[int] = env.unwrapped.game.move_ids
        return played

    assert moves(5, 1) == moves(5, 2) != moves(6, 1)


@every_form
@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize("action", [-1, N_ACTIONS, None, 1.0, "place 9"])
def test_what_is_none_of_the_actions_is_refused_all_the_same(action: Any, illegal: str, make: Any) -> None:
    env = make(2, illegal=illegal)
    env.reset(seed=1)
    seen = seen_by_all(env)
    with pytest.raises(UnknownAction):
        env.step(action)
    assert seen_by_all(env) == seen and env.unwrapped.illegal_actions == [0, 0]


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}


@every_form
@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_of_a_lost_game_and_of_random_actions_play_on_equally(copied: Any, make: Any) -> None:
    env = make(3, illegal="lose")
    env.reset(seed=1)
    env.step(7)
    twin = copied(env)
    assert twin.unwrapped.outcome() == env.unwrapped.outcome()
    assert_alike_to_the_end(twin, env, random.Random(1))
    env = make(3, illegal="random")
    env.reset(seed=1)
    for _ in range(5):
        env.step(183)
    twin = copied(env)
    for _ in range(10):
        env.step(183)
        twin.step(183)
    assert seen_by_all(twin) == seen_by_all(env)
    assert twin.unwrapped.game.move_ids == env.unwrapped.game.move_ids


def test_a_lost_game_can_be_resumed_where_it_was_lost() -> None:
    env = played(speicherstadt_v0.env(2, illegal="lose"), 1, decisions=5)
    env.step(illegal_ids(env)[0])
    env.set_state(env.get_state())
    assert env.unwrapped.game.moves is not None and len(env.unwrapped.game.moves) == 5
    assert not game_over(env) and env.unwrapped.illegal_actions == [0, 0]
    play(env, random.Random(2))
    assert env.unwrapped.outcome().forfeited_by is None


@pytest.mark.parametrize("illegal", ["lose", "random"])
def test_pettingzoos_api_test_passes(illegal: str) -> None:
    env = speicherstadt_v0.env(3, illegal=illegal, observation="vector")
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    api_test(env, num_cycles=300)


def test_unmasked_random_play_comes_to_an_end() -> None:
    """What frameworks do that look at an environment before they know of its masks."""
    for illegal in ("lose", "random"):
        env = speicherstadt_v0.env(2, illegal=illegal)
        env.reset(seed=3)
        rng = random.Random(3)
        while not game_over(env):
            env.step(rng.randrange(N_ACTIONS))
        assert env.unwrapped.outcome().seed == 3
        assert env.unwrapped.game.num_players == Game(2).num_players
