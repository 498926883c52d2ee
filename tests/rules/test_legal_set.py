"""The legal set: mask, count and n-th action agree, and an illegal action changes nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS, count_legal, is_legal, nth_legal, write_mask
from speicher_env.rules.turn import ILLEGAL, decide, step
from tests.support.positions import JIT, deal_game, legal_ids, play_at_random, position, seat

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]


def mask_of(states: np.ndarray) -> np.ndarray:
    mask = np.full(N_ACTIONS, 77, dtype=np.int8)  # every byte must be written
    write_mask(states[0], mask.view(np.uint64))
    return mask


def check_all_views_agree(states: np.ndarray) -> None:
    """is_legal, count_legal, nth_legal and write_mask against the bits of the state."""
    game = states[0]
    expected = legal_ids(states)
    assert [action for action in range(N_ACTIONS) if is_legal(game, action)] == expected
    assert count_legal(game) == len(expected)
    assert [nth_legal(game, n) for n in range(len(expected))] == expected
    assert nth_legal(game, len(expected)) == -1
    mask = mask_of(states)
    assert set(mask.tolist()) <= {0, 1}
    assert np.flatnonzero(mask).tolist() == expected


def test_a_mask_has_184_bytes_in_whole_words() -> None:
    assert MASK_WORDS * 8 == N_ACTIONS


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_mask_count_and_nth_agree_in_games(players: int) -> None:
    for seed in range(3 if JIT else 1):
        states = deal_game(players, "sampled", seed)
        for decision, _ in enumerate(play_at_random(states, seed)):
            if JIT or decision % 10 == 0:
                check_all_views_agree(states)
        check_all_views_agree(states)
        assert count_legal(states[0]) == 0
        assert not mask_of(states).any()


@pytest.mark.parametrize("size", [0, 1, 2, 64, 183, 184])
def test_mask_count_and_nth_agree_for_any_set(size: int) -> None:
    rng = random.Random(size)
    states = deal_game(2)
    for _ in range(10 if JIT else 2):
        bits = np.zeros(192, dtype=np.uint8)
        bits[rng.sample(range(N_ACTIONS), size)] = 1
        states["legal"][0] = np.packbits(bits, bitorder="little").view(np.uint64)
        check_all_views_agree(states)


@pytest.mark.parametrize("action", [0, 63, 64, 127, 128, 183])
def test_single_actions_at_the_edges_of_the_words(action: int) -> None:
    states = deal_game(2)
    states["legal"][0] = [(1 << action >> 64 * word) & (2**64 - 1) for word in range(3)]
    assert legal_ids(states) == [action]
    check_all_views_agree(states)


def test_actions_are_accepted_if_and_only_if_they_are_legal() -> None:
    decisions = 0
    for players in (2, 5):
        states = deal_game(players, seed=players)
        for decision, _ in enumerate(play_at_random(states, 1)):
            if decision % (5 if JIT else 40):
                continue
            decisions += 1
            expected = set(legal_ids(states))
            for action in range(N_ACTIONS):
                copy = states.copy()
                assert step(copy, 0, action) == (action in expected)
                if action in expected:
                    assert copy.tobytes() != states.tobytes()
                else:
                    assert copy.tobytes() == states.tobytes()
    assert decisions > 5


@pytest.mark.parametrize("action", [-1, -64, -184, 184, 191, 192, 255, 10**6, -(2**40), 2**40])
def test_numbers_that_are_no_action_are_refused_and_change_nothing(action: int) -> None:
    for states in (
        deal_game(3),
        position(2, seats=[seat(aboard="tea tea")]),
        position(2, phase="over", pile=["fire_4"]),
    ):
        before = states.tobytes()
        assert not step(states, 0, action)
        assert states.tobytes() == before


def test_a_step_touches_only_its_own_game() -> None:
    states = np.concatenate([deal_game(2, seed=1), deal_game(3, seed=2), deal_game(5, seed=3)])
    before = states.copy()
    assert step(states, 1, 2)
    assert states[0].tobytes() == before[0].tobytes()
    assert states[1].tobytes() != before[1].tobytes()
    assert states[2].tobytes() == before[2].tobytes()


def test_decide_is_step_and_mask_in_one() -> None:
    states = deal_game(3, seed=6)
    stepped = states.copy()
    mask = np.zeros(N_ACTIONS, dtype=np.int8)
    for action in play_at_random(stepped, 6):
        expected = stepped.copy()
        assert states.tobytes() == expected.tobytes()
        following = decide(states, 0, action, mask)
        assert step(expected, 0, action)
        assert states.tobytes() == expected.tobytes()
        assert following == states["player"][0]
        assert np.flatnonzero(mask).tolist() == legal_ids(states)
    assert following == -1
    assert not mask.any()


def test_decide_refuses_an_illegal_action_and_writes_nothing() -> None:
    states = deal_game(3, seed=6)
    before = states.tobytes()
    for action in (-1, 6, 183, 184):
        mask = np.full(N_ACTIONS, 77, dtype=np.int8)
        assert decide(states, 0, action, mask) == ILLEGAL
        assert states.tobytes() == before
        assert (mask == 77).all()
