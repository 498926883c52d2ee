"""Maximal lotteries on tournaments whose answer is known: circles, copies, a player that beats all."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_training.arena.lottery import circles, maximal_lottery, standings, top_cycle

ROCK_PAPER_SCISSORS = np.array([[0.5, 0.1, 0.9], [0.9, 0.5, 0.1], [0.1, 0.9, 0.5]])
LADDER = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])


def tournament(players: int, seed: int) -> np.ndarray:
    """A random one."""
    upper = np.triu(np.random.default_rng(seed).uniform(size=(players, players)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(players)


def test_a_player_that_beats_all_has_the_whole_lottery() -> None:
    found = maximal_lottery(LADDER)
    assert found.weights == pytest.approx([1, 0, 0], abs=1e-6)
    assert found.scores == pytest.approx([0.5, 0.3, 0.1], abs=1e-6)
    assert top_cycle(LADDER) == [0] and circles(LADDER) == []


def test_players_in_a_circle_share_the_lottery() -> None:
    found = maximal_lottery(ROCK_PAPER_SCISSORS)
    assert found.weights == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert found.low == pytest.approx([0.5] * 3, abs=1e-6) == found.high
    assert top_cycle(ROCK_PAPER_SCISSORS) == [0, 1, 2] and circles(ROCK_PAPER_SCISSORS) == [(0, 2, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_nobody_finishes_ahead_of_a_maximal_lottery(seed: int) -> None:
    ahead = tournament(7, seed)
    found = maximal_lottery(ahead)
    assert found.weights.sum() == pytest.approx(1) and found.weights.min() >= 0
    assert (ahead @ found.weights).max() <= 0.5 + 1e-6
    assert found.scores[found.weights > 1e-6] == pytest.approx(0.5, abs=1e-6)
    assert set(np.flatnonzero(found.weights > 1e-6)) <= set(top_cycle(ahead))


@pytest.mark.parametrize("seed", range(3))
def test_copies_share_a_part_and_change_nobody_elses(seed: int) -> None:
    """A mean win share would move by copies; the lottery and its scores do not."""
    ahead = ROCK_PAPER_SCISSORS if seed == 0 else tournament(5, seed)
    copied = [*range(len(ahead)), 0, 0, 0]
    before, after = maximal_lottery(ahead), maximal_lottery(ahead[np.ix_(copied, copied)])
    assert after.weights[copied.index(0)] * 4 == pytest.approx(before.weights[0], abs=1e-6)
    assert after.weights[1 : len(ahead)] == pytest.approx(before.weights[1:], abs=1e-6)
    assert after.scores == pytest.approx(before.scores[copied], abs=1e-6)
    moved = ahead[np.ix_(copied, copied)].mean(axis=1)[: len(ahead)] - ahead.mean(axis=1)
    assert np.abs(moved).max() > 0.02


def test_several_maximal_lotteries_are_all_looked_at() -> None:
    """The first two are equal, and the third loses to them by different shares."""
    ahead = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.7], [0.1, 0.3, 0.5]])
    found = maximal_lottery(ahead)
    assert (found.low[2], found.high[2]) == pytest.approx((0.1, 0.3), abs=1e-6)
    assert found.weights == pytest.approx([0.5, 0.5, 0], abs=1e-6)
    assert top_cycle(ahead) == [0, 1]


def test_intervals_of_the_lottery_hold_the_truth_and_shrink() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for deals in (50, 1000):
        ahead = np.full((deals, 3, 3), 0.5)
        for first, second in ((0, 1), (0, 2), (1, 2)):
            ahead[:, first, second] = rng.random(deals) < ROCK_PAPER_SCISSORS[first, second]
            ahead[:, second, first] = 1 - ahead[:, first, second]
        found = standings(("rock", "paper", "scissors"), ahead, seed=1, replicates=100)
        assert sorted(each.name for each in found) == ["paper", "rock", "scissors"]
        for each in found:
            assert each.weight["low"] <= 1 / 3 <= each.weight["high"]
        widths.append(found[0].weight["high"] - found[0].weight["low"])
    assert widths[1] < widths[0] / 3
