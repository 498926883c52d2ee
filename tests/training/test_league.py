"""The league draws whom it says it draws, remembers how it went, and goes back to a state exactly."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents.baselines import Baseline
from speicher_training.train.league import LEAST_WEIGHT, League
from tests.support.small_networks import card, network

SHARES = {"newest": 0.5, "past": 0.3, "scripted": 0.2}


def league(**changes: object) -> League:
    own = network()
    told: dict[str, object] = {
        "shares": SHARES,
        "anchors": ["random", "merchant"],
        "hardness": 2.0,
        "keep": 3,
        "seed": 4,
    }
    return League(Baseline((card(own), own), 1.0), **(told | changes))  # type: ignore[arg-type]


def with_scores(scores: list[float], **changes: object) -> League:
    """A league with a snapshot for each score of the learner against it."""
    found = league(keep=20, **changes)
    for number, score in enumerate(scores):
        member = found.add_snapshot(f"steps-{number}", network(seed=number))
        member.games, member.ahead = 998.0, score * 1000 - 1
    return found


def test_snapshots_are_drawn_by_how_hard_they_are_to_beat():
    chances = with_scores([0.5, 0.9, 0.2]).chances()
    weights = np.array([0.25, 0.01, 0.64])
    np.testing.assert_allclose(chances[0], 0.5)
    np.testing.assert_allclose(chances[1:4], 0.3 * weights / weights.sum())
    np.testing.assert_allclose(chances[4:], [0.1, 0.1])


def test_who_is_always_beaten_is_still_drawn_now_and_then():
    chances = with_scores([0.5, 1.0]).chances()
    np.testing.assert_allclose(chances[2] / chances[1], LEAST_WEIGHT / 0.25)


def test_with_hardness_0_all_snapshots_are_alike():
    np.testing.assert_allclose(with_scores([0.5, 0.9, 0.2], hardness=0.0).chances()[1:4], 0.1)


def test_a_kind_without_members_leaves_its_share_to_the_newest():
    np.testing.assert_allclose(league().chances(), [0.8, 0.1, 0.1])
    np.testing.assert_allclose(league(anchors=[]).chances(), [1.0])


def test_draws_are_as_often_as_their_chances():
    found = with_scores([0.5, 0.9, 0.2])
    names = [member.name for _ in range(1000) for member in found.draw(20)]
    for member, chance in zip(found.members, found.chances(), strict=True):
        assert abs(names.count(member.name) / 20_000 - chance) < 0.02


def test_no_more_than_so_many_snapshots_are_drawn_at_a_time():
    found = with_scores([0.5] * 12, at_once=3)
    for _ in range(20):
        drawn = {member.name for member in found.draw(400)}
        assert 1 <= sum(name.startswith("steps-") for name in drawn) <= 3
    assert len({member.name for _ in range(60) for member in found.draw(100)}) == 15


def test_the_easiest_snapshot_goes_and_never_the_newest():
    found = with_scores([0.5, 0.9, 0.2])
    found.keep = 3
    found.add_snapshot("steps-9", network())
    assert [member.name for member in found.past] == ["steps-0", "steps-2", "steps-9"]
    found.keep = 1
    found.add_snapshot("steps-10", network())
    assert found.past[-1].name == "steps-10"


def test_a_snapshot_does_not_change_with_the_newest():
    found = league()
    member = found.add_snapshot("steps-1", network(seed=1))
    found.newest.player.network = network(seed=2)  # type: ignore[union-attr]
    assert np.array_equal(member.player.network.policy[0].weight, network(seed=1).policy[0].weight)  # type: ignore[union-attr]


def test_scores_and_win_shares_are_remembered_and_old_games_fade():
    member = league().anchors[0]
    assert member.score == 0.5 and member.win_share is None
    for _ in range(50):
        member.record(1.0, 0.5, 100)
    assert member.score == pytest.approx(51 / 52) and member.win_share == 0.5
    for _ in range(2000):
        member.record(0.0, 0.0, 100)
    assert member.score < 0.02 and member.games == pytest.approx(100)


def test_a_restored_league_draws_on_alike():
    networks = {f"steps-{number}": network(seed=number) for number in range(3)}
    found = with_scores([0.5, 0.9, 0.2])
    found.draw(10)
    found.anchors[1].record(1.0, 1.0, 100)
    state = found.state()
    again = league(keep=3)
    again.restore(state, networks.__getitem__)
    assert again.keep == 3
    assert again.state() == state
    assert [one.name for one in again.draw(200)] == [one.name for one in found.draw(200)]
