"""A search draws what is hidden, fairly, and never sees how it truly lies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from speicher_agents.search import TreeSearch
from speicher_agents.search.determinize import begin_stream, conceal_root, outcome_key, redeal_concealed
from speicher_agents.search.tree import ROOT
from speicher_env import ACTION_TEXTS, Game
from speicher_env.rules.cards import N_CUBES, SEASON_OF
from speicher_env.rules.state import EMPTY
from speicher_env.rules.status import status
from tests.support.games import PLAYER_COUNTS, random_game
from tests.support.positions import position, seat
from tests.support.searches import MAKERS, assert_same, views_of


@pytest.mark.parametrize("player", MAKERS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_another_hidden_order_changes_nothing(player, players):
    search = MAKERS[player](iterations=60, seed=5)
    game = random_game(players, seed=3, decisions=50)
    report = search.search(game)
    for seed in range(3):
        assert_same(search.search(game.redealt(seed)), report)
    assert search.act(views_of(game)).tolist() == [report.best]


@pytest.mark.parametrize("player", MAKERS)
def test_the_position_searched_is_left_alone(player):
    game = random_game(3, seed=4, decisions=70)
    before = game.get_state()
    MAKERS[player](iterations=40).search(game)
    assert game.get_state() == before


def redealt_often(states: np.ndarray, times: int) -> list[np.ndarray]:
    roots, stream = states.copy(), np.zeros(4, dtype=np.int64)
    conceal_root(roots)
    begin_stream(roots, 0, stream)
    found = []
    for _ in range(times):
        drawn = roots.copy()
        _redeal(drawn, stream)
        found.append(drawn)
    return found


def _redeal(states: np.ndarray, stream: np.ndarray) -> None:
    redeal_concealed(states[0], stream)


def test_every_order_of_the_hidden_cards_is_equally_likely():
    states = position(2, phase="loading", seats=[seat(aboard="tea tea")],
                      pile=["ship_15", "st_michaelis", "counting_office_4", "fire_4"])  # fmt: skip
    first, last = int(states["pile_next"][0]), int(states["pile_size"][0])
    drawn = redealt_often(states, 3000)
    orders = Counter(tuple(one["pile"][0, first:last].tolist()) for one in drawn)
    assert len(orders) == 6 and all(order[-1] == 53 for order in orders)
    assert all(abs(count - 500) < 100 for count in orders.values())  # 100 is five standard deviations


def test_every_cube_left_in_the_bag_is_equally_likely_to_be_next():
    states = position(2, phase="loading", seats=[seat(aboard="tea tea")], pile=["fire_4"],
                      stock=" ".join(["tea"] * 4 + ["rubber"] * 9 + ["carpet"] * 9 + ["saffron"] * 9))  # fmt: skip
    place = int(states["bag_next"][0])
    left = Counter(states["bag"][0, place:].tolist())
    drawn = redealt_often(states, 3000)
    seen = Counter(int(one["bag"][0, place]) for one in drawn)
    for good, cubes in left.items():
        assert abs(seen[good] - 3000 * cubes / (N_CUBES - place)) < 140


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_redeal_moves_nothing_but_what_is_hidden(players):
    game = random_game(players, seed=1, decisions=30)
    for drawn in redealt_often(game.states_view.copy(), 20):
        state = drawn[0]
        assert not status(state)
        place, size = state["pile_next"], state["pile_size"]
        seasons = SEASON_OF[state["pile"][place:size]]
        assert (np.diff(seasons) >= 0).all()
        for name in state.dtype.names:
            if name not in ("pile", "bag", "seed"):
                np.testing.assert_array_equal(state[name], game.state[name])
        np.testing.assert_array_equal(state["pile"][:place], game.state["pile"][:place])
        np.testing.assert_array_equal(state["bag"][: state["bag_next"]], game.state["bag"][: state["bag_next"]])


def test_what_chance_brings_is_kept_apart_and_met_as_often_as_it_is_likely():
    # One action ends the round; then three cards come in any of six orders.
    states = position(2, phase="loading", seats=[seat(aboard="tea tea")],
                      pile=["boatsmen_church", "st_michaelis", "counting_office_4", "fire_4"])  # fmt: skip
    search = TreeSearch(6001)
    report = search.search(states)
    nodes = search._memory.nodes[0, : int(search._memory.used[0, 0])]
    for index in range(int(nodes["first"][ROOT]), int(nodes["first"][ROOT] + nodes["children"][ROOT])):
        brought = nodes[(nodes["parent"] == index) & (nodes["action"] == -1)]
        if nodes["children"][index] or nodes["visits"][index] < 2000:
            continue
        assert len(brought) == 6
        visits = nodes["visits"][index] - 1  # the first one played on from the action itself
        assert brought["visits"].sum() == visits
        assert np.abs(brought["visits"] - visits / 6).max() < 5 * np.sqrt(visits * 5 / 36)
        break
    else:
        pytest.fail(f"no action led to chance often enough: {report}")


def supplies_of(game: Game, action: str) -> dict[int, float]:
    """The keys of all that chance can bring after an action, with their probabilities, by the public interface."""
    keys: Counter[int] = Counter()
    for supply, chance in game.next_supply.outcomes():
        after = game.copy()
        after.play(action, supply=supply)
        keys[int(outcome_key(after.state))] += float(chance)
    return keys


def test_a_tree_draws_the_supplies_that_the_game_tells_as_likely_as_it_tells_them():
    """In the round at hand and in the one after it, cards with their cubes."""
    pile = [
        "ship_15",
        "st_michaelis",
        "fireman_9",
        "counting_office_3",
        "counting_office_4",
        "boatsmen_church",
        "fire_4",
    ]
    stock = " ".join(["tea"] * 4 + ["rubber"] * 7 + ["carpet", "coffee", "saffron"] * 9)
    states = position(2, phase="loading", seats=[seat(aboard="tea tea tea")], pile=pile, stock=stock)
    game = Game.from_state(states[0])
    search = TreeSearch(8000, rollout="random")
    search.search(game)
    nodes = search._memory.nodes[0, : int(search._memory.used[0, 0])]
    ends = [ACTION_TEXTS.index(action) for action in game.legal() if game.ends_round(action)]
    candidates = np.flatnonzero((nodes["parent"] == ROOT) & np.isin(nodes["action"], ends))
    below = candidates[nodes["visits"][candidates].argmax()]
    expected = supplies_of(game, ACTION_TEXTS[nodes["action"][below]])
    brought = nodes[(nodes["parent"] == below) & (nodes["action"] == EMPTY)]
    total = brought["visits"].sum()
    assert total > 1000 and set(brought["key"].tolist()) <= set(expected)
    for node in brought:
        likely = expected[int(node["key"])] * total
        assert abs(node["visits"] - likely) < 5 * np.sqrt(likely) + 1
    chance = (nodes["action"] == EMPTY) & (nodes["parent"] > 0)
    later = nodes[chance & (nodes["parent"] != below)]
    assert len(np.unique(later["key"])) > 20
