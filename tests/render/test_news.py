"""What is told of things that happen by themselves: only what did happen, and all of it."""

from __future__ import annotations

import random
import re

import pytest

from speicher_env import Game
from speicher_env.render.news import news
from speicher_env.render.words import move_in_words
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import card, play, position, seat

pytestmark = pytest.mark.nojit


def told(states, action: str, you: int | None = None) -> list[str]:
    """The news of one action."""
    before = states[0].copy()
    return news(before, play(states, action)[0], you)


def test_most_moves_bring_no_news():
    states = position(2, phase="demand", columns=["ship_11", "ship_12", "bank"])
    assert told(states, "place 0") == []


def test_cards_that_nobody_buys_are_told_with_where_their_cubes_go():
    columns = [card("ship_11", "tea tea carpet", queue=[0]), "st_michaelis", card("bank", queue=[1])]
    states = position(2, phase="purchase", columns=columns)
    assert told(states, "pass") == [
        "nobody buys the ship (tea tea carpet): it is discarded, and its cubes go to the stock",
        "nobody buys St. Michaelis: it is discarded",
    ]


def test_income_and_the_next_round_are_told():
    states = position(
        3,
        phase="purchase",
        columns=[card("ship_11", queue=[1])],
        seats=[seat(cards=["bank"], bought=1)],
        first_player=2,
    )
    assert told(states, "pass", you=1)[1:] == [
        "income: 2 coins for seat 1, 2 coins for seat 2 (you), 2 coins for seat 3",
        f"round {states['round'][0]} begins with seat 1",
    ]


def test_a_fire_is_told_with_who_gains_and_who_loses():
    states = position(
        3,
        phase="purchase",
        columns=[card("bank", queue=[0])],
        seats=[seat(cards=["fireman_6"]), seat(cards=["fireman_1"]), seat()],
        top=["fire_3"],
    )
    assert "a fire of value 4: seat 1 gains 4 points, seat 3 loses as many" in told(states, "buy")


def test_players_who_tie_at_a_fire_are_told_together():
    states = position(3, phase="purchase", columns=[card("bank", queue=[0])], seats=[seat(cards=["fireman_6"])],
                      top=["fire_3"])  # fmt: skip
    assert "a fire of value 4: seat 1 gains 4 points, seat 2 and seat 3 lose as many" in told(states, "buy")
    states = position(3, phase="purchase", columns=[card("bank", queue=[0])], top=["fire_3"])
    assert "a fire of value 4: all have equal firemen, nothing happens" in told(states, "buy")


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_moves_and_news_together_account_for_every_coin_and_fire_point(players):
    rng, game = random.Random(players), Game(players, deck="sampled", seed=players)
    coins, fires = game.coins, [0] * players
    fires_told = 0
    while not game.over:
        before, action = game.state, rng.choice(game.legal())
        game.play(action)
        deed = move_in_words(before, action)
        seat_of_deed = int(before["player"])
        paid = re.search(r"buys .* for (\d+) coin", deed)
        coins[seat_of_deed] -= int(paid[1]) if paid else 0
        coins[seat_of_deed] += deed.startswith(f"seat {seat_of_deed + 1} sells")
        for words in news(before, game.state):
            for amount, seat_number in re.findall(r"(\d+) coins? for seat (\d)", words):
                coins[int(seat_number) - 1] += int(amount)
            fire = re.match(
                r"(?:a fire|fires) of values? [\d and]+: (.*) gains? (\d+) points?, (.*) loses? as many", words
            )
            if re.match(r"a fire of|fires of", words):
                fires_told += len(re.findall(r"\d", words.partition(":")[0]))
            if fire:
                for who, sign in ((fire[1], 1), (fire[3], -1)):
                    for seat_number in re.findall(r"seat (\d)", who):
                        fires[int(seat_number) - 1] += sign * int(fire[2])
        assert coins == game.coins
        assert fires == game.state["fire_points"][:players].tolist()
    assert fires_told == 4
