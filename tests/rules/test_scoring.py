"""Scoring: every source of points, card by card."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env.rules.scoring import N_SOURCES, SOURCES, points_by_source, points_of
from tests.support.positions import JIT, deal_game, play_at_random, position, seat

pytestmark = pytest.mark.nojit

MERCHANTS = ["coffee_roaster", "tea_taster", "spice_trader", "vulcanizer", "carpet_trader"]


def by_source(states: np.ndarray, of_seat: int = 0) -> dict[str, int]:
    """A seat's points by source, sources without points left out; both ways to the sum must agree."""
    out = np.zeros(N_SOURCES, dtype=np.int64)
    total = points_by_source(states[0], of_seat, out)
    assert total == out.sum() == points_of(states[0], of_seat)
    return {source: int(points) for source, points in zip(SOURCES, out, strict=True) if points}


def scored(players: int = 4, **belongings: object) -> dict[str, int]:
    """The points of seat 0 with these belongings in a finished game; the other seats must have none."""
    states = position(players, phase="over", pile=["fire_4"], seats=[seat(**{"coins": 0, **belongings})])
    assert all(by_source(states, other) == {} for other in range(1, players))
    return by_source(states)


def test_nothing_scores_nothing() -> None:
    assert scored() == {}


@pytest.mark.parametrize("points", [9, 1, -1, -9])
def test_fire_points_count_as_they_are(points: int) -> None:
    assert scored(fire_points=points) == {"fire": points}


@pytest.mark.parametrize(
    ("contract", "wanted", "points"),
    [
        ("contract_1", "coffee carpet", 5),
        ("contract_2", "tea saffron", 5),
        ("contract_3", "rubber rubber coffee", 8),
        ("contract_4", "carpet saffron", 5),
        ("contract_5", "tea tea carpet", 8),
        ("contract_6", "rubber tea coffee carpet", 11),
        ("contract_7", "saffron saffron rubber", 8),
        ("contract_8", "coffee rubber carpet", 8),
        ("contract_9", "coffee coffee tea saffron", 11),
        ("contract_10", "carpet rubber saffron tea", 11),
    ],
)
def test_a_contract_scores_by_its_size_and_only_if_complete(contract: str, wanted: str, points: int) -> None:
    assert scored(cards=[contract], filled={contract: wanted}) == {"contracts": points}
    assert scored(cards=[contract], filled={contract: wanted.rpartition(" ")[0]}) == {}
    assert scored(cards=[contract]) == {}


def test_complete_contracts_add_up() -> None:
    filled = {"contract_1": "coffee carpet", "contract_5": "tea tea carpet", "contract_9": "coffee tea"}
    assert scored(cards=list(filled), filled=filled) == {"contracts": 13}


@pytest.mark.parametrize(("owned", "points"), [(1, 2), (2, 5), (3, 9), (4, 14)])
def test_counting_offices_score_by_their_number(owned: int, points: int) -> None:
    offices = [f"counting_office_{k}" for k in (4, 2, 3, 1)]
    assert scored(cards=offices[:owned]) == {"counting_offices": points}


def test_counting_offices_of_two_players_do_not_add_up() -> None:
    seats = [
        seat(coins=0, cards=["counting_office_1", "counting_office_2"]),
        seat(coins=0, cards=["counting_office_3"]),
    ]
    states = position(2, phase="over", pile=["fire_4"], seats=seats)
    assert by_source(states, 0) == {"counting_offices": 5}
    assert by_source(states, 1) == {"counting_offices": 2}


@pytest.mark.parametrize("merchant", MERCHANTS)
def test_a_merchant_scores_1(merchant: str) -> None:
    assert scored(cards=[merchant]) == {"merchants": 1}


def test_merchants_score_1_each() -> None:
    assert scored(cards=MERCHANTS) == {"merchants": 5}
    assert scored(cards=MERCHANTS[1:4]) == {"merchants": 3}


@pytest.mark.parametrize(
    ("kept", "points"),
    [
        ("tea", 1),
        ("tea tea", 2),
        ("tea coffee carpet", 3),
        ("tea tea tea rubber", 4),
        ("tea tea tea rubber saffron", 4),  # the fifth cube lies in the market hall
    ],
)
def test_the_warehouse_scores_1_per_cube_in_it(kept: str, points: int) -> None:
    assert scored(cards=["warehouse"], cubes=kept) == {"warehouse": points}


def test_an_empty_warehouse_scores_nothing() -> None:
    assert scored(cards=["warehouse"]) == {}


def test_a_cube_in_the_market_hall_scores_nothing() -> None:
    assert scored(cubes="tea") == {}


@pytest.mark.parametrize("kept", [0, 1, 7, 30])
def test_the_chamber_of_commerce_scores_1_per_coin(kept: int) -> None:
    assert scored(cards=["chamber_of_commerce"], coins=kept) == ({"chamber_of_commerce": kept} if kept else {})


def test_coins_score_nothing_without_the_chamber_of_commerce() -> None:
    assert scored(coins=30) == {}


@pytest.mark.parametrize("owned", [0, 1, 4, 15])
def test_the_port_scores_1_per_ship_owned(owned: int) -> None:
    ships = [f"ship_{k}" for k in range(1, owned + 1)]
    assert scored(cards=["port", *ships]) == ({"port": owned} if owned else {})


def test_ships_score_nothing_without_the_port() -> None:
    assert scored(cards=["ship_1", "ship_6", "ship_11"]) == {}


def test_boatsmen_church_scores_3() -> None:
    assert scored(cards=["boatsmen_church"]) == {"boatsmen_church": 3}


def test_st_michaelis_scores_4() -> None:
    assert scored(cards=["st_michaelis"]) == {"st_michaelis": 4}


@pytest.mark.parametrize("card_id", ["bank", "ship_3", "fireman_7", "contract_1"])
def test_other_cards_score_nothing_by_themselves(card_id: str) -> None:
    assert scored(cards=[card_id]) == {}


def test_every_source_at_once() -> None:
    points = scored(
        coins=6,
        cards=[
            *MERCHANTS,
            "contract_6",
            "counting_office_1",
            "counting_office_2",
            "counting_office_3",
            "warehouse",
            "chamber_of_commerce",
            "port",
            "ship_1",
            "ship_2",
            "boatsmen_church",
            "st_michaelis",
        ],
        filled={"contract_6": "coffee tea rubber carpet"},
        cubes="tea tea",
        fire_points=-3,
    )
    assert points == {
        "fire": -3,
        "contracts": 11,
        "counting_offices": 9,
        "merchants": 5,
        "warehouse": 2,
        "chamber_of_commerce": 6,
        "port": 2,
        "boatsmen_church": 3,
        "st_michaelis": 4,
    }
    assert tuple(points) == SOURCES


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_both_ways_to_the_points_agree_all_through_a_game(players: int) -> None:
    for seed in range(10 if JIT else 1):
        states = deal_game(players, "sampled", seed)
        for _ in play_at_random(states, seed):
            for of_seat in range(players):
                by_source(states, of_seat)
