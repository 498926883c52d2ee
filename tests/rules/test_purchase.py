"""Purchase: card by card from the left, the lowest worker first, at a price that falls with every refusal."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.positions import (
    bag,
    card,
    coins,
    cubes,
    goods,
    legal,
    missing,
    offer,
    per_seat,
    phase,
    play,
    player,
    position,
    queue,
    seat,
    stock,
    table,
    where,
)

pytestmark = pytest.mark.nojit

MICHAELIS = "st_michaelis"


def test_cards_are_offered_from_the_left() -> None:
    states = position(
        3,
        phase="purchase",
        columns=[
            card("fireman_9", queue=[1]),
            card("fireman_10", queue=[0]),
            "counting_office_3",
            card(MICHAELIS, queue=[2]),
        ],
        first_player=2,
    )
    assert offer(states) == (1, "fireman_9", 1)
    assert offer(play(states, "buy")) == (0, "fireman_10", 1)
    assert offer(play(states, "buy")) == (2, MICHAELIS, 1)


def test_the_lowest_worker_is_asked_first_at_one_coin_per_worker() -> None:
    states = position(3, phase="purchase", columns=[card(MICHAELIS, queue=[2, 0, 1])])
    assert offer(states) == (2, MICHAELIS, 3)
    assert legal(states) == ["buy", "pass"]


def test_the_price_falls_by_1_with_every_refusal_and_the_next_worker_is_asked() -> None:
    states = position(3, phase="purchase", columns=[card(MICHAELIS, queue=[2, 0, 1, 0])])
    assert offer(states) == (2, MICHAELIS, 4)
    assert offer(play(states, "pass")) == (0, MICHAELIS, 3)
    assert offer(play(states, "pass")) == (1, MICHAELIS, 2)
    assert offer(play(states, "pass")) == (0, MICHAELIS, 1)


def test_a_refused_worker_goes_back_to_its_owner() -> None:
    states = position(3, phase="purchase", columns=[card(MICHAELIS, queue=[2, 0, 1])])
    assert per_seat(states, "workers") == [2, 2, 2]
    play(states, "pass")
    assert per_seat(states, "workers") == [2, 2, 3]
    assert queue(states, 0) == [0, 1]


def test_ones_own_workers_above_raise_the_price_and_are_asked_in_turn() -> None:
    states = position(2, phase="purchase", columns=[card(MICHAELIS, queue=[0, 0, 0])])
    assert offer(states) == (0, MICHAELIS, 3)
    assert offer(play(states, "pass")) == (0, MICHAELIS, 2)
    assert offer(play(states, "pass")) == (0, MICHAELIS, 1)


@pytest.mark.parametrize(("passes", "buyer", "price"), [(0, 1, 3), (1, 0, 2), (2, 1, 1)])
def test_the_buyer_pays_the_price_and_owns_the_card(passes: int, buyer: int, price: int) -> None:
    # The second card keeps the game in purchase.
    columns = [card(MICHAELIS, queue=[1, 0, 1]), card("fireman_9", queue=[0])]
    states = position(2, phase="purchase", columns=columns)
    play(states, *(["pass"] * passes), "buy")
    expected = [5, 5]
    expected[buyer] -= price
    assert coins(states) == expected
    assert where(states, MICHAELIS) == buyer
    assert per_seat(states, "bought") == [int(buyer == 0), int(buyer == 1)]


def test_all_workers_leave_after_a_purchase() -> None:
    columns = [card(MICHAELIS, queue=[1, 0, 1, 0]), card("fireman_9", queue=[0])]
    states = play(position(2, phase="purchase", columns=columns), "buy")
    assert queue(states, 0) == []
    assert per_seat(states, "workers") == [2, 3]
    assert table(states) == [None, "fireman_9", None]
    assert offer(states) == (0, "fireman_9", 1)


def test_an_owner_who_cannot_pay_is_passed_over_and_the_price_falls() -> None:
    states = position(
        3,
        phase="purchase",
        columns=[card(MICHAELIS, queue=[0, 1, 2])],
        seats=[seat(coins=2), seat(coins=5), seat(coins=5)],
    )
    assert offer(states) == (1, MICHAELIS, 2)
    assert per_seat(states, "workers") == [3, 2, 2]
    assert coins(states) == [2, 5, 5]


def test_a_passed_over_owner_is_asked_again_at_a_later_worker() -> None:
    states = position(
        2, phase="purchase", columns=[card(MICHAELIS, queue=[0, 1, 0])], seats=[seat(coins=1), seat(coins=1)]
    )
    assert offer(states) == (0, MICHAELIS, 1)


def test_exactly_enough_coins_are_enough() -> None:
    columns = [card(MICHAELIS, queue=[0, 1, 1])]
    states = position(2, phase="purchase", columns=columns, seats=[seat(coins=3), seat(aboard="tea tea")])
    assert offer(states) == (0, MICHAELIS, 3)
    play(states, "buy")
    assert phase(states) == "loading"  # seat 1 has cubes to load, so there was no income yet
    assert coins(states) == [0, 5]


def test_coins_spent_on_one_card_are_missing_for_the_next() -> None:
    columns = [card("fireman_9", queue=[0, 1]), card(MICHAELIS, queue=[0, 1])]
    bought = play(position(2, phase="purchase", columns=columns, seats=[seat(coins=3)]), "buy")
    assert offer(bought) == (1, MICHAELIS, 1)
    refused = play(position(2, phase="purchase", columns=columns, seats=[seat(coins=3)]), "pass", "pass")
    assert offer(refused) == (0, MICHAELIS, 2)


def test_a_card_that_everybody_refuses_is_discarded() -> None:
    columns = [card(MICHAELIS, queue=[1, 0]), card("fireman_9", queue=[0])]
    states = play(position(2, phase="purchase", columns=columns), "pass", "pass")
    assert where(states, MICHAELIS) == "discarded"
    assert table(states) == [None, "fireman_9", None]
    assert coins(states) == [5, 5]


def test_a_card_without_workers_is_discarded_without_asking() -> None:
    states = position(2, phase="purchase", columns=[MICHAELIS, card("fireman_9", queue=[0])])
    assert where(states, MICHAELIS) == "discarded"
    assert offer(states) == (0, "fireman_9", 1)


def test_a_card_that_nobody_can_pay_is_discarded_without_asking() -> None:
    states = position(
        2,
        phase="purchase",
        columns=[card(MICHAELIS, queue=[0, 0]), card("fireman_9", queue=[1])],
        seats=[seat(coins=0)],
    )
    assert where(states, MICHAELIS) == "discarded"
    assert offer(states) == (1, "fireman_9", 1)
    assert per_seat(states, "workers") == [3, 2]


def test_cubes_on_a_discarded_ship_go_to_the_stock() -> None:
    columns = [card("ship_11", "tea tea carpet", queue=[0]), card("fireman_9", queue=[0])]
    states = play(position(2, phase="purchase", columns=columns, stock="coffee"), "pass")
    assert stock(states) == "coffee tea tea carpet"
    assert where(states, "ship_11") == "discarded"


def test_cubes_on_a_ship_without_workers_go_to_the_stock() -> None:
    columns = [card("ship_11", "rubber saffron rubber"), card("fireman_9", queue=[0])]
    states = position(2, phase="purchase", columns=columns)
    assert stock(states) == "saffron rubber rubber"
    assert len(bag(states)) == 42


def test_a_ship_is_not_unloaded_when_it_is_bought() -> None:
    columns = [card("ship_11", "tea tea carpet", queue=[0]), card("fireman_9", queue=[1])]
    states = play(position(2, phase="purchase", columns=columns), "buy")
    assert cubes(states, 0) == ""
    assert goods(states["aboard"][0, 0]) == "tea tea carpet"
    assert stock(states) == ""
    assert where(states, "ship_11") == 0
    assert phase(states) == "purchase"


def test_loading_begins_when_every_card_is_sold_or_discarded() -> None:
    columns = [card("ship_11", "tea tea carpet", queue=[0]), card("fireman_9", queue=[1]), MICHAELIS]
    states = play(position(2, phase="purchase", columns=columns), "buy", "pass")
    assert phase(states) == "loading"
    assert table(states) == [None, None, None]
    assert states["offer"][0] == -1
    assert per_seat(states, "workers") == [3, 3]
    assert cubes(states, 0) == "tea tea carpet"


def test_a_player_may_buy_several_cards_in_a_round() -> None:
    columns = [card("fireman_9", queue=[0]), card("fireman_10", queue=[0]), card(MICHAELIS, queue=[0])]
    states = play(position(2, phase="purchase", columns=columns), "buy", "buy")
    assert per_seat(states, "bought") == [2, 0]
    assert coins(states) == [3, 5]


# Cards work from the moment they are bought.


def bought_this_round(card_id: str, aboard: str) -> np.ndarray:
    """A game in which seat 0 has bought a ship with these cubes and then, for its last 1 coin, a card."""
    columns = [card(card_id, queue=[0])]
    states = position(2, phase="purchase", columns=columns, seats=[seat(coins=1, aboard=aboard, bought=1)])
    return play(states, "buy")


def test_a_warehouse_bought_this_round_keeps_this_rounds_cubes() -> None:
    states = bought_this_round("warehouse", "tea tea carpet")
    assert "end" in legal(states)
    assert not any(text.startswith("discard") for text in legal(states))
    assert cubes(play(states, "end"), 0) == "tea tea carpet"


@pytest.mark.parametrize(
    ("merchant", "good"),
    [
        ("coffee_roaster", "coffee"),
        ("tea_taster", "tea"),
        ("spice_trader", "saffron"),
        ("vulcanizer", "rubber"),
        ("carpet_trader", "carpet"),
    ],
)
def test_a_merchant_bought_this_round_buys_this_rounds_cubes(merchant: str, good: str) -> None:
    states = bought_this_round(merchant, f"{good} {good} {good}")
    assert f"sell {good}" in legal(states)
    assert coins(play(states, f"sell {good}")) == [1, 5]


def test_a_contract_bought_this_round_takes_this_rounds_cubes() -> None:
    states = bought_this_round("contract_5", "tea tea carpet")
    play(states, "deliver tea contract_5", "deliver carpet contract_5")
    assert missing(states, "contract_5") == "tea"


def test_a_bank_bought_this_round_pays_this_rounds_income() -> None:
    states = position(2, phase="purchase", columns=[card("bank", queue=[0])])
    play(states, "buy")
    assert phase(states) == "demand"
    assert coins(states) == [5 - 1 + 1 + 1, 5 + 1 + 1]


def test_a_fireman_bought_this_round_counts_at_the_next_fire() -> None:
    states = position(
        2,
        phase="purchase",
        columns=[card("fireman_9", queue=[0])],
        top=["fire_3"],
    )
    play(states, "buy")
    assert per_seat(states, "firemen") == [4, 0]
    assert per_seat(states, "fire_points") == [4, -4]


@pytest.mark.parametrize(
    ("card_id", "field", "value"),
    [("fireman_9", "firemen", 4), ("counting_office_3", "offices", 1), ("ship_11", "ships", 1)],
)
def test_sums_follow_a_purchase(card_id: str, field: str, value: int) -> None:
    columns = [card(card_id, queue=[1]), card(MICHAELIS, queue=[0])]
    states = play(position(2, phase="purchase", columns=columns), "buy")
    assert per_seat(states, field) == [0, value]


def test_the_seat_asked_is_the_worker_s_owner_whoever_is_first_player() -> None:
    states = position(4, phase="purchase", columns=[card(MICHAELIS, queue=[3, 1])], first_player=2)
    assert player(states) == 3
    assert player(play(states, "pass")) == 1
