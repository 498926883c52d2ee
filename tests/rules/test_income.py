"""Income: coins for everyone, and the first player moves to the left."""

from __future__ import annotations

import pytest

from tests.support.positions import card, coins, per_seat, phase, play, position, seat

pytestmark = pytest.mark.nojit

# Nothing to load: the position plays itself through income and supply.


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_1_coin_each_and_1_more_for_who_bought_nothing(players: int) -> None:
    states = position(players, seats=[seat(coins=4, bought=1), seat(coins=0, bought=0)])
    assert phase(states) == "demand"
    assert coins(states) == [4 + 1, 0 + 2, *([5 + 2] * (players - 2))]


def test_several_cards_bought_pay_no_less_than_one() -> None:
    states = position(2, seats=[seat(bought=3), seat(bought=1)])
    assert coins(states) == [6, 6]


@pytest.mark.parametrize(("bought", "expected"), [(0, 8), (1, 7)])
def test_the_bank_pays_1_more(bought: int, expected: int) -> None:
    states = position(3, seats=[seat(bought=1), seat(bought=bought, cards=["bank"]), seat()])
    assert coins(states) == [6, expected, 7]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_bank_pays_any_seat(players: int) -> None:
    for owner in range(players):
        states = position(players, seats=[seat(cards=["bank"] if k == owner else []) for k in range(players)])
        assert coins(states) == [8 if k == owner else 7 for k in range(players)]


def test_a_bank_that_nobody_owns_pays_nobody() -> None:
    for pile in (["bank"], []):
        assert coins(position(2, top=pile)) == [7, 7]


def test_coins_have_no_limit() -> None:
    states = position(2, seats=[seat(coins=40), seat(coins=60)])
    assert coins(states) == [42, 62]


def test_what_was_bought_is_forgotten_for_the_next_round() -> None:
    states = position(2, seats=[seat(bought=2), seat()])
    assert per_seat(states, "bought") == [0, 0]


def test_a_refusal_is_no_purchase() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[0])])
    play(states, "pass")
    assert coins(states) == [7, 7]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_first_player_moves_to_the_left(players: int) -> None:
    for first in range(players):
        states = position(players, first_player=first)
        assert states["first_player"][0] == (first + 1) % players


def test_income_comes_after_the_last_player_has_loaded() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea"), seat(aboard="carpet tea")])
    play(states, "end")
    assert coins(states) == [5, 5]
    play(states, "discard tea")
    assert coins(states) == [7, 7]


def test_income_of_a_round_with_sales_comes_on_top() -> None:
    states = position(2, seats=[seat(cards=["tea_taster"], aboard="tea", bought=1), seat()])
    play(states, "sell tea")
    assert coins(states) == [7, 7]
