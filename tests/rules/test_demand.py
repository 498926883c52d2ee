"""Demand: one worker at a time above the cards, three times around."""

from __future__ import annotations

import pytest

from tests.support.positions import card, legal, per_seat, phase, play, player, position, queue, refuses, seat

pytestmark = pytest.mark.nojit

CARDS = ["counting_office_3", "counting_office_4", "fireman_9", "fireman_10", "st_michaelis", "chamber_of_commerce"]


def places(players: int) -> list[str]:
    return [f"place {column}" for column in range(players + 1)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("first", [0, 1])
def test_from_the_first_player_clockwise_one_worker_at_a_time_three_times_around(players: int, first: int) -> None:
    states = position(players, phase="demand", columns=CARDS[: players + 1], first_player=first)
    order = []
    for turn in range(3 * players):
        assert phase(states) == "demand"
        order.append(player(states))
        play(states, f"place {turn % (players + 1)}")
    assert order == 3 * [(first + k) % players for k in range(players)]
    assert phase(states) == "purchase"


def test_the_last_seat_begins_and_the_turn_passes_to_seat_0() -> None:
    states = position(3, phase="demand", columns=CARDS[:4], first_player=2)
    assert player(states) == 2
    assert player(play(states, "place 0")) == 0


def test_a_worker_leaves_the_hand_when_it_is_placed() -> None:
    states = position(2, phase="demand", columns=CARDS[:3])
    assert per_seat(play(states, "place 1"), "workers") == [2, 3]
    assert per_seat(play(states, "place 1"), "workers") == [2, 2]


def test_a_worker_goes_on_the_lowest_free_space() -> None:
    states = position(3, phase="demand", columns=CARDS[:4])
    play(states, "place 2", "place 2", "place 0", "place 2", "place 0", "place 2")
    assert queue(states, 2) == [0, 1, 0, 2]
    assert queue(states, 0) == [2, 1]
    assert states["standing"][0].tolist() == [2, 0, 4, 0, 0, 0]


def test_several_of_ones_own_may_stand_above_one_card() -> None:
    states = position(2, phase="demand", columns=CARDS[:3])
    play(states, "place 0", "place 1", "place 0", "place 1", "place 0")
    assert queue(states, 0) == [0, 0, 0]
    assert queue(states, 1) == [1, 1]


def test_placing_is_compulsory() -> None:
    states = position(2, phase="demand", columns=CARDS[:3], seats=[seat(coins=0), seat(coins=0)])
    for turn in range(6):
        assert legal(states) == places(2)
        assert refuses(states, "pass")
        assert refuses(states, "end")
        play(states, f"place {turn % 3}")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_column_and_no_other_can_be_chosen(players: int) -> None:
    states = position(players, phase="demand", columns=CARDS[: players + 1])
    assert legal(states) == places(players)
    if players < 5:
        assert refuses(states, f"place {players + 1}")


def test_a_worker_without_coins_behind_it_may_be_placed() -> None:
    states = position(2, phase="demand", columns=CARDS[:3], seats=[seat(coins=0)])
    assert legal(states) == places(2)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_card_has_8_spaces(players: int) -> None:
    states = position(players, phase="demand", columns=CARDS[: players + 1], first_player=1)
    for _ in range(7):
        play(states, "place 3")
    assert "place 3" in legal(states)
    play(states, "place 3")
    assert len(queue(states, 3)) == 8
    assert legal(states) == [text for text in places(players) if text != "place 3"]
    assert refuses(states, "place 3")
    assert phase(states) == "demand"


def test_a_full_card_closes_no_other() -> None:
    eight = [0, 1, 2, 3, 4, 0, 1, 2]
    columns = [card(CARDS[0], queue=eight), card(CARDS[1], queue=[3, 4, 0, 1, 2, 3]), *CARDS[2:]]
    states = position(5, phase="demand", columns=columns, player=4, seats=5 * [seat(coins=8)])
    assert legal(states) == [f"place {column}" for column in (1, 2, 3, 4, 5)]
    play(states, "place 1")
    assert queue(states, 0) == eight
    assert queue(states, 1) == [3, 4, 0, 1, 2, 3, 4]
    assert phase(states) == "purchase"


def test_purchase_begins_when_the_last_worker_stands() -> None:
    states = position(2, phase="demand", columns=CARDS[:3])
    play(states, "place 0", "place 0", "place 1", "place 1", "place 2")
    assert phase(states) == "demand"
    play(states, "place 2")
    assert phase(states) == "purchase"
    assert per_seat(states, "workers") == [0, 0]
