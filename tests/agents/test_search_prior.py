"""A tree search looks first where a player would go, and goes elsewhere when that does better."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents import load_agent, make_player
from speicher_agents.search import TreeSearch
from tests.support.games import PLAYER_COUNTS, game_in
from tests.support.positions import card, position, seat
from tests.support.searches import best_text, views_of

PHASES = ("demand", "purchase", "loading")


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_choice_of_the_prior_is_tried_first(players, phase):
    game = game_in(phase, players, seed=3)
    for name in ("merchant", "firechief"):
        wanted = int(load_agent(name).act(views_of(game))[0])
        report = TreeSearch(1, prior=name).search(game)
        assert report.best == wanted and report.visits.sum() == 1


def test_the_more_it_is_trusted_the_more_it_is_looked_at():
    game = game_in("demand", 3, seed=1)
    wanted = int(load_agent("merchant").act(views_of(game))[0])
    visits = []
    for trust in (0.0, 0.5, 1.0):
        report = TreeSearch(200, trust=trust).search(game)
        visits.append(int(report.visits[report.actions.index(wanted)]))
    assert visits[0] < visits[1] < visits[2] == 200


def test_what_does_better_is_found_against_the_prior():
    # The shipper buys the ship, which spends the coin that decides the tie.
    states = position(2, phase="purchase", pile=["fire_4"], columns=[card("ship_15", queue=[0])],
                      seats=[seat(coins=4), seat(coins=3)])  # fmt: skip
    assert best_text(TreeSearch(1, prior="shipper"), states) == "buy"
    assert best_text(TreeSearch(200, prior="shipper"), states) == "pass"


def test_a_prior_may_be_left_out_or_be_a_player_of_any_kind_that_is_compiled():
    game = game_in("demand", 2, seed=5)
    plain = TreeSearch(300, prior="none").search(game)
    assert plain.visits.min() > 10  # each action is tried, and again
    np.testing.assert_array_equal(plain.visits, TreeSearch(300, prior="none", trust=0.9).search(game).visits)
    by_name, by_player = (TreeSearch(300, prior=prior).search(game) for prior in ("spoiler", make_player("spoiler")))
    np.testing.assert_array_equal(by_name.visits, by_player.visits)
