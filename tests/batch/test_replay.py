"""Games played again from their seeds and moves show a seat's decisions as they were, and are refused otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env.batch import Batch
from speicher_env.batch.replay import Decisions, replay
from speicher_env.errors import RecordError
from speicher_env.observation.rows import RowFormat
from tests.support.batch_play import draw_legal
from tests.support.games import PLAYER_COUNTS

pytestmark = pytest.mark.nojit

ILLEGAL = 183
"""`end`, which is illegal in demand."""


def games_of(players: int, games: int = 2) -> tuple[Batch, list[tuple[np.ndarray, np.ndarray, int]]]:
    """Finished games of two seats against random players, and what the callers saw and did, game after game."""
    batch = Batch(games, players, "sampled", "rotating", "random", "rank", autoreset="disabled", log_moves=True)
    batch.reset(np.arange(games))
    rng = np.random.default_rng(players)
    seen: list[list[tuple[np.ndarray, np.ndarray, int]]] = [[] for _ in range(games)]
    while not batch.ended.all():
        lanes = np.flatnonzero(~batch.ended)
        actions = draw_legal(batch.action_masks, rng)
        for lane in lanes.tolist():
            seen[lane].append((batch.observations[lane].copy(), batch.action_masks[lane].copy(), int(actions[lane])))
        batch.step(actions[lanes], lanes)
    return batch, [decision for of_game in seen for decision in of_game]


def played_again(batch: Batch, decisions: int, moves: list[np.ndarray]) -> Decisions:
    lengths = np.array([len(of_game) for of_game in moves])
    seats = batch.seats[:, None] == np.arange(batch.num_players)
    row_format = RowFormat(batch.num_players, False, "float32")
    seeds = np.arange(batch.num_games)
    return replay(
        batch.num_players, "sampled", seeds, np.concatenate(moves), lengths, seats, decisions, row_format, "rank"
    )


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_rows_masks_actions_and_rewards_are_those_of_the_games(players: int) -> None:
    batch, seen = games_of(players)
    again = played_again(batch, len(seen), [batch.moves(lane) for lane in range(2)])
    rows, masks, actions = (np.array(each) for each in zip(*seen, strict=True))
    np.testing.assert_array_equal(again.rows, rows)
    np.testing.assert_array_equal(again.masks, masks)
    assert again.actions.tolist() == actions.tolist()
    assert again.counts.tolist() == batch.arrays.lanes["ended_length"].tolist()
    assert again.seats.tolist() == np.repeat(batch.seats, again.counts).tolist()
    assert again.rewards.tolist() == batch.rewards.tolist()
    results = batch.results()
    assert again.points.tolist() == results.totals.tolist()
    assert (again.shares > 0).tolist() == (results.ranks == 1).tolist()
    np.testing.assert_allclose(again.shares.sum(axis=1), 1.0, rtol=1e-6)


def test_a_game_lost_by_an_illegal_action_ends_with_it_and_pays_the_least() -> None:
    batch = Batch(1, 2)
    batch.reset([0])
    seat = int(batch.seats[0])

    def lost_by(loser: int) -> Decisions:
        seats = np.array([[loser == 0, loser == 1]])
        return replay(2, "standard", [0], np.array([ILLEGAL]), np.array([1]), seats, 1, RowFormat(2, True, "uint8"))

    again = lost_by(seat)
    assert (again.actions.tolist(), again.counts.tolist()) == ([ILLEGAL], [1])
    assert again.rewards[0, seat] == -1.0 and again.shares[0].tolist() == [float(seat == 1), float(seat == 0)]
    with pytest.raises(RecordError):  # the other seat may not lose so
        lost_by(1 - seat)


@pytest.mark.parametrize("fault", ["a move too few", "a move too many", "a decision too many", "no action"])
def test_what_is_no_whole_game_is_refused(fault: str) -> None:
    batch, seen = games_of(2)
    moves, decisions = [batch.moves(lane) for lane in range(2)], len(seen)
    if fault == "a move too few":
        moves[1] = moves[1][:-1]
    elif fault == "a move too many":
        moves[0] = np.append(moves[0], moves[0][-1])
    elif fault == "no action":
        moves[1][0] = 255
    else:
        decisions += 1
    with pytest.raises(RecordError, match="the moves are not whole games with that many decisions"):
        played_again(batch, decisions, moves)
