"""Every combination sits down in every seating of the same deal."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.errors import ArgumentError
from speicher_training.arena import RANGES, arena
from speicher_training.arena.schedule import MIRROR, schedule, schedule_alone
from speicher_training.arena.seeds import first_seed


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_all_combinations_play_in_all_seatings(seats: int) -> None:
    players = seats + 1
    plan = schedule(players, seats, mirrors=True)
    mixed = [tuple(seating) for seating in plan.seatings[plan.lineup != MIRROR].tolist()]
    wanted = {order for lineup in combinations(range(players), seats) for order in permutations(lineup)}
    assert len(mixed) == len(wanted) and set(mixed) == wanted
    assert plan.seatings[plan.lineup == MIRROR].tolist() == [[player] * seats for player in range(players)]
    for seating, lineup in zip(plan.seatings, plan.lineup, strict=True):
        assert lineup == MIRROR or sorted(seating) == plan.lineups[lineup].tolist()


def test_too_few_players_are_refused() -> None:
    with pytest.raises(ArgumentError, match="players=2: must be 3 or more for games of 3"):
        schedule(2, 3, mirrors=True)


def test_all_games_of_a_deal_are_dealt_alike() -> None:
    """The seat that begins is the game's own, and who plays first-legal from there meets the same cards."""
    results = arena({"one": "random", "other": "random"}, 2, deals=20, seed=5, mirrors=False)
    for seed, first in zip(results.games.seeds, results.games.first_player, strict=True):
        assert Game(2, seed=int(seed)).first_player == first
    assert results.games.seeds.tolist() == list(range(5, 25))
    # Both are the same random player with the same stream, so exchanging their seats changes nothing.
    assert (results.games.points[:, 0] == results.games.points[:, 1]).all()
    assert len(np.unique(results.games.first_player)) == 2


def test_held_out_ranges_do_not_touch() -> None:
    evaluation, development = RANGES["evaluation"], RANGES["development"]
    assert evaluation.stop <= development.start and evaluation.start >= 10**9
    assert first_seed("evaluation", 10) == evaluation.start and first_seed("12", 10) == first_seed(12, 10) == 12


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ("evaluatoin", r'seed="evaluatoin": must be a whole number 0..2\*\*64-1, .*did you mean "evaluation"'),
        (-1, r"seed=-1: must be a whole number 0\.\.2\*\*64-1"),
        (2**64 - 5, r"seed of the last deal=18446744073709551\d+: must be"),
        (1.5, r"seed=1\.5"),
    ],
)
def test_a_seed_that_is_none_is_refused(seed: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        first_seed(seed, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_who_sits_alone_is_in_every_seat_once_and_no_game_is_played_twice(seats: int) -> None:
    plan = schedule_alone(2, seats, mirrors=False)
    assert plan.seatings.tolist() == [[int(seat != own) for seat in range(seats)] for own in range(seats)]
    mirrored = schedule_alone(2, seats, mirrors=True)
    assert mirrored.seatings[seats:].tolist() == [[0] * seats, [1] * seats]
    assert mirrored.lineup[seats:].tolist() == [MIRROR, MIRROR]


def test_alone_takes_two_players_and_no_mirrors_unless_told() -> None:
    with pytest.raises(ArgumentError, match=r"alone: needs exactly two players: .*; 3 given"):
        arena(["random"] * 3, 3, deals=2, alone=True)
    with pytest.raises(ArgumentError, match="alone: the panel 2p settles it"):
        arena(["random"], panel="2p", alone=True)
    results = arena(["random", "random"], 3, deals=2, seed=1, alone=True)
    assert results.games.schedule.games == 3 and not results.summary["seats"]
    assert "with random alone in every seat" in str(results)
