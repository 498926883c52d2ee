"""No forced moves: the game asks only where there is a choice, and plays everything else by itself."""

from __future__ import annotations

import pytest

from speicher_env.rules.status import status
from tests.support.positions import (
    JIT,
    card,
    coins,
    cubes,
    deal_game,
    legal,
    legal_ids,
    offer,
    phase,
    play,
    play_at_random,
    player,
    position,
    seat,
    stock,
    where,
)

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]


@pytest.mark.parametrize("deck", ["standard", "sampled"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_decision_of_a_game_has_at_least_two_legal_actions(players: int, deck: str) -> None:
    for seed in range(12 if JIT else 1):
        states = deal_game(players, deck, seed)
        decisions = 0
        for _ in play_at_random(states, seed):
            assert len(legal_ids(states)) >= 2
            if decisions % 7 == 0:
                assert status(states[0]) == []
            decisions += 1
        assert decisions >= 3 * players * {2: 16, 3: 12, 4: 10, 5: 8}[players]
        assert legal_ids(states) == []
        assert status(states[0]) == []


# Every forced case by hand.


def test_an_owner_who_cannot_pay_is_not_asked() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[0, 1])], seats=[seat(coins=1)])
    assert offer(states) == (1, "fireman_9", 1)


def test_an_owner_with_just_the_price_is_asked() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[0, 1])], seats=[seat(coins=2)])
    assert offer(states) == (0, "fireman_9", 2)
    assert legal(states) == ["buy", "pass"]


def test_a_card_without_workers_is_not_offered() -> None:
    states = position(2, phase="purchase", columns=["fireman_9", card("fireman_10", queue=[0])])
    assert offer(states) == (0, "fireman_10", 1)


def test_a_round_in_which_nobody_has_coins_plays_itself_to_the_next_demand() -> None:
    columns = ["counting_office_3", card("ship_11", "tea tea rubber"), "fireman_9"]
    states = position(2, phase="demand", columns=columns, seats=[seat(coins=0), seat(coins=0)])
    before = int(states["round"][0])
    play(states, "place 0", "place 1", "place 0", "place 1", "place 2")
    assert states["round"][0] == before
    play(states, "place 2")
    assert phase(states) == "demand"
    assert states["round"][0] == before + 1
    assert coins(states) == [2, 2]
    assert stock(states) == "tea tea rubber"
    assert all(where(states, card_id) == "discarded" for card_id in ("counting_office_3", "ship_11", "fireman_9"))


def test_a_player_without_cubes_is_skipped_in_loading() -> None:
    states = position(3, seats=[seat(cards=["tea_taster", "contract_2"]), seat(aboard="tea tea"), seat()])
    assert phase(states) == "loading"
    assert player(states) == 1


def test_a_player_who_can_only_keep_is_skipped_in_loading() -> None:
    states = position(3, seats=[seat(cubes="tea"), seat(aboard="tea tea"), seat(aboard="carpet")])
    assert player(states) == 1
    play(states, "discard tea")
    assert phase(states) == "demand"
    assert [cubes(states, of_seat) for of_seat in range(3)] == ["tea", "tea", "carpet"]


@pytest.mark.parametrize(
    "first",
    [
        seat(cubes="tea", cards=["coffee_roaster"]),
        seat(cubes="tea", cards=["contract_1"]),
        seat(cubes="tea", cards=["contract_2"], filled={"contract_2": "tea"}),
        seat(cubes="tea", cards=["warehouse"]),
    ],
    ids=["a merchant for another good", "a contract for other goods", "a contract that has it", "a warehouse"],
)
def test_a_cube_without_a_use_leaves_no_choice(first: object) -> None:
    assert phase(position(2, seats=[first])) == "demand"


@pytest.mark.parametrize(
    ("first", "choices"),
    [
        (seat(cubes="tea", cards=["tea_taster"]), ["sell tea", "end"]),
        (seat(cubes="tea", cards=["contract_2"]), ["deliver tea contract_2", "end"]),
        (seat(cubes="tea coffee", cards=["warehouse"]), ["trade coffee tea", "end"]),
        (seat(aboard="tea tea"), ["trade tea tea", "discard tea"]),
    ],
)
def test_a_single_use_for_a_cube_is_a_choice(first: object, choices: list[str]) -> None:
    assert legal(position(2, seats=[first])) == choices


def test_loading_ends_by_itself_when_nothing_is_left_to_do() -> None:
    states = position(2, seats=[seat(cards=["contract_2"], aboard="tea saffron"), seat(aboard="rubber rubber")])
    play(states, "deliver tea contract_2", "deliver saffron contract_2")
    assert player(states) == 1


def test_a_round_without_cubes_goes_from_purchase_to_the_next_demand() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[0])])
    before = int(states["round"][0])
    play(states, "pass")
    assert phase(states) == "demand"
    assert states["round"][0] == before + 1


def test_the_last_decision_ends_the_game() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[0])], pile=["fire_4"])
    play(states, "pass")
    assert phase(states) == "over"
