"""Who plays the playouts: random, casual, or any player that is compiled."""

from __future__ import annotations

import random

import numpy as np
import pytest

from speicher_agents import make_player
from speicher_agents.search import FlatSearch, TreeSearch
from speicher_agents.search._jit import jit
from speicher_agents.search.playout_policy import casual_action
from speicher_env import ACTION_TEXTS, Game
from speicher_env.batch import Batch
from tests.support.agent_positions import stream_of
from tests.support.games import PLAYER_COUNTS, game_in
from tests.support.positions import card, legal, position, seat


@jit
def casual_at(states: np.ndarray, stream: np.ndarray) -> int:
    return casual_action(states[0], stream)


def casual(states: np.ndarray, seed: int = 1) -> str:
    return ACTION_TEXTS[casual_at(states, stream_of(seed))]


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_casual_play_is_legal(players):
    stream = np.arange(4)
    for seed in range(20):
        game, rng = Game(players, seed=seed), random.Random(seed)
        while not game.over:
            action = casual_at(game.states_view, stream)
            assert action in game.legal_ids()
            game.play(action if rng.random() < 0.5 else rng.choice(game.legal_ids()))  # random play goes to odd places


def test_casual_play_delivers_then_sells_then_ends():
    states = position(2, seats=[seat(cards=["contract_1", "tea_taster"], aboard="tea carpet")])
    assert casual(states) == "deliver carpet contract_1"
    states = position(2, seats=[seat(cards=["tea_taster"], aboard="tea carpet")])
    assert casual(states) == "sell tea"
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea carpet")])
    assert casual(states) == "end"


def test_casual_play_trades_what_it_cannot_keep():
    states = position(2, seats=[seat(aboard="tea carpet coffee")])
    chosen = {casual(states, seed) for seed in range(60)}
    assert chosen == {text for text in legal(states) if text.startswith("trade")}


def test_casual_play_buys_more_gladly_what_is_cheap_for_its_purse():
    def share(price: int, coins: int) -> float:
        states = position(2, phase="purchase", columns=[card("bank", queue=[0, 1, 0][:price])], pile=["fire_4"],
                          seats=[seat(coins=coins), seat()])  # fmt: skip
        stream = np.arange(4)
        return sum(ACTION_TEXTS[casual_at(states, stream)] == "buy" for _ in range(2000)) / 2000

    assert share(1, 8) == pytest.approx(0.9, abs=0.04)
    assert share(1, 3) == pytest.approx(0.8, abs=0.04)
    assert share(3, 3) == pytest.approx(0.4, abs=0.04)


def test_playouts_by_different_players_differ_and_keep_to_the_seed():
    game = game_in("purchase", 3, seed=1)
    reports = {}
    for rollout in ("random", "casual", "frugal", make_player("firechief")):
        first, again = (FlatSearch(60, rollout=rollout, seed=3).search(game).values for _ in range(2))
        np.testing.assert_array_equal(first, again)
        reports[str(rollout)] = first.tobytes()
    assert len(set(reports.values())) == 4


def test_searches_take_a_seat_in_a_batch_by_their_spec():
    batch = Batch(4, 3, seat="none", opponents=["mcts:20", "flat:20", "random"], autoreset="disabled")
    batch.reset(range(4))
    outcome = batch.rewards.copy()
    assert (batch.arrays.lanes["rank"][:, :3].min(axis=1) == 1).all()
    again = Batch(2, 3, seat="none", opponents=["mcts:20", "flat:20", "random"], autoreset="disabled")
    again.reset([2, 3])
    np.testing.assert_array_equal(again.rewards, outcome[2:])


def test_search_beats_random_play():
    deals = 6
    batch = Batch(2 * deals, 2, seat="none", opponents=["random"] * 2, autoreset="disabled")
    search = TreeSearch(100)
    batch.set_opponents([search, "random"], lanes=np.arange(0, 2 * deals, 2))
    batch.set_opponents(["random", search], lanes=np.arange(1, 2 * deals, 2))
    batch.reset(np.repeat(np.arange(deals), 2))
    own = batch.rewards[np.arange(2 * deals), np.tile([0, 1], deals)]
    assert own.sum() >= 2 * deals - 2
