"""A baseline plays what its network says: legal, repeatable, each row by itself, in any size of observation."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_agents.baselines import Baseline
from speicher_agents.baselines.sampling import draw_rows, uniform_rows
from speicher_agents.search import GuidedSearch
from speicher_env import ArgumentError
from speicher_env.observation import blocks, observe, places
from speicher_env.rules.state import SAMPLED_DECK
from speicher_env.views import Views
from tests.support.small_networks import card, network, views, write


def baseline(players: int = 2, **changes: float) -> Baseline:
    own = network(players)
    return Baseline((card(own, [players]), own), **changes)


def some(shown: Views, rows: np.ndarray) -> Views:
    return Views(shown.observations[rows], shown.masks[rows], shown.states[rows], shown.seats[rows])


@pytest.mark.parametrize("players", [2, 3, 5])
def test_probabilities_are_those_of_the_legal_actions(players: int):
    shown = views(players)
    chances = baseline(players).policy(shown)
    assert chances.shape == (40, 184)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, atol=1e-5)
    assert (chances[shown.masks == 0] == 0).all()
    assert (chances[shown.masks == 1] > 0).all()


def test_without_a_temperature_the_likeliest_action_is_played():
    player, shown = baseline(), views()
    assert np.array_equal(player.act(shown), player.policy(shown).argmax(axis=1))


def test_with_a_temperature_actions_come_as_often_as_they_are_likely():
    player, shown = baseline(temperature=1.0), some(views(), np.zeros(1, dtype=int))
    drawn = np.zeros(184)
    for seed in range(2000):
        player.reset(seed)
        drawn[player.act(shown)[0]] += 1 / 2000
    np.testing.assert_allclose(drawn, player.policy(shown)[0], atol=0.05)


def test_what_is_drawn_depends_on_position_and_seed_alone():
    player, shown = baseline(temperature=1.0, seed=5), views()
    actions = player.act(shown)
    order = np.random.default_rng(0).permutation(40)
    assert np.array_equal(player.act(some(shown, order)), actions[order])
    player.reset(6)
    assert not np.array_equal(player.act(shown), actions)
    player.reset(5)
    assert np.array_equal(player.act(shown), actions)


def test_an_action_of_probability_0_is_never_drawn():
    chances = np.array([[0.0, 0.5, 0.0, 0.5, 0.0]], dtype=np.float32)
    drawn = [int(draw_rows(chances, np.array([uniform]))[0]) for uniform in (0.0, 0.49, 0.5, 1 - 2**-32)]
    assert drawn == [1, 1, 3, 3]


def test_numbers_of_positions_are_spread_evenly():
    numbers = np.concatenate([uniform_rows(views().states, seed) for seed in range(50)])
    assert abs(numbers.mean() - 0.5) < 0.03 and abs(numbers.std() - 12**-0.5) < 0.02


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("players", [2, 3, 5])
def test_another_seat_sees_the_seats_turned(players: int, padded: bool):
    """And the figures of that seat."""
    seats = 5 if padded else players
    own = network(seats, figures=True)
    player = Baseline((card(own, [players], padded=padded), own))
    shown = views(players, padded=padded)
    block, decides = blocks(seats)["seat"], places("decides", seats)
    by_others = np.split(player._seen_by_others(shown, players), players - 1)
    for step, rows in enumerate(by_others, start=1):
        turned = shown.observations.copy()
        tokens = turned[:, block.start : block.stop].reshape(len(turned), block.items, block.width)
        tokens[:, :players] = np.roll(tokens[:, :players], -step, axis=1)
        turned[:, decides] = 0.0
        turned[:, decides[0]] = 1.0
        assert np.array_equal(rows[:, : block.stop], turned)
        viewers = (shown.seats + step) % players
        whole = observe(shown.states, viewers, seats, figures=True)
        assert np.array_equal(rows[:, block.stop :], whole[:, block.stop :])


@pytest.mark.parametrize("players", [2, 4])
def test_values_of_seats_sum_to_0_and_have_the_deciding_seat_right(players: int):
    player, shown = baseline(players), views(players)
    values, own = player.seat_values(shown), player.value(shown)
    assert values.shape == (40, players)
    assert np.array_equal(values[np.arange(40), shown.seats], own)
    inside = (np.abs(values) < 1).all(axis=1)
    assert inside.sum() > 20
    np.testing.assert_allclose(values[inside].sum(axis=1), 0.0, atol=1e-5)


def test_one_padded_network_plays_every_number_of_players_from_either_size():
    own = network(5)
    player = Baseline((card(own, [2, 3, 4, 5]), own))
    for players in (2, 3, 4, 5):
        small, large = views(players), views(players, padded=True)
        assert np.array_equal(player.policy(small), player.policy(large))
        assert small.masks[np.arange(40), player.act(small)].all()


def test_a_network_for_one_number_of_players_reads_padded_views_too():
    player = baseline(3)
    assert np.array_equal(player.policy(views(3, padded=True)), player.policy(views(3)))


def test_a_baseline_of_another_edition_says_so_once_and_only_on_the_standard_deck():
    own, shown = network(2), views()
    sampled = Views(shown.observations, shown.masks, shown.states.copy(), shown.seats)
    sampled.states["deck"] = SAMPLED_DECK
    old = Baseline((card(own, [2], name="old", edition="b7526c14"), own))
    old.act(sampled)
    with pytest.warns(UserWarning, match="baseline:old was trained on edition b7526c14 of the standard deck") as told:
        actions = old.act(shown)
        old.think(shown)
    assert len(told) == 1 and np.array_equal(actions, baseline().act(shown))


def test_a_baseline_trained_on_sampled_decks_too_says_nothing():
    own = network(2)
    for deck, edition in (("sampled", "sampled"), ("standard, sampled", "b7526c14, sampled")):
        Baseline((card(own, [2], name=deck, deck=deck, edition=edition), own)).act(views())


def test_it_thinks_what_it_plays():
    player, shown = baseline(3), views(3, rows=6)
    for thought, action, mask in zip(player.think(shown), player.act(shown), shown.masks, strict=True):
        assert thought is not None and thought.probabilities and thought.line and thought.values
        assert len(thought.probabilities) == mask.sum()
        assert thought.line == [max(thought.probabilities, key=thought.probabilities.__getitem__)]
        assert len(thought.values) == 3 and 0 <= action < 184


def test_a_guided_search_asks_a_baseline(tmp_path):
    path = write(tmp_path, network(3), card(network(3), [3]))
    agent = load_agent(f"guided:20,baseline={path}")
    shown = views(3, rows=4)
    assert isinstance(agent, GuidedSearch)
    assert shown.masks[np.arange(4), agent.act(shown)].all()


def test_none_named_and_none_packaged_is_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("speicher_agents.baselines.player.packaged", list)
    with pytest.raises(ArgumentError, match="no network is packaged"):
        load_agent("baseline")
