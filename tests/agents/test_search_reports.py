"""What a search reports, and that it depends on the position and the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents.search import FlatSearch, TreeSearch
from speicher_agents.search.leaves import PlayoutLeaves
from speicher_agents.search.playouts import CASUAL_PLAY
from speicher_agents.search.selection import UpperBounds
from speicher_agents.search.tree import ROOT, begin_searches, make_trees
from speicher_agents.search.walk import Rules, grow
from speicher_env import ACTION_TEXTS, ArgumentError, Game
from tests.support.games import PLAYER_COUNTS, game_in, random_game
from tests.support.positions import card, position, seat
from tests.support.searches import MAKERS, assert_same, views_of

PHASES = ("demand", "purchase", "loading")


@pytest.mark.parametrize("player", MAKERS)
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_visits_add_up_to_the_iterations(player, phase, players):
    game = game_in(phase, players, seed=2)
    report = MAKERS[player](iterations=150).search(game)
    assert report.visits.sum() == report.iterations == 150
    assert report.seat == game.player
    assert list(report.actions) == game.legal_ids()
    assert report.values.shape == (len(report.actions), players)


@pytest.mark.parametrize("player", MAKERS)
def test_same_seed_same_visits(player):
    game = random_game(3, seed=8, decisions=40)
    report = MAKERS[player](iterations=200, seed=1).search(game)
    assert_same(MAKERS[player](iterations=200, seed=1).search(game), report)
    other = MAKERS[player](iterations=200, seed=2).search(game)
    assert not np.array_equal(other.values, report.values)
    again = MAKERS[player](iterations=200, seed=2)
    again.reset(1)
    assert_same(again.search(game), report)


@pytest.mark.parametrize("player", MAKERS)
def test_a_search_remembers_no_other(player):
    games = [random_game(2, seed=seed, decisions=30 + 10 * seed) for seed in range(4)]
    alone = [MAKERS[player](iterations=80).search(game) for game in games]
    search = MAKERS[player](iterations=80)
    for game, report in zip(reversed(games), reversed(alone), strict=True):
        assert_same(search.search(game), report)
    assert search.act(views_of(*games)).tolist() == [report.best for report in alone]


@pytest.mark.parametrize("player", MAKERS)
def test_many_games_at_once_are_searched_as_each_alone(player):
    games = [random_game(4, seed=seed, decisions=20 + 15 * seed) for seed in range(6)]
    search = MAKERS[player](iterations=60)
    together = search.act(views_of(*games)).tolist()
    assert together == [int(search.act(views_of(game))[0]) for game in games]
    assert together[::-1] == search.act(views_of(*reversed(games))).tolist()
    assert search.act(views_of(*games[:2])).tolist() == together[:2]


def test_values_are_mean_payoffs_between_minus_1_and_1_and_sum_to_0_without_margin():
    game = random_game(3, seed=1, decisions=25)
    for search in (TreeSearch(500, margin=0.0), FlatSearch(500, margin=0.0)):
        report = search.search(game)
        assert np.abs(report.values).max() <= 1
        np.testing.assert_allclose(report.values.sum(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(report.value, (report.visits[:, None] * report.values).sum(axis=0) / 500)


def test_margin_pays_for_points_ahead():
    # Seat 0 wins with any action; with St Michaelis it is 4 points further ahead.
    states = position(2, phase="purchase", columns=[card("st_michaelis", queue=[0])], pile=["fire_4"],
                      seats=[seat(fire_points=5), seat()])  # fmt: skip
    plain = FlatSearch(20, margin=0.0).search(states)
    np.testing.assert_array_equal(plain.values, [[1, -1], [1, -1]])
    mixed = FlatSearch(20, margin=0.5).search(states)
    np.testing.assert_allclose(mixed.values[:, 0], [0.5 + 0.5 * 9 / 30, 0.5 + 0.5 * 5 / 30])


def test_flat_shares_the_playouts_out_equally():
    report = FlatSearch(100).search(game_in("demand", 2))
    assert sorted(report.visits.tolist()) == [33, 33, 34]
    assert report.values[report.actions.index(report.best), report.seat] == report.values[:, report.seat].max()


def test_the_best_action_is_the_most_visited_and_begins_the_line():
    game = random_game(2, seed=6, decisions=20)
    report = TreeSearch(800).search(game)
    assert report.visits[report.actions.index(report.best)] == report.visits.max()
    assert report.line[0] == report.best
    for action in report.line_texts:  # no chance comes between, so it can be played
        game.play(action)


def test_an_action_never_tried_has_no_value():
    report = TreeSearch(1).search(game_in("demand", 2))
    assert report.visits.sum() == 1
    assert np.isnan(report.values[report.visits == 0]).all()
    assert np.isfinite(report.value).all()
    assert report.visits[report.actions.index(report.best)] == 1


def test_the_report_prints_as_a_table():
    report = TreeSearch(300).search(Game(2, seed=7))
    lines = str(report).splitlines()
    assert lines[0] == f"seat 0, 300 iterations, best {ACTION_TEXTS[report.best]!r}"
    assert len(lines) == 1 + len(report.actions) + 1
    assert lines[1].split()[:3] == [*ACTION_TEXTS[report.best].split(), str(report.visits.max())]
    assert lines[-1] == "line: " + ", ".join(report.line_texts)


def test_a_full_tree_grows_no_further_and_loses_no_iteration():
    trees = make_trees(1, 40)
    begin_searches(trees, Game(2, seed=3).states_view, 0)
    trees.left[0] = 2000
    rule = UpperBounds(1.5)
    grow(trees, 1, Rules(rule, rule, futures=0), PlayoutLeaves(None, CASUAL_PLAY, None, 0, 0.0, 0.0))
    nodes, used = trees.nodes[0], int(trees.used[0, 0])
    assert used <= 40 and nodes["visits"][ROOT] == 2000
    for index in range(used):
        first, children = nodes["first"][index], nodes["children"][index]
        if children:
            below = nodes[first : first + children]
            own = 0 if index == ROOT else 1  # the iteration that ended here
            assert below["visits"].sum() == nodes["visits"][index] - own
            assert (below["parent"] == index).all()


@pytest.mark.parametrize("player", MAKERS)
def test_what_cannot_be_searched_is_refused(player):
    search = MAKERS[player](iterations=5)
    with pytest.raises(ArgumentError, match="the game is over"):
        search.search(random_game(2, seed=0))
    with pytest.raises(ArgumentError, match="must be a Game or one state record"):
        search.search(np.zeros(3))
