"""Advantages by seat, against a plain loop over every game and seat."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_training.returns import gae_by_seat


def in_a_plain_loop(rewards, ended, seats, values, gae_lambda, gamma):
    """The advantage of every decision, one game and one seat at a time; NaN where it is not known."""
    steps, games, players = rewards.shape
    advantages = np.full((steps, games), np.nan)
    for game in range(games):
        begin = 0
        ends = [*np.flatnonzero(ended[:, game]).tolist(), None]
        for end in ends:
            last = steps - 1 if end is None else end
            for seat in range(players):
                mine = [step for step in range(begin, last + 1) if seats[step, game] == seat]
                after = None if end is None else 0.0  # the advantage of the next decision
                for place in reversed(range(len(mine))):
                    step = mine[place]
                    following = mine[place + 1] if place + 1 < len(mine) else None
                    if following is None and end is None:
                        after = 0.0  # not known: an unknown advantage counts as 0
                        continue
                    until = last + 1 if following is None else following
                    paid = sum(rewards[number, game, seat] for number in range(step, until))
                    value = 0.0 if following is None else values[following, game]
                    after = paid + gamma * value - values[step, game] + gamma * gae_lambda * after
                    advantages[step, game] = after
            begin = last + 1
    return advantages


@pytest.mark.parametrize(("gae_lambda", "gamma"), [(0.95, 1.0), (0.0, 1.0), (1.0, 0.9), (0.5, 0.0)])
@pytest.mark.parametrize("players", [2, 4])
def test_it_is_what_a_plain_loop_computes(players: int, gae_lambda: float, gamma: float):
    """Rewards in every step, and games that end at any step, also in several steps running."""
    rng = np.random.default_rng(players)
    shape = (60, 7)
    rewards, values = rng.normal(size=(*shape, players)), rng.normal(size=shape)
    ended, seats = rng.random(shape) < 0.15, rng.integers(players, size=shape)
    found = gae_by_seat(rewards, ended, seats, values, gae_lambda, gamma)
    expected = in_a_plain_loop(rewards, ended, seats, values, gae_lambda, gamma)
    assert np.array_equal(found.known, ~np.isnan(expected))
    assert 0 < found.known.sum() < found.known.size
    np.testing.assert_allclose(found.advantages, np.nan_to_num(expected), atol=1e-12)
    np.testing.assert_allclose(found.returns, found.advantages + values)


def test_every_seat_is_paid_for_its_own_decisions_whoever_ends_the_game():
    """One game of two: seats 0, 1, 0 decide, the last decision ends it; then 1, 1, 0 decide in one that goes on."""
    seats = np.array([[0], [1], [0], [1], [1], [0]])
    ended = np.array([[False], [False], [True], [False], [False], [False]])
    values = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]])
    rewards = np.zeros((6, 1, 2))
    rewards[2, 0] = [1.0, -1.0]
    found = gae_by_seat(rewards, ended, seats, values, 0.5)
    assert found.known[:, 0].tolist() == [True, True, True, True, False, False]
    np.testing.assert_allclose(found.advantages[:3, 0], [(0.3 - 0.1) + 0.5 * 0.7, -1.0 - 0.2, 1.0 - 0.3])
    np.testing.assert_allclose(found.advantages[3:, 0], [0.5 - 0.4, 0.0, 0.0])
