"""Seeds: `reset(seed)` alone decides the game, the same one in every form, and no other random generator is touched."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from speicher_env import ArgumentError, Game, speicherstadt_v0
from speicher_env.rules.stream import next_seed
from tests.support.aec_play import MAKERS, assert_alike_to_the_end, every_form, game_over, legal_ids, play, played
from tests.support.games import OWN_DECK, PLAYER_COUNTS

pytestmark = pytest.mark.nojit

DECKS = {"standard": "standard", "sampled": "sampled", "own": OWN_DECK}
LARGEST = 2**64 - 1


def dealt(env: AECEnv) -> bytes:
    """Every byte of the game in an environment."""
    state: bytes = env.unwrapped.game.state.tobytes()
    return state


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_one_seed_is_one_game_in_game_raw_env_and_env(players: int, deck: Any) -> None:
    seed = 1000 + players
    game, raw, env = Game(players, deck, seed), speicherstadt_v0.raw_env(players, deck), MAKERS["env"](players, deck)
    raw.reset(seed=seed)
    env.reset(seed=seed)
    rng = random.Random(seed)
    while not game.over:
        assert game.state.tobytes() == dealt(raw) == dealt(env)
        action = rng.choice(game.legal_ids())
        game.play(action)
        raw.step(action)
        env.step(action)
    assert game.state.tobytes() == dealt(raw) == dealt(env)
    assert game_over(raw) and game_over(env)


def test_the_options_of_the_environment_do_not_change_the_deal() -> None:
    plain, other = speicherstadt_v0.env(3), speicherstadt_v0.env(3, reward="rank", padded=True, render_mode="ansi")
    plain.reset(seed=8)
    other.reset(seed=8)
    assert dealt(plain) == dealt(other)


@every_form
def test_a_seed_given_again_deals_the_same_game_whatever_was_played_before(make: Any) -> None:
    fresh, used = make(3, "sampled"), make(3, "sampled")
    used.reset(seed=99)
    play(used, random.Random(1), decisions=40)
    used.reset()
    play(used, random.Random(2))
    fresh.reset(seed=5)
    used.reset(seed=5)
    assert dealt(fresh) == dealt(used)
    assert_alike_to_the_end(fresh, used, random.Random(3))


@pytest.mark.parametrize("seed", [0, 1, LARGEST, np.int64(7), np.uint8(7), np.uint64(LARGEST)])
def test_every_whole_number_of_64_bits_without_a_sign_is_a_seed(seed: Any) -> None:
    env = speicherstadt_v0.env()
    env.reset(seed=seed)
    assert env.unwrapped.game.seed == int(seed)
    assert env.unwrapped.game == Game(2, seed=int(seed))


@every_form
@pytest.mark.parametrize("seed", [-1, LARGEST + 1, 1.0, "1", True, np.array([1])])
def test_what_is_no_seed_is_refused_and_the_game_goes_on(seed: Any, make: Any) -> None:
    env = played(make(), 1, decisions=5)
    before = dealt(env)
    with pytest.raises(ArgumentError, match=r"^seed=.*: must be a whole number 0\.\.2\*\*64-1\.$"):
        env.reset(seed=seed)
    assert dealt(env) == before
    play(env, random.Random(1), decisions=1)


# Without a seed


@every_form
def test_a_reset_without_a_seed_takes_the_one_after_the_last_however_the_game_went(make: Any) -> None:
    env, other = make(2, "sampled"), make(2, "sampled")
    env.reset(seed=21)
    other.reset(seed=21)
    play(other, random.Random(4))
    seeds = [21]
    for _ in range(3):
        env.reset()
        other.reset()
        assert dealt(env) == dealt(other)
        seeds.append(env.unwrapped.game.seed)
        assert seeds[-1] == next_seed(seeds[-2])
        assert env.unwrapped.game == Game(2, "sampled", seeds[-1])
        play(env, random.Random(5), decisions=10)
    assert len(set(seeds)) == 4


def test_the_first_reset_without_a_seed_takes_a_fresh_one() -> None:
    seeds = set()
    for _ in range(3):
        env = speicherstadt_v0.env()
        env.reset()
        seeds.add(env.unwrapped.game.seed)
    assert len(seeds) == 3


def test_after_a_game_that_was_set_its_seed_decides_the_next() -> None:
    env, other = speicherstadt_v0.env(), speicherstadt_v0.env()
    other.reset(seed=77)
    env.reset(seed=5)
    env.reset(options={"state": other.unwrapped.get_state()})
    env.reset()
    assert env.unwrapped.game.seed == next_seed(77)


# Other sources of chance


@every_form
def test_no_global_random_state_is_read_or_moved(make: Any) -> None:
    def game_after(global_seed: int) -> bytes:
        random.seed(global_seed)
        np.random.seed(global_seed)  # the global generator is what this is about
        python, (_, keys, *rest) = random.getstate(), np.random.get_state()
        env = played(make(3, "sampled"), 6)
        env.reset()
        play(env, random.Random(7), decisions=20)
        env.state()
        now_python, (_, now_keys, *now_rest) = random.getstate(), np.random.get_state()
        assert now_python == python
        assert now_keys.tolist() == keys.tolist()
        assert now_rest == rest
        make(3).reset()
        assert random.getstate() == python
        return dealt(env)

    before = random.getstate(), np.random.get_state()
    try:
        assert game_after(1) == game_after(2)
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


@every_form
def test_sampling_actions_and_observations_does_not_touch_the_game(make: Any) -> None:
    sampled, untouched = make(2, "sampled"), make(2, "sampled")
    sampled.reset(seed=9)
    untouched.reset(seed=9)
    rng = random.Random(9)
    for _ in range(30):
        for agent in sampled.possible_agents:
            sampled.action_space(agent).sample()
            sampled.action_space(agent).sample(sampled.observe(agent)["action_mask"])
            sampled.observation_space(agent).sample()
        assert dealt(sampled) == dealt(untouched)
        action = rng.choice(legal_ids(untouched))
        sampled.step(action)
        untouched.step(action)
    sampled.reset()
    untouched.reset()
    assert dealt(sampled) == dealt(untouched)


def test_a_seeded_space_samples_the_same_legal_actions() -> None:
    played = []
    for _ in range(2):
        env = speicherstadt_v0.env(2)
        env.reset(seed=3)
        for seat, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(seat)
        actions = []
        for _ in range(40):
            actions.append(int(env.action_space(env.agent_selection).sample(env.last()[4]["action_mask"])))
            env.step(actions[-1])
        played.append(actions)
    assert played[0] == played[1]
