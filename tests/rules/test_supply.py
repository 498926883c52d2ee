"""Supply: n+1 trade cards, fires on the way, cubes on the ships."""

from __future__ import annotations

import pytest

from tests.support.positions import bag, cargo, phase, pile, player, position, seat, stock, table, where

pytestmark = pytest.mark.nojit

# A position in loading with nothing to load plays itself on to the next supply and stops in demand.

# Owned by somebody, so that nothing of spring but the fire is left in the pile.
SPRING_BUT_FIRE = [
    *(f"ship_{k}" for k in range(1, 6)),
    *(f"contract_{k}" for k in range(4, 7)),
    *(f"fireman_{k}" for k in range(3, 6)),
    "counting_office_2",
]
WINTER = ["fireman_1", "contract_1", "tea_taster", "vulcanizer", "warehouse", "contract_2"]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_one_card_more_than_players_is_laid_out_left_to_right(players: int) -> None:
    states = position(players, top=WINTER)
    assert phase(states) == "demand"
    assert table(states) == WINTER[: players + 1]
    assert all(where(states, card_id) == "table" for card_id in WINTER[: players + 1])
    assert all(where(states, card_id) == "pile" for card_id in WINTER[players + 1 :])


def test_supply_counts_the_rounds() -> None:
    assert position(2, top=WINTER)["round"][0] == 1
    assert position(2, pile=["fireman_9", "fireman_10", "st_michaelis", "fire_4"])["round"][0] == 16


def test_a_fire_is_carried_out_and_replaced_by_the_next_card() -> None:
    states = position(
        2,
        top=["contract_4", "fire_1", "fireman_3", "contract_5"],
        seats=[seat(cards=["fireman_1"]), seat()],
    )
    assert table(states) == ["contract_4", "fireman_3", "contract_5"]
    assert states["fire_points"][0].tolist()[:2] == [2, -2]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_fire_is_replaced_wherever_it_lies(place: int) -> None:
    cards = ["contract_4", "fireman_3", "contract_5"]
    states = position(2, top=[*cards[:place], "fire_1", *cards[place:], "fireman_4"])
    assert table(states) == cards
    # Below three trade cards the fire is not reached.
    assert where(states, "fire_1") == ("pile" if place == 3 else "discarded")


def test_a_fire_is_discarded() -> None:
    states = position(2, top=["fire_1", "contract_4", "fireman_3", "contract_5"])
    assert where(states, "fire_1") == "discarded"
    assert "fire_1" not in pile(states)


def test_two_fires_in_one_supply_are_both_carried_out() -> None:
    # The last card of spring and the first of summer.
    states = position(
        2,
        top=["fire_1", "fire_2", "contract_7", "contract_8", "contract_9"],
        seats=[seat(cards=["fireman_1", *SPRING_BUT_FIRE]), seat()],
    )
    assert table(states) == ["contract_7", "contract_8", "contract_9"]
    assert states["fire_points"][0].tolist()[:2] == [5, -5]


def test_each_ship_gets_3_cubes_from_the_bag_left_to_right() -> None:
    states = position(
        3,
        top=["ship_1", "contract_4", "ship_2", "fireman_3"],
        bag="coffee coffee tea saffron carpet rubber tea",
    )
    assert cargo(states, 0) == ["coffee", "coffee", "tea"]
    assert cargo(states, 1) == []
    assert cargo(states, 2) == ["saffron", "carpet", "rubber"]
    assert cargo(states, 3) == []
    assert bag(states)[0] == "tea"
    assert len(bag(states)) == 45 - 6


def test_ships_are_loaded_after_the_fire_was_replaced() -> None:
    states = position(
        2,
        top=["ship_1", "fire_1", "ship_2", "ship_3"],
        bag="coffee coffee coffee tea tea tea rubber rubber rubber",
    )
    assert table(states) == ["ship_1", "ship_2", "ship_3"]
    assert [cargo(states, column)[0] for column in range(3)] == ["coffee", "tea", "rubber"]


def test_cards_without_ships_leave_the_bag_alone() -> None:
    assert len(bag(position(5, top=WINTER))) == 45


def test_ships_are_loaded_from_the_bag_and_never_from_the_stock() -> None:
    states = position(2, top=["ship_11", "ship_12", "ship_13"], stock="tea tea tea tea")
    assert stock(states) == "tea tea tea tea"


def test_the_three_ships_of_a_supply_empty_the_bag_in_order() -> None:
    before = position(2, top=["contract_4", "contract_5", "contract_6"])
    states = position(2, top=["ship_1", "ship_2", "ship_3"])
    assert cargo(states, 0) + cargo(states, 1) + cargo(states, 2) == bag(before)[:9]
    assert bag(states) == bag(before)[9:]


def test_demand_follows_with_the_first_player() -> None:
    states = position(3, first_player=1, top=WINTER)
    assert phase(states) == "demand"
    assert player(states) == 2  # the marker moved to the left at income
