"""A search asks a network that answers for every seat in compiled code, and offers targets to learn from."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents.baselines import Baseline
from speicher_agents.search import GuidedSearch, SearchTargets, UniformEvaluator
from speicher_env import ArgumentError, Game
from speicher_env.observation import RowFormat
from speicher_env.views import Views
from tests.agents.test_search_choices import endings
from tests.support.exact_endings import action_values
from tests.support.games import random_game
from tests.support.small_networks import card, network, views


class Asked:
    """A baseline that can be asked in Python only."""

    def __init__(self, baseline: Baseline) -> None:
        self.baseline = baseline

    def row_format(self, players: int) -> RowFormat:
        return self.baseline.row_format(players)

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        return self.baseline.evaluate(views)


def judge(players: int, padded: bool = False, figures: bool = True) -> Baseline:
    own = network(5 if padded else players, figures=figures, columns=(9, 7), shared=(11,), every_seat=True)
    return Baseline((card(own, [2, 3, 4, 5] if padded else [players]), own))


@pytest.mark.parametrize("root", ["puct", "halving"])
@pytest.mark.parametrize(("players", "padded", "figures"), [(2, False, True), (3, True, True), (5, False, False)])
def test_a_network_in_compiled_code_grows_the_tree_that_it_grows_when_asked_from_python(players, padded, figures, root):
    baseline = judge(players, padded, figures)
    states = views(players, rows=10, figures=figures).states
    one, two = (
        GuidedSearch(evaluator, 60, root=root, temperature=1.5).targets(states)
        for evaluator in (baseline, Asked(baseline))
    )
    np.testing.assert_array_equal(one.visits, two.visits)
    np.testing.assert_array_equal(one.actions, two.actions)
    np.testing.assert_allclose(one.policy, two.policy, atol=1e-5)
    np.testing.assert_allclose(one.values, two.values, atol=1e-5)


@pytest.mark.parametrize("iterations", [1, 2, 5, 16, 70])
@pytest.mark.parametrize("root", ["puct", "halving"])
def test_targets_are_distributions_over_legal_actions(root, iterations):
    shown = views(3, rows=80, figures=True)
    found = GuidedSearch(judge(3), iterations, root=root).targets(shown.states)
    assert isinstance(found, SearchTargets)
    legal = shown.masks.astype(bool)
    assert legal[np.arange(80), found.actions].all()
    assert (found.policy[~legal] == 0).all() and (found.visits[~legal] == 0).all() and (found.policy >= 0).all()
    np.testing.assert_allclose(found.policy.sum(axis=1), 1, atol=1e-5)
    assert (found.visits.sum(axis=1) == iterations).all()
    np.testing.assert_allclose(found.values.sum(axis=1), 0, atol=1e-5)  # payoffs of all seats


@pytest.mark.parametrize("iterations", [5, 9, 16, 33])
def test_sequential_halving_plays_the_likeliest_action_of_its_improved_policy_among_those_tried(iterations):
    shown = views(2, rows=80, figures=True)
    targets = GuidedSearch(judge(2), iterations, root="halving").targets(shown.states, noise=False)
    likeliest = np.where(targets.visits > 0, targets.policy, -1).argmax(axis=1)
    np.testing.assert_array_equal(targets.actions, likeliest)


def test_preferences_are_visits_where_good_actions_get_more_and_the_improved_policy_where_visits_are_shared_out():
    states = views(3, rows=20, figures=True).states
    by_visits = GuidedSearch(judge(3), 40, root="puct").reports(states)
    for report in by_visits:
        np.testing.assert_allclose(report.preferences, report.visits / 40)
    search = GuidedSearch(judge(3), 40, root="halving")
    for report, policy in zip(search.reports(states), search.targets(states, noise=False).policy, strict=True):
        np.testing.assert_allclose(report.preferences, policy[list(report.actions)], atol=1e-6)


def test_targets_depend_on_the_seed_and_the_position_alone():
    states = views(2, rows=70, figures=True).states
    search = GuidedSearch(judge(2), 16, root="halving", seed=3)
    together = search.targets(states)
    for one, two in zip(together, search.targets(states[::-1].copy()), strict=True):
        np.testing.assert_array_equal(one, two[::-1])
    np.testing.assert_array_equal(search.targets(states[5:6]).policy[0], together.policy[5])
    other = GuidedSearch(judge(2), 16, root="halving", seed=4).targets(states)
    assert (other.actions != together.actions).any()


@pytest.mark.parametrize("compiled", [True, False])
def test_thoughts_of_many_positions_are_those_of_each_by_itself(compiled):
    baseline = judge(2)
    shown = views(2, rows=66, figures=True)
    search = GuidedSearch(baseline if compiled else Asked(baseline), 12)
    thoughts = search.think(shown)
    assert len(thoughts) == 66 and len({tuple(thought.line) for thought in thoughts}) > 20
    for row in (0, 1, 64, 65):
        assert thoughts[row] == search.search(shown.states[row : row + 1]).thought(shares=True)


def test_noise_makes_the_choice_a_random_one_and_no_noise_the_same_for_all_seeds():
    states = views(2, rows=60, figures=True).states
    noisy, plain = (
        {GuidedSearch(UniformEvaluator(), 4, root="halving", seed=seed).targets(states, noise).actions.tobytes()
         for seed in range(4)}
        for noise in (True, False)
    )  # fmt: skip
    assert len(noisy) == 4 and len(plain) < 4


def test_the_improved_policy_pays_more_than_the_prior_where_the_values_are_exact():
    search = GuidedSearch(UniformEvaluator(), 3000, root="halving", scale=0.1)
    for game in endings(2, 3, 5):
        exact = action_values(game.states_view)
        policy = search.targets(game.states_view, noise=False).policy[0]
        own = {action: paid[game.player] for action, paid in exact.items()}
        assert sum(policy[action] * paid for action, paid in own.items()) > np.mean(list(own.values())) + 0.01


@pytest.mark.parametrize("root", ["puct", "halving"])
def test_finds_the_values_of_endings_solved_exactly(root):
    search = GuidedSearch(UniformEvaluator(), 8000, root=root)
    for game in endings(2, 3, 5):
        exact = action_values(game.states_view)
        report = search.search(game)
        assert exact[report.best][game.player] == max(paid[game.player] for paid in exact.values())
        np.testing.assert_allclose(report.values[report.actions.index(report.best)], exact[report.best], atol=0.1)


def test_another_hidden_order_changes_nothing_for_networks_and_shared_futures():
    game = random_game(3, seed=3, decisions=50)
    for root in ("puct", "halving"):
        search = GuidedSearch(judge(3), 60, root=root, futures=4)
        report = search.search(game)
        for seed in range(3):
            again = search.search(game.redealt(seed))
            np.testing.assert_array_equal(again.visits, report.visits)
            np.testing.assert_array_equal(again.values, report.values)


def test_states_that_cannot_be_searched_together_are_refused():
    search = GuidedSearch(judge(2), 4)
    with pytest.raises(ArgumentError, match="game 0 is over"):
        search.targets(random_game(2, seed=0).states_view)
    mixed = np.concatenate([Game(2, seed=1).states_view, Game(3, seed=1).states_view])
    with pytest.raises(ArgumentError, match="different numbers of players"):
        search.targets(mixed)
    with pytest.raises(ArgumentError, match="root="):
        GuidedSearch(judge(2), 4, root="other")
