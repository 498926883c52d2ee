"""Loading: unload the ships, serve contracts and merchants, use the market hall, keep what fits."""

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
    per_seat,
    phase,
    play,
    player,
    position,
    refuses,
    seat,
    stock,
    where,
)

pytestmark = pytest.mark.nojit


def of_verb(states: np.ndarray, verb: str) -> list[str]:
    """The legal actions of one kind."""
    return [text for text in legal(states) if text.split()[0] == verb]


# Order


def test_from_the_first_player_clockwise_each_until_its_end() -> None:
    states = position(4, first_player=2, seats=4 * [seat(aboard="tea coffee")])
    order = []
    for _ in range(4):
        assert phase(states) == "loading"
        order.append(player(states))
        play(states, "discard tea")  # the coffee left leaves no choice
    assert order == [2, 3, 0, 1]
    assert phase(states) == "demand"


def test_a_player_goes_on_until_end() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea coffee carpet"), seat(aboard="tea rubber")])
    assert player(play(states, "trade tea carpet")) == 0
    assert player(play(states, "end")) == 1


def test_ships_are_unloaded_when_the_turn_to_load_comes() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea rubber"), seat(aboard="coffee saffron carpet")])
    assert cubes(states, 0) == "tea rubber"
    assert goods(states["aboard"][0, 0]) == ""
    assert cubes(states, 1) == ""
    assert goods(states["aboard"][0, 1]) == "coffee saffron carpet"
    play(states, "end")
    assert cubes(states, 1) == "coffee saffron carpet"
    assert goods(states["aboard"][0, 1]) == ""


def test_cubes_of_ship_warehouse_and_hall_are_one_pool() -> None:
    states = position(
        2, seats=[seat(cards=["warehouse"], cubes="tea tea coffee carpet saffron", aboard="tea rubber rubber")]
    )
    assert cubes(states, 0) == "coffee tea tea tea saffron rubber rubber carpet"


def test_two_ships_bought_in_one_round_are_both_unloaded() -> None:
    columns = [card("ship_11", "tea tea rubber", queue=[0]), card("ship_12", "tea carpet carpet", queue=[0])]
    states = play(position(2, phase="purchase", columns=columns), "buy", "buy")
    assert cubes(states, 0) == "tea tea tea rubber carpet carpet"


def test_a_ship_is_unloaded_once() -> None:
    states = position(2, seats=[seat(cards=["ship_1", "warehouse"], cubes="tea tea")])
    assert cubes(states, 0) == "tea tea"


def test_a_ship_stays_with_its_owner() -> None:
    states = play(position(2, phase="purchase", columns=[card("ship_11", "tea tea rubber", queue=[0])]), "buy")
    play(states, "trade tea tea")
    assert phase(states) == "demand"
    assert where(states, "ship_11") == 0
    assert per_seat(states, "ships") == [1, 0]


# Deliver


def test_a_cube_goes_to_an_owned_contract_that_needs_it() -> None:
    states = position(2, seats=[seat(cards=["contract_5", "warehouse"], aboard="tea coffee carpet")])
    assert of_verb(states, "deliver") == ["deliver tea contract_5", "deliver carpet contract_5"]
    play(states, "deliver tea contract_5")
    assert missing(states, "contract_5") == "tea carpet"
    assert cubes(states, 0) == "coffee carpet"
    assert stock(states) == ""


def test_a_delivered_cube_is_never_taken_back() -> None:
    states = position(
        2, seats=[seat(cards=["contract_5"], filled={"contract_5": "tea carpet"}, aboard="coffee rubber")]
    )
    assert cubes(states, 0) == "coffee rubber"
    assert not any("tea" in text or "carpet" in text for text in legal(states))


def test_a_contract_takes_no_more_of_a_good_than_it_needs() -> None:
    states = position(2, seats=[seat(cards=["contract_1", "warehouse"], aboard="coffee coffee")])
    play(states, "deliver coffee contract_1")
    assert refuses(states, "deliver coffee contract_1")


def test_a_contract_may_need_a_good_twice() -> None:
    states = position(2, seats=[seat(cards=["contract_5", "warehouse"], aboard="tea tea tea")])
    play(states, "deliver tea contract_5", "deliver tea contract_5")
    assert missing(states, "contract_5") == "carpet"
    assert cubes(states, 0) == "tea"
    assert phase(states) == "demand"


def test_nobody_delivers_to_another_players_contract() -> None:
    states = position(2, seats=[seat(aboard="coffee carpet"), seat(cards=["contract_1"])])
    assert of_verb(states, "deliver") == []
    assert refuses(states, "deliver coffee contract_1")


def test_nobody_delivers_to_a_contract_nobody_owns() -> None:
    states = position(2, seats=[seat(aboard="saffron rubber")], top=["contract_7"])
    assert where(states, "contract_7") == "pile"
    assert of_verb(states, "deliver") == []
    states = position(2, seats=[seat(aboard="saffron rubber")])  # discarded
    assert where(states, "contract_7") == "discarded"
    assert of_verb(states, "deliver") == []


def test_one_cube_can_go_to_either_of_two_contracts() -> None:
    states = position(2, seats=[seat(cards=["contract_1", "contract_4"], aboard="carpet")])
    assert legal(states) == ["deliver carpet contract_1", "deliver carpet contract_4", "end"]


@pytest.mark.parametrize(
    ("contract", "wanted", "points"),
    [
        ("contract_1", "coffee carpet", 5),
        ("contract_3", "coffee rubber rubber", 8),
        ("contract_6", "coffee tea rubber carpet", 11),
    ],
)
def test_a_contract_counts_once_its_last_cube_lies_on_it(contract: str, wanted: str, points: int) -> None:
    # A second cube of the last good keeps the player loading.
    last = wanted.split()[-1]
    states = position(2, seats=[seat(cards=[contract, "warehouse"], aboard=f"{wanted} {last}")])
    for good in wanted.split()[:-1]:
        play(states, f"deliver {good} {contract}")
        assert per_seat(states, "contract_points") == [0, 0]
    play(states, f"deliver {last} {contract}")
    assert per_seat(states, "contract_points") == [points, 0]
    assert missing(states, contract) == ""


# The rulebook's example: a large contract of rubber, tea, coffee and carpet, and a small one that includes carpet.


def test_the_large_contract_of_rubber_tea_coffee_and_carpet() -> None:
    states = position(
        2, seats=[seat(cards=["contract_6", "warehouse"], aboard="rubber tea coffee", cubes="carpet saffron")]
    )
    assert missing(states, "contract_6") == "coffee tea rubber carpet"
    assert of_verb(states, "deliver") == [
        "deliver coffee contract_6",
        "deliver tea contract_6",
        "deliver rubber contract_6",
        "deliver carpet contract_6",
    ]
    play(states, "deliver rubber contract_6", "deliver tea contract_6", "deliver coffee contract_6")
    assert missing(states, "contract_6") == "carpet"
    play(states, "deliver carpet contract_6")
    assert per_seat(states, "contract_points") == [11, 0]


def test_carpet_may_go_to_the_small_contract_or_to_the_large_one() -> None:
    states = position(2, seats=[seat(cards=["contract_4", "contract_6", "warehouse"], aboard="carpet rubber tea")])
    assert "deliver carpet contract_4" in legal(states)
    assert "deliver carpet contract_6" in legal(states)
    play(states, "deliver carpet contract_4")
    assert missing(states, "contract_4") == "saffron"
    assert missing(states, "contract_6") == "coffee tea rubber carpet"
    assert refuses(states, "deliver carpet contract_6")


# Merchants

MERCHANTS = [
    ("coffee_roaster", "coffee"),
    ("tea_taster", "tea"),
    ("spice_trader", "saffron"),
    ("vulcanizer", "rubber"),
    ("carpet_trader", "carpet"),
]


@pytest.mark.parametrize(("merchant", "good"), MERCHANTS)
def test_a_merchant_buys_its_good_at_1_coin_a_cube(merchant: str, good: str) -> None:
    everything = "coffee tea saffron rubber carpet"
    states = position(2, seats=[seat(cards=[merchant, "warehouse"], aboard=f"{everything} {good}")])
    assert of_verb(states, "sell") == [f"sell {good}"]
    play(states, f"sell {good}")
    assert coins(states) == [6, 5]
    assert stock(states) == good
    assert cubes(states, 0) == everything
    play(states, f"sell {good}")
    assert coins(states) == [7, 5]
    assert of_verb(states, "sell") == []


@pytest.mark.parametrize(("merchant", "good"), MERCHANTS)
def test_a_merchant_buys_from_its_owner_alone(merchant: str, good: str) -> None:
    states = position(2, seats=[seat(aboard=f"{good} {good} {good}"), seat(cards=[merchant])])
    assert of_verb(states, "sell") == []
    assert refuses(states, f"sell {good}")


def test_one_cube_can_be_sold_to_a_merchant_where_the_hall_wants_two() -> None:
    states = position(2, seats=[seat(cards=["tea_taster"], cubes="tea")])
    assert legal(states) == ["sell tea", "end"]
    play(states, "sell tea")
    assert phase(states) == "demand"


# Market hall: sell


def test_the_market_hall_buys_any_2_cubes_for_1_coin() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="coffee coffee tea carpet")])
    assert of_verb(states, "trade") == [
        "trade coffee coffee",
        "trade coffee tea",
        "trade coffee carpet",
        "trade tea carpet",
    ]
    play(states, "trade coffee carpet")
    assert coins(states) == [6, 5]
    assert cubes(states, 0) == "coffee tea"
    assert stock(states) == "coffee carpet"


def test_the_market_hall_buys_no_single_cube() -> None:
    states = position(2, seats=[seat(cards=["contract_1"], aboard="coffee")])
    assert legal(states) == ["deliver coffee contract_1", "end"]


def test_the_market_hall_can_be_used_any_number_of_times() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], cubes="tea tea tea tea", aboard="carpet carpet")])
    play(states, "trade tea carpet", "trade tea carpet", "trade tea tea")
    assert coins(states)[0] == 5 + 3 + 2  # and the income of a player who bought nothing
    assert phase(states) == "demand"


# Market hall: convert


def test_any_3_cubes_become_1_cube_of_another_good_that_the_stock_holds() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="coffee tea tea")], stock="rubber rubber carpet")
    assert of_verb(states, "convert") == ["convert coffee tea tea to rubber", "convert coffee tea tea to carpet"]
    play(states, "convert coffee tea tea to rubber")
    assert stock(states) == "coffee tea tea rubber carpet"
    assert cubes(states, 0) == "rubber"
    assert coins(states) == [7, 7]  # nothing for the cubes, 2 coins of income
    assert phase(states) == "demand"


def test_convert_takes_none_of_the_goods_given() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="coffee tea tea")], stock="coffee tea")
    assert of_verb(states, "convert") == []


def test_convert_takes_nothing_that_the_stock_lacks() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="coffee coffee tea tea")])
    assert of_verb(states, "convert") == []
    play(states, "trade coffee tea")  # now coffee and tea lie in the stock, of which nothing is another good
    assert of_verb(states, "convert") == []


def test_cubes_given_do_not_serve_the_same_conversion_but_the_next() -> None:
    states = position(
        2, seats=[seat(cards=["warehouse"], cubes="coffee coffee coffee tea", aboard="tea tea")], stock="rubber"
    )
    assert "convert coffee coffee coffee to tea" not in legal(states)
    assert refuses(states, "convert coffee coffee coffee to tea")
    play(states, "convert coffee coffee coffee to rubber")
    assert "convert tea tea tea to coffee" in legal(states)
    play(states, "convert tea tea tea to coffee")
    assert cubes(states, 0) == "coffee rubber"
    assert stock(states) == "coffee coffee tea tea tea"


@pytest.mark.parametrize(
    ("pool", "given"),
    [
        ("coffee coffee coffee", ["coffee coffee coffee"]),
        ("coffee coffee tea", ["coffee coffee tea"]),
        ("coffee tea saffron", ["coffee tea saffron"]),
        ("coffee coffee tea tea", ["coffee coffee tea", "coffee tea tea"]),
        ("coffee coffee coffee coffee", ["coffee coffee coffee"]),
    ],
)
def test_convert_gives_what_the_pool_holds(pool: str, given: list[str]) -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard=pool)], stock="carpet")
    assert of_verb(states, "convert") == [f"convert {three} to carpet" for three in given]


def test_a_converted_cube_is_used_like_any_other() -> None:
    states = position(
        2, seats=[seat(cards=["contract_1"], filled={"contract_1": "coffee"}, aboard="tea tea tea")], stock="carpet"
    )
    play(states, "convert tea tea tea to carpet")
    assert legal(states) == ["deliver carpet contract_1", "end"]
    play(states, "deliver carpet contract_1")
    assert per_seat(states, "contract_points") == [5, 0]


# Keeping


@pytest.mark.parametrize(
    ("owned", "number", "fits"),
    [([], 1, True), ([], 2, False), (["warehouse"], 5, True), (["warehouse"], 6, False)],
)
def test_1_cube_is_kept_without_the_warehouse_and_5_with_it(owned: list[str], number: int, fits: bool) -> None:
    # With the tea taster even a single cube leaves a choice.
    states = position(2, seats=[seat(cards=[*owned, "tea_taster"], aboard=" ".join(number * ["tea"]))])
    assert ("end" in legal(states)) == fits
    assert (of_verb(states, "discard") == []) == fits


def test_discard_offers_every_good_held_and_no_other() -> None:
    states = position(2, seats=[seat(aboard="tea tea carpet")])
    assert of_verb(states, "discard") == ["discard tea", "discard carpet"]
    assert refuses(states, "discard coffee")


def test_a_discarded_cube_goes_to_the_stock_for_nothing() -> None:
    states = position(2, seats=[seat(aboard="tea tea carpet")], stock="coffee")
    play(states, "discard tea")
    assert stock(states) == "coffee tea"
    assert cubes(states, 0) == "tea carpet"
    assert coins(states) == [5, 5]


def test_a_cube_kept_before_may_go_for_one_from_the_ship() -> None:
    states = position(2, seats=[seat(cubes="carpet", aboard="tea")])
    play(states, "discard carpet")
    assert cubes(states, 0) == "tea"
    assert stock(states) == "carpet"


def test_nothing_is_discarded_that_fits() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea carpet")])
    assert refuses(states, "discard tea")


def test_end_ends_the_loading_only_when_all_fits() -> None:
    states = position(2, seats=[seat(aboard="tea tea carpet")])
    assert refuses(states, "end")
    play(states, "discard tea")
    assert refuses(states, "end")


def test_the_warehouse_keeps_for_its_owner_alone() -> None:
    states = position(2, seats=[seat(aboard="tea carpet"), seat(cards=["warehouse"])])
    assert "end" not in legal(states)


def test_kept_cubes_are_there_in_the_next_round() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea carpet")])
    play(states, "end")
    assert phase(states) == "demand"
    assert cubes(states, 0) == "tea tea carpet"


# The other rules


def test_players_do_not_trade() -> None:
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea carpet"), seat(cubes="saffron")])
    assert not any("saffron" in text for text in legal(states))
    play(states, "trade tea tea")
    assert cubes(states, 1) == "saffron"


@pytest.mark.parametrize("action", ["sell tea", "trade tea tea", "convert tea tea tea to rubber", "discard tea"])
def test_cubes_never_go_back_to_the_bag(action: str) -> None:
    states = position(2, seats=[seat(cards=["tea_taster"], aboard="tea tea tea carpet carpet")], stock="rubber")
    before = bag(states)
    play(states, action)
    assert phase(states) == "loading"
    assert bag(states) == before


def test_actions_come_in_any_order_until_end() -> None:
    states = position(
        2,
        seats=[
            seat(
                cards=["warehouse", "tea_taster", "contract_1"],
                cubes="tea tea coffee carpet",
                aboard="tea rubber rubber",
            )
        ],
        stock="saffron",
    )
    play(states, "sell tea", "convert tea rubber rubber to saffron", "deliver carpet contract_1", "trade tea saffron")
    assert legal(states) == ["deliver coffee contract_1", "end"]
    assert coins(states) == [7, 5]
    play(states, "end")
    assert cubes(states, 0) == "coffee"


def test_every_kind_of_action_can_be_legal_at_once() -> None:
    states = position(2, seats=[seat(cards=["contract_1", "tea_taster"], aboard="coffee tea tea")], stock="saffron")
    assert legal(states) == [
        "deliver coffee contract_1",
        "sell tea",
        "convert coffee tea tea to saffron",
        "trade coffee tea",
        "trade tea tea",
        "discard coffee",
        "discard tea",
    ]
