"""States from outside whose values would reach past an array are refused before compiled code looks at them."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env import ArgumentError, StateError
from speicher_env.observation import observe
from speicher_env.ranges import check_ranges
from speicher_env.rules.state import STATE
from speicher_env.rules.status import range_of, status
from speicher_env.views import Views
from tests.support.games import random_game

pytestmark = pytest.mark.nojit

GAMES = [random_game(players, seed=players, decisions=25) for players in (2, 3, 4, 5)]
FREE = ("seed", "legal", "coins", "deck", "round", "fire_value", "fireman_value", "unused")
"""Fields of which any value is harmless."""


def test_every_state_of_a_game_is_in_its_ranges() -> None:
    check_ranges(np.concatenate([game.states_view for game in GAMES]))
    check_ranges(np.concatenate([random_game(players, seed=1).states_view for players in (2, 5)]))
    check_ranges(np.zeros(0, STATE))


@pytest.mark.parametrize("field", STATE.names or ())
def test_the_ranges_are_those_of_the_status(field: str) -> None:
    """For every value at the ends of the type and about the ends of the range."""
    for game in GAMES:
        states = np.repeat(game.states_view, 2)
        limits = np.iinfo(states[field].dtype)
        for value in {
            int(limits.min),
            int(limits.max) // 2,
            int(limits.max),
            -5,
            -4,
            -3,
            -2,
            -1,
            0,
            1,
            game.num_players,
            6,
            54,
            55,
            128,
        }:
            if not limits.min <= value <= limits.max:
                continue
            states[field][1] = value
            low, high = range_of(field, game.num_players)
            if low <= value <= high or field in FREE:
                check_ranges(states)
                continue
            assert status(states[1])
            with pytest.raises(StateError, match=r"^states\[1\]: no game can be in this state: "):
                check_ranges(states)


@pytest.mark.parametrize(
    "field", ["offer", "owner", "queue", "standing", "bag", "pile_next", "card", "player", "players"]
)
@pytest.mark.parametrize("value", [-128, 127])
def test_a_state_out_of_range_is_refused_wherever_states_are_looked_at(field: str, value: int) -> None:
    """Compiled code would read and write past the end of the arrays."""
    states = GAMES[1].states_view.copy()
    states[field] = value
    for look in (Views.of, observe):
        with pytest.raises((StateError, ArgumentError), match=r"no game can be in this state|seats_in_view") as refused:
            look(states)
        assert "\n" not in str(refused.value)
