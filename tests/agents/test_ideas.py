"""Each player's idea, shown in positions laid out by hand."""

from __future__ import annotations

import pytest

from tests.support.agent_positions import choice
from tests.support.positions import card, offer, player, position, seat

pytestmark = pytest.mark.nojit

EARLY = {"season": "B"}
"""In spring: many rounds and all four fires are to come."""
SUMMER = {"season": "C"}
"""Fires are to come in summer, in autumn and at the end."""
LATE = {"pile": ["fire_4"]}
"""The last round."""


def offered(card_id: str, workers: list[int], coins: tuple[int, ...] = (9, 9), **rest):
    """Two seats, of which seat 0 is asked first for a card at a price of so many workers."""
    seats = [seat(coins=amount) for amount in coins]
    states = position(phase="purchase", columns=[card(card_id, queue=workers)], seats=seats, **rest)
    assert offer(states) == (0, card_id, len(workers))
    return states


def demanded(columns: list, name: str, seats: list | None = None, **rest) -> str:
    """Where a player places its first worker in seat 0."""
    return choice(position(phase="demand", columns=columns, seats=seats or [], **rest), name)


# frugal


def test_frugal_pays_one_coin_and_no_second_one():
    assert choice(offered("warehouse", [0], **EARLY), "frugal") == "buy"
    assert choice(offered("warehouse", [0, 1], **EARLY), "frugal") == "pass"


def test_frugal_spends_in_the_last_round():
    assert choice(offered("st_michaelis", [0, 1, 1], **LATE), "frugal") == "buy"


def test_frugal_stands_where_nobody_does():
    columns = [card("ship_1", queue=[1]), card("ship_2", queue=[1, 0]), card("coffee_roaster")]
    assert demanded(columns, "frugal", player=0, first_player=1, **EARLY) == "place 2"


# firechief


def test_firechief_goes_for_the_strongest_fireman():
    columns = ["warehouse", "fireman_1", "fireman_7"]
    assert demanded(columns, "firechief", **SUMMER) == "place 2"


def test_firechief_outbids_for_a_fireman_that_others_would_let_go():
    assert choice(offered("fireman_7", [0, 1, 1, 1], **SUMMER), "firechief") == "buy"
    assert choice(offered("fireman_7", [0, 1, 1, 1], **SUMMER), "frugal") == "pass"


def test_firechief_needs_no_more_firemen_when_its_lead_is_safe():
    seats = [seat(coins=9, cards=["fireman_5", "fireman_6"]), seat(coins=9)]
    states = position(phase="purchase", columns=[card("fireman_7", queue=[0, 1, 1, 1])], seats=seats, **SUMMER)
    assert choice(states, "firechief") == "pass"


# contractor


def test_contractor_goes_for_the_largest_contract():
    assert demanded(["contract_4", "contract_6", "fireman_5"], "contractor", **EARLY) == "place 1"


def test_contractor_buys_the_ship_that_carries_what_its_contract_needs():
    for cargo, answer in (("tea tea carpet", "buy"), ("rubber rubber rubber", "pass")):
        ship = card("ship_1", cargo, [0, 1, 1])
        seats = [seat(coins=9, cards=["contract_5"]), seat(coins=9)]
        states = position(phase="purchase", columns=[ship], seats=seats, **EARLY)
        assert choice(states, "contractor") == answer


def test_contractor_wants_no_more_contracts_than_it_can_fill():
    seats = [seat(coins=9, cards=["contract_4", "contract_5", "contract_6"]), seat(coins=9)]
    states = position(phase="purchase", columns=[card("contract_7", queue=[0])], seats=seats, season="C")
    assert choice(states, "contractor") == "pass"


# shipper


def test_shipper_goes_for_ships():
    assert demanded(["contract_4", "ship_1", "fireman_3"], "shipper", **EARLY) == "place 1"


def test_shipper_pays_more_for_goods_that_its_merchants_buy():
    for cargo, answer in (("coffee coffee coffee", "buy"), ("tea tea tea", "pass")):
        seats = [seat(coins=9, cards=["coffee_roaster"]), seat(coins=9)]
        ship = card("ship_1", cargo, [0, 1, 1])
        states = position(phase="purchase", columns=[ship], seats=seats, **EARLY)
        assert choice(states, "shipper") == answer


# spoiler


def test_spoiler_stands_behind_what_another_wants_most():
    columns = [card("coffee_roaster", queue=[1]), card("st_michaelis", queue=[1]), card("boatsmen_church", queue=[0])]
    assert demanded(columns, "spoiler", player=0, first_player=1, season="D") == "place 1"


def test_spoiler_leaves_alone_what_the_other_cannot_pay_any_more():
    columns = [card("warehouse", queue=[1]), "boatsmen_church", "st_michaelis"]
    for coins, answer in ((5, "place 0"), (1, "place 2")):
        seats = [seat(), seat(coins=coins)]
        assert demanded(columns, "spoiler", seats, player=0, first_player=1, season="D") == answer


# merchant


def test_merchant_values_a_fireman_by_what_he_changes():
    # In the last round only the 4th fire counts. With 3 coins it is the fireman of 5 or St Michaelis. He overtakes
    # seat 1; to a seat far ahead he is nothing.
    for own, answer in (["fireman_1"], "buy"), (["fireman_5", "fireman_6", "fireman_7"], "pass"):
        seats = [seat(coins=3, cards=own), seat(coins=0, cards=["fireman_4"])]
        columns = [card("fireman_10", queue=[0, 1, 1]), card("st_michaelis", queue=[0, 0])]
        states = position(phase="purchase", columns=columns, seats=[*seats], **LATE)
        assert choice(states, "merchant") == answer


def test_merchant_does_not_buy_a_contract_that_cannot_be_filled_any_more():
    seats = [seat(coins=5), seat(coins=5)]
    states = position(phase="purchase", columns=[card("contract_8", queue=[0])], seats=seats, **LATE)
    assert choice(states, "merchant") == "pass"


def test_merchant_buys_a_contract_that_it_can_fill_at_once():
    seats = [seat(coins=5, aboard="coffee rubber carpet", bought=1), seat(coins=5)]
    states = position(phase="purchase", columns=[card("contract_8", queue=[0, 1, 1])], seats=seats, **LATE)
    assert choice(states, "merchant") == "buy"


def test_merchant_spends_its_last_coins_but_not_its_first():
    assert choice(offered("st_michaelis", [0, 1, 1, 1], (5, 5), **LATE), "merchant") == "buy"
    assert choice(offered("warehouse", [0, 1, 1, 1], (5, 5), season="A"), "merchant") == "pass"


def test_merchant_waits_for_a_lower_price_when_it_is_asked_again():
    assert choice(offered("st_michaelis", [0, 0], **LATE), "merchant") == "pass"
    assert choice(offered("st_michaelis", [0, 1, 0], (5, 5), **LATE), "merchant") == "buy"
    assert choice(offered("st_michaelis", [0, 1, 0], (5, 0), **LATE), "merchant") == "pass"


def test_merchant_denies_what_is_worth_much_to_the_other():
    # Four offices score 14 and three score 9: the last one is worth 5 to seat 1, and 2 to seat 0, at a price of 3.
    office = card("counting_office_4", queue=[0, 1, 1])
    offices = ["counting_office_1", "counting_office_2", "counting_office_3"]
    rich, poor = (position(phase="purchase", columns=[office], seats=[seat(coins=3), seat(coins=coins, cards=offices)],
                           **LATE) for coins in (5, 0))  # fmt: skip
    assert choice(rich, "merchant") == "buy"
    assert choice(poor, "merchant") == "buy"


def test_merchant_completes_a_contract_by_conversion():
    # Rubber is lacking and lies in the stock; the three cubes it takes are worth less than 8 points.
    seats = [seat(cards=["contract_8"], aboard="tea tea saffron", filled={"contract_8": "coffee carpet"}, bought=1)]
    states = position(seats=seats, stock="rubber", season="D")
    assert player(states) == 0
    assert choice(states, "merchant") == "convert tea tea saffron to rubber"
