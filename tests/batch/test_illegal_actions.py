"""Illegal actions of the caller: refused with nothing stepped, or the game is lost, or a random action is played."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, IllegalAction
from speicher_env.batch import Batch
from speicher_env.rewards import SCHEMES
from tests.support.batch_play import draw_legal, everything, lane_seen, mask_of, pick_legal
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

NO_ACTIONS = (-1, 184, 999, -(2**63), 2**63 - 1)


def first_illegal(masks: np.ndarray, lane: int) -> int:
    return int((masks[lane] == 0).argmax())


# Refused


@pytest.mark.parametrize("seat", ["all", "random"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_an_illegal_action_is_refused_for_the_first_lane_at_fault_and_nothing_is_stepped(
    players: int, seat: str
) -> None:
    batch = Batch(4, players, seat=seat)
    batch.reset(np.arange(4))
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(4, 120)):
        before = everything(batch)
        actions = draw_legal(batch.action_masks, rng)
        bad = actions.copy()
        bad[2], bad[3] = first_illegal(batch.action_masks, 2), -5
        with pytest.raises(IllegalAction) as raised:
            batch.step(bad)
        assert everything(batch) == before
        game = Game.from_state(batch.arrays.states[2])
        error = raised.value
        assert error.where == "game 2"
        assert error.phase == game.phase and error.player == game.player
        assert list(error.legal) == game.legal()
        assert str(error).startswith(f'game 2: action="{error.action}": must be {game.legal()[0]}')
        assert str(error).endswith(f"as player_{game.player} decides in {game.phase}.")
        batch.step(actions)


@pytest.mark.parametrize("action", NO_ACTIONS)
def test_a_number_that_is_no_action_is_refused(action: int) -> None:
    batch = Batch(2, 2)
    batch.reset([0, 1])
    before = everything(batch)
    with pytest.raises(IllegalAction, match=f'game 1: action="{action}": must be place'):
        batch.step(np.array([0, action]))
    assert everything(batch) == before


# Lost

LOST = {  # players: (the loser, each other), by the sum that a game pays
    "outcome": {2: (-1, 1), 3: (-1 / 2, 1 / 4), 4: (-1 / 3, 1 / 9), 5: (-1 / 4, 1 / 16)},
    "rank": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
    "margin": {2: (-1, 1), 3: (-1, 1 / 2), 4: (-1, 1 / 3), 5: (-1, 1 / 4)},
}


@pytest.mark.parametrize("autoreset", ["disabled", "next_step", "same_step"])
@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, SCHEMES)))
def test_lose_ends_the_game_of_the_lane_at_once_with_the_least_pay(players: int, reward: str, autoreset: str) -> None:
    batch = Batch(3, players, reward=reward, illegal="lose", autoreset=autoreset)
    batch.reset(np.arange(3))
    rng = np.random.default_rng(players)
    for _ in range(few_or_many(2, 40)):
        batch.step(draw_legal(batch.action_masks, rng))
    loser = int(batch.seats[1])
    length = int(batch.arrays.lanes["length"][1])
    seed = int(batch.arrays.states["seed"][1])
    actions = draw_legal(batch.action_masks, rng)
    actions[1] = first_illegal(batch.action_masks, 1)
    batch.step(actions)
    assert batch.ended.tolist() == [False, True, False]
    least, others = LOST[reward][players]
    expected = np.full(players, others, dtype=np.float32)
    expected[loser] = least
    np.testing.assert_allclose(batch.rewards[1], expected, rtol=1e-6)
    told = batch.outcome(1)
    assert told["lost_illegally"] and told["illegal"] == 1 and told["seed"] == seed
    assert [seat["rank"] for seat in told["seats"]] == [players if seat == loser else 1 for seat in range(players)]
    assert batch.arrays.lanes["ended_length"][1] == length + 1
    if autoreset != "same_step":
        assert not batch.action_masks[1].any()
        assert Game.from_state(batch.arrays.states[0]).over is False
    else:
        assert batch.action_masks[1].sum() >= 2


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_a_game_lost_by_an_illegal_action_is_followed_by_the_next_one(autoreset: str) -> None:
    """The lanes beside it, and the games that follow, are those of a batch in which nothing illegal happened."""
    lost, legal = (Batch(2, 3, seat="random", illegal="lose", autoreset=autoreset) for _ in range(2))
    lost.reset([0, 1])
    legal.reset([0, 1])
    over_before = False
    for step, where in enumerate(np.random.default_rng(0).random((few_or_many(6, 300), 2))):
        actions = pick_legal(lost.action_masks, where)
        if step % 5 == 0:
            actions[1] = 999
        lost.step(actions)
        legal.step(pick_legal(legal.action_masks, where))
        assert lane_seen(lost, 0) == lane_seen(legal, 0)
        assert lost.ended[1] == (step % 5 == 0 and not (autoreset == "next_step" and over_before))
        over_before = bool(lost.ended[1])


@pytest.mark.parametrize("illegal", ["lose", "random"])
@pytest.mark.parametrize("action", NO_ACTIONS)
def test_a_number_that_is_no_action_counts_as_an_illegal_one(action: int, illegal: str) -> None:
    batch = Batch(2, 2, illegal=illegal)
    batch.reset([0, 1])
    batch.step(np.array([0, action]))
    lanes = batch.arrays.lanes
    assert (lanes["ended_illegal"][1] if illegal == "lose" else lanes["illegal"][1]) == 1
    assert lanes["illegal"][0] == 0


# Replaced


@pytest.mark.parametrize("seat", ["all", "random"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_random_plays_a_legal_action_instead_and_counts(players: int, seat: str) -> None:
    batch = Batch(1, players, seat=seat, illegal="random", autoreset="disabled")
    batch.reset([3])
    game = Game(players, seed=3)
    rng = np.random.default_rng(1)
    count = 0
    for step in range(few_or_many(6, 10_000)):
        illegal = step % 3 == 0
        action = first_illegal(batch.action_masks, 0) if illegal else int(draw_legal(batch.action_masks, rng)[0])
        mask = batch.action_masks[0].tolist()
        batch.step(np.array([action]))
        count += illegal
        if seat == "all":
            assert mask == mask_of(game)
            after = []
            for legal in game.legal_ids() if illegal else [action]:
                after.append(game.copy())
                after[-1].play(legal)
            reached = [other for other in after if other.state.tobytes() == batch.arrays.states.tobytes()]
            assert reached
            game = reached[0]
        if batch.ended[0]:
            assert batch.outcome(0)["illegal"] == count
            assert not batch.outcome(0)["lost_illegally"]
            break
        assert batch.arrays.lanes["illegal"][0] == count
    assert few_or_many(True, batch.ended[0])


def test_actions_played_instead_are_drawn_evenly_and_from_the_games_seed() -> None:
    count = few_or_many(40, 6000)
    one, other = (Batch(count, 2, illegal="random", first_player=0) for _ in range(2))
    one.reset(np.arange(count))
    other.reset(np.arange(count))
    one.step(np.full(count, 999))
    other.step(np.full(count, 183))
    assert one.arrays.states.tobytes() == other.arrays.states.tobytes()
    columns = one.arrays.states["standing"][:, :3]
    drawn = np.bincount(columns.argmax(axis=1), minlength=3)
    assert drawn.sum() == count
    # Five standard deviations of a count with chance 1/3.
    assert np.abs(drawn - count / 3).max() < 5 * np.sqrt(count * 2 / 9)


# Of the wrong form

MALFORMED = {
    "too few": (np.zeros(2, dtype=int), r"int64 with shape \(2,\): must be one action id for each of 3 games"),
    "a column": (np.zeros((3, 1), dtype=int), r"int64 with shape \(3, 1\): must be"),
    "one number": (0, r"int64 with shape \(\): must be"),
    "floats": (np.zeros(3), r"float64 with shape \(3,\): must be"),
    "truth values": (np.zeros(3, dtype=bool), r"bool with shape \(3,\): must be"),
    "texts": (["place 0"] * 3, r"<U7 with shape \(3,\): must be"),
    "nothing": (None, r"object with shape \(\): must be"),
}


@pytest.mark.parametrize("illegal", ["raise", "lose", "random"])
@pytest.mark.parametrize("case", MALFORMED)
def test_actions_of_the_wrong_form_are_refused_and_nothing_is_stepped(case: str, illegal: str) -> None:
    actions, message = MALFORMED[case]
    batch = Batch(3, 2, illegal=illegal)
    batch.reset(np.arange(3))
    before = everything(batch)
    with pytest.raises(ArgumentError, match=f"actions=an array of {message}"):
        batch.step(actions)  # type: ignore[arg-type]
    assert everything(batch) == before


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint64, int])
def test_whole_numbers_of_any_kind_are_actions(dtype: type) -> None:
    one, other = Batch(3, 2), Batch(3, 2)
    one.reset(np.arange(3))
    other.reset(np.arange(3))
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 100)):
        actions = draw_legal(one.action_masks, rng)
        one.step(actions)
        other.step(actions.astype(dtype))
        assert everything(one) == everything(other)


def test_a_plain_list_will_do() -> None:
    one, other = Batch(3, 2), Batch(3, 2)
    one.reset([1, 2, 3])
    other.reset(np.array([1, 2, 3]))
    one.step([0, 1, 2])  # type: ignore[arg-type]
    other.step(np.array([0, 1, 2]))
    assert everything(one) == everything(other)
