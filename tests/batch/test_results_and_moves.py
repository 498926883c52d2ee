"""What a batch tells of games that have ended, and its log of moves: both are those of the single game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, Game
from speicher_env.batch import Batch, Results
from speicher_env.batch.lane import MAX_DECISIONS
from speicher_env.rewards import SCHEMES
from speicher_env.rules.scoring import SOURCES
from tests.support.batch_play import AUTORESETS, HIGHEST, LOWEST, Highest, Lowest, draw_legal, paid, pick_legal, seen
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def assert_results_of(results: Results, entry: int, game: Game, reward: str) -> None:
    """An entry of the results is what the finished single game says."""
    points = [[of_seat[source] for source in SOURCES] for of_seat in game.points()]
    assert results.points[entry].tolist() == points
    assert results.totals[entry].tolist() == [of_seat["total"] for of_seat in game.points()]
    assert results.coins[entry].tolist() == game.coins
    assert results.ranks[entry].tolist() == game.ranks()
    assert results.rewards[entry].tolist() == paid(game, reward)
    assert results.seeds[entry] == game.seed
    assert results.forfeited_by[entry] == -1 and results.illegal[entry] == 0 and not results.lost_illegally[entry]


@pytest.mark.parametrize("autoreset", few_or_many(AUTORESETS[-1:], AUTORESETS))
@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize(
    ("seat", "opponents"),
    [("all", "random"), (1, "random"), ("random", LOWEST), ("rotating", Highest())],
    ids=["all", "random", "compiled", "outside"],
)
def test_logged_moves_and_results_are_those_of_the_games(
    players: int, autoreset: str, seat: Any, opponents: Any
) -> None:
    """Played again from its seed, move by move, each game ends as the batch says."""
    reward = SCHEMES[players % len(SCHEMES)]
    batch = Batch(3, players, "sampled", seat, opponents, reward, autoreset=autoreset, log_moves=True)
    batch.reset([7, 8, 9])
    rng = np.random.default_rng(players)
    ended = 0
    for moment in range(10_000):
        batch.step(draw_legal(batch.action_masks, rng))
        for lane in range(3) if moment % few_or_many(25, 1) == 0 else ():
            played_again = Game(players, "sampled", int(batch.arrays.states["seed"][lane]))
            for action in batch.moves(lane).tolist():
                played_again.play(action)
            assert played_again.state.tobytes() == batch.arrays.states[lane].tobytes()
        results = batch.results()
        assert results.lanes.tolist() == np.flatnonzero(batch.ended).tolist()
        for entry, moves in enumerate(results.moves):
            game = Game(players, "sampled", int(results.seeds[entry]))
            callers = 0
            for action in moves.tolist():
                callers += seat == "all" or game.player == results.seats[entry]
                game.play(action)
            assert game.over
            assert results.lengths[entry] == callers
            assert_results_of(results, entry, game, reward)
        ended += len(results.lanes)
        if ended >= few_or_many(1, 4) or (autoreset == "disabled" and ended):
            break
    assert ended


def test_whole_games_are_logged_and_told_by_a_reset() -> None:
    players = [LOWEST, Lowest(), "random"]
    batch = Batch(5, 3, seat="none", opponents=players, autoreset="disabled", log_moves=True)
    batch.reset(range(5))
    results = batch.results()
    assert results.lanes.tolist() == list(range(5))
    for entry, moves in enumerate(results.moves):
        game = Game(3, seed=entry)
        for action in moves.tolist():
            game.play(action)
        assert_results_of(results, entry, game, "outcome")
        assert batch.moves(entry).tolist() == moves.tolist()


def test_results_and_moves_stay_as_they_are_when_the_batch_plays_on() -> None:
    batch = Batch(2, 2, seat="none", opponents=["random"] * 2, autoreset="disabled", log_moves=True)
    batch.reset([1, 2])
    results = batch.results()
    before = [array.copy() for array in (*results[:-1], *results.moves)]
    batch.reset([3, 4])
    assert all(np.array_equal(*pair) for pair in zip(before, (*results[:-1], *results.moves), strict=True))


def test_results_of_lanes_that_did_not_end_are_refused() -> None:
    batch = Batch(2, 2)
    batch.reset([1, 2])
    assert len(batch.results().lanes) == 0
    with pytest.raises(ArgumentError, match="game 1 did not end in the last step, so it has no result"):
        batch.results([1])


def test_a_batch_without_a_log_plays_the_same_and_says_that_it_has_none() -> None:
    logged, plain = (Batch(3, 4, seat="random", opponents=HIGHEST, log_moves=log) for log in (True, False))
    logged.reset(range(3))
    plain.reset(range(3))
    for where in np.random.default_rng(0).random((few_or_many(10, 200), 3)):
        for batch in (logged, plain):
            batch.step(pick_legal(batch.action_masks, where))
        assert seen(logged) == seen(plain)
    assert plain.results().moves == ()
    with pytest.raises(ArgumentError, match="log_moves=True"):
        plain.moves(0)


def test_the_log_keeps_random_actions_that_replace_illegal_ones() -> None:
    batch = Batch(1, 2, illegal="random", log_moves=True)
    batch.reset([4])
    for _ in range(12):
        batch.step(np.array([999]))
    game = Game(2, seed=4)
    for action in batch.moves(0).tolist():
        game.play(action)
    assert game.state.tobytes() == batch.arrays.states[0].tobytes()
    assert batch.moves(0).size == 12


def test_no_game_is_longer_than_the_log() -> None:
    """A seat's round: 3 workers placed, 3 times asked, at most 14 cubes given away, and `end`."""
    assert MAX_DECISIONS == (3 + 3 + 14 + 1) * max(players * (50 // (players + 1)) for players in (2, 3, 4, 5)) == 840
    batch = Batch(few_or_many(2, 300), 5, seat="none", opponents=[HIGHEST] * 5, autoreset="disabled", log_moves=True)
    batch.reset(range(batch.num_games))
    assert max(moves.size for moves in batch.results().moves) < MAX_DECISIONS
