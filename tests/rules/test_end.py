"""The end: the last round, the 4th fire, ties."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.scoring import ranking_key
from speicher_env.rules.status import status
from tests.support.positions import (
    JIT,
    bag,
    card,
    coins,
    deal_game,
    legal,
    per_seat,
    phase,
    pile,
    play,
    play_at_random,
    player,
    position,
    refuses,
    seat,
    where,
)

pytestmark = pytest.mark.nojit

THREE = ["counting_office_3", "fireman_9", "st_michaelis"]


def finish(states: np.ndarray) -> np.ndarray:
    """Play the round in which nobody buys anything."""
    while player(states) is not None:
        play(states, {"demand": "place 0", "purchase": "pass", "loading": "end"}[phase(states)])
    return states


def winners(states: np.ndarray) -> list[int]:
    """The seats with the best ranking key."""
    keys = [ranking_key(states[0], number) for number in range(states["players"][0])]
    return [number for number, key in enumerate(keys) if key == max(keys)]


def test_the_round_whose_supply_leaves_only_the_4th_fire_is_the_last() -> None:
    states = position(2, pile=[*THREE, "fire_4"], seats=[seat(cards=["fireman_1"]), seat()])
    assert phase(states) == "demand"
    assert pile(states) == ["fire_4"]
    assert where(states, "fire_4") == "pile"
    assert per_seat(states, "fire_points") == [0, 0]
    finish(states)
    assert phase(states) == "over"
    assert states["round"][0] == 16


def test_after_the_income_of_the_last_round_the_4th_fire_is_carried_out() -> None:
    states = finish(position(2, pile=[*THREE, "fire_4"], seats=[seat(cards=["fireman_1"]), seat()]))
    assert coins(states) == [5 + 2 + 2, 5 + 2 + 2]  # the income of the round before and of the last one
    assert per_seat(states, "fire_points") == [5, -5]
    assert where(states, "fire_4") == "discarded"
    assert pile(states) == []


def test_a_fireman_bought_in_the_last_round_counts_at_the_4th_fire() -> None:
    states = position(2, phase="purchase", columns=[card("fireman_9", queue=[1])], pile=["fire_4"])
    play(states, "buy")
    assert phase(states) == "over"
    assert per_seat(states, "fire_points") == [-5, 5]


def test_the_3rd_fire_as_last_autumn_card_brings_the_4th_with_it_and_ends_the_game() -> None:
    states = position(2, pile=[*THREE, "fire_3", "fire_4"], seats=[seat(cards=["fireman_1"]), seat()])
    assert phase(states) == "demand"
    assert pile(states) == ["fire_3", "fire_4"]
    finish(states)
    assert phase(states) == "over"
    assert per_seat(states, "fire_points") == [4 + 5, -4 - 5]
    assert coins(states) == [9, 9]  # no income for the supply that found no trade card
    assert states["round"][0] == 16
    assert where(states, "fire_3") == where(states, "fire_4") == "discarded"


def test_the_3rd_fire_before_the_last_trade_cards_does_not_end_the_game() -> None:
    states = position(2, pile=["fire_3", *THREE, "fire_4"], seats=[seat(cards=["fireman_1"]), seat()])
    assert per_seat(states, "fire_points") == [4, -4]
    assert phase(states) == "demand"
    assert pile(states) == ["fire_4"]


def test_the_end_plays_itself() -> None:
    states = position(3, pile=["fire_4"])
    assert phase(states) == "over"
    assert player(states) is None


def test_nothing_is_legal_after_the_end() -> None:
    states = position(2, pile=["fire_4"])
    assert legal(states) == []
    assert all(refuses(states, text) for text in ACTION_TEXTS)


@pytest.mark.parametrize(("players", "rounds"), [(2, 16), (3, 12), (4, 10), (5, 8)])
@pytest.mark.parametrize("deck", ["standard", "sampled"])
def test_a_game_has_as_many_rounds_as_its_trade_cards_make(players: int, rounds: int, deck: str) -> None:
    for seed in range(20 if JIT else 1):
        states = deal_game(players, deck, seed)
        for _ in play_at_random(states, seed):
            pass
        assert states["round"][0] == rounds
        assert status(states[0]) == []
        assert all(where(states, f"fire_{k}") == "discarded" for k in (1, 2, 3, 4))
        assert bag(states) == []  # 15 ships took all 45 cubes
        assert not states["aboard"].any()


# Most points win, then most coins, else the win is shared.


def final(*seats: tuple[int, int]) -> np.ndarray:
    """A finished game of seats with these fire points and coins."""
    return position(
        len(seats),
        phase="over",
        pile=["fire_4"],
        seats=[seat(fire_points=points, coins=of_seat) for points, of_seat in seats],
    )


@pytest.mark.parametrize(
    ("seats", "expected"),
    [
        (((3, 0), (2, 9)), [0]),
        (((2, 9), (3, 0)), [1]),
        (((3, 4), (3, 5)), [1]),
        (((3, 5), (3, 5)), [0, 1]),
        (((-3, 50), (-2, 0)), [1]),
        (((-3, 2), (-3, 1), (-3, 2)), [0, 2]),
        (((0, 7), (4, 2), (4, 3), (4, 3)), [2, 3]),
        (((1, 1), (1, 1), (1, 1), (1, 1), (1, 1)), [0, 1, 2, 3, 4]),
        (((4, 128), (5, 0)), [1]),
    ],
)
def test_most_points_win_then_most_coins_else_the_win_is_shared(
    seats: tuple[tuple[int, int], ...], expected: list[int]
) -> None:
    assert winners(final(*seats)) == expected


def test_points_of_every_source_decide_and_not_fires_alone() -> None:
    states = position(
        2,
        phase="over",
        pile=["fire_4"],
        seats=[seat(fire_points=3, coins=0), seat(cards=["st_michaelis"], coins=0)],
    )
    assert winners(states) == [1]
