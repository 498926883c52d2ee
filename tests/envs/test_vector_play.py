"""The vector environment: rewards of the learner, every seat's decisions, what is returned and kept, opponents."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from speicher_env import Game, IllegalAction
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.rewards import SCHEMES
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import HIGHEST, Lowest, draw_legal, everything, observed, paid
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


# One learner


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, SCHEMES)))
def test_the_summed_rewards_of_a_row_are_its_seats_final_payoff(players: int, reward: str, mode: str) -> None:
    """In every seat, each beside a `Game` in which the same opponents are played by hand."""
    env = SpeicherVectorEnv(players, players, "sampled", "rotating", HIGHEST, reward, autoreset_mode=mode)
    _, info = env.reset(seed=3)
    seats = info["seat"].tolist()
    assert seats == list(range(players))
    games = [Game(players, "sampled", 3 + row) for row in range(players)]
    totals = np.zeros(players)
    done = np.zeros(players, dtype=bool)
    rng = np.random.default_rng(0)
    while not done.all():
        actions = draw_legal(info["action_mask"], rng)
        for row in np.flatnonzero(~done):
            play_highest_up_to(games[row], seats[row])
            games[row].play(int(actions[row]))
            play_highest_up_to(games[row], seats[row])
        _, rewards, over, truncated, info = env.step(actions)
        assert rewards.dtype == np.float64 and not truncated.any()
        for row in np.flatnonzero(~done):
            totals[row] += rewards[row]
            assert over[row] == games[row].over
            if over[row]:
                assert totals[row] == pytest.approx(paid(games[row], reward)[seats[row]], abs=1e-7)
                assert_told(info["final_info"] if mode == "same_step" else info, row, games[row], seats[row])
        done |= over
        if not few_or_many(False, True):
            break


def play_highest_up_to(game: Game, seat: int) -> None:
    while not game.over and game.player != seat:
        game.play(max(game.legal_ids()))


def assert_told(info: dict[str, Any], row: int, game: Game, seat: int) -> None:
    """How a game went, as arrays with a row for each game."""
    points = game.points()[seat]
    assert dict(zip(SOURCES, info["points"][row].tolist(), strict=True)) == {name: points[name] for name in SOURCES}
    assert info["points_total"][row] == points["total"]
    assert info["coins"][row] == game.coins[seat]
    assert info["rank"][row] == game.ranks()[seat]
    assert info["seed"][row] == game.seed
    assert info["seat"][row] == seat
    assert info["episode_length"][row] > 15
    assert not info["illegal"][row] and not info["lost_illegally"][row]
    for name in ("points", "points_total", "coins", "rank", "seed", "seat", "episode_length"):
        assert info[f"_{name}"][row]


# Every seat


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, SCHEMES)))
def test_all_seats_gives_every_decision_with_whose_it_is_and_what_each_seat_is_paid(
    players: int, reward: str, mode: str
) -> None:
    env = SpeicherVectorEnv(2, players, reward=reward, seats="all", autoreset_mode=mode)
    rows, info = env.reset(seed=5)
    games = [Game(players, seed=5 + row) for row in range(2)]
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(few_or_many(5, 10_000)):
        for row, game in enumerate(games):
            if not game.over:
                assert info["seat"][row] == game.player
                assert np.flatnonzero(info["action_mask"][row]).tolist() == game.legal_ids()
                assert rows[row].tobytes() == observed(game, game.player, players, rows.shape[1])
        acted = info["seat"].copy()
        actions = draw_legal(info["action_mask"], rng)
        rows, rewards, over, _, info = env.step(actions)
        for row, game in enumerate(games):
            if game.over:  # next_step: the action was ignored, a new game is dealt
                games[row] = Game(players, seed=next_seed(game.seed))
                assert rewards[row] == 0 and not over[row] and not info["rewards"][row].any()
                continue
            game.play(int(actions[row]))
            assert over[row] == game.over
            payoff = paid(game, reward) if game.over else [0.0] * players
            assert info["rewards"][row].tolist() == payoff
            assert rewards[row] == payoff[acted[row]]
            if game.over:
                ends += 1
                told = info["final_info"] if mode == "same_step" else info
                assert told["points_total"][row].tolist() == [points["total"] for points in game.points()]
                assert told["coins"][row].tolist() == game.coins
                assert told["rank"][row].tolist() == game.ranks()
                assert told["points"][row].shape == (players, len(SOURCES))
                if mode == "same_step":
                    last = observed(game, int(acted[row]), players, rows.shape[1])
                    assert info["final_obs"][row].tobytes() == last
                    games[row] = Game(players, seed=next_seed(game.seed))
        if ends >= 3:
            break
    assert ends >= few_or_many(0, 3)


def test_all_seats_needs_no_opponents_and_shows_everybody_in_turn() -> None:
    env = SpeicherVectorEnv(3, 4, seats="all")
    _, info = env.reset(seed=0)
    seen = set()
    for _ in range(few_or_many(8, 40)):
        seen |= set(info["seat"].tolist())
        _, _, _, _, info = env.step(draw_legal(info["action_mask"], np.random.default_rng(0)))
    assert seen == {0, 1, 2, 3}


# What is returned


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("observation", ["vector", "dict"])
def test_what_was_returned_stays_as_it_is(observation: str, mode: str) -> None:
    env = SpeicherVectorEnv(2, observation=observation, autoreset_mode=mode, illegal="random", seats="all")
    returned = [env.reset(seed=0)]
    before = [flat(returned[0])]
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 200)):
        returned.append(env.step(draw_legal(returned[-1][-1]["action_mask"], rng)))
        before.append(flat(returned[-1]))
    assert [flat(each) for each in returned] == before


def flat(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: flat(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [flat(part) for part in value]
    if value.dtype == object:
        return [None if part is None else flat(part) for part in value]
    return value.tobytes()


def test_writing_on_what_was_returned_changes_no_game() -> None:
    env, other = (SpeicherVectorEnv(2, 3, observation="dict") for _ in range(2))
    mine, twin = env.reset(seed=0), other.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 50)):
        actions = draw_legal(twin[-1]["action_mask"], rng)
        for array in (mine[0]["observation"], mine[0]["action_mask"], mine[-1]["action_mask"], mine[-1]["seat"]):
            array[:] = 1
        env.action_masks()[:] = 1
        mine, twin = env.step(actions), other.step(actions)
        assert flat(mine) == flat(twin)


def test_without_copies_the_environments_own_arrays_are_returned() -> None:
    env, other = SpeicherVectorEnv(2, copy=False), SpeicherVectorEnv(2)
    rows, info = env.reset(seed=0)
    _, twin = other.reset(seed=0)
    assert np.shares_memory(rows, env.batch.observations)
    assert np.shares_memory(info["action_mask"], env.batch.action_masks)
    rng = np.random.default_rng(0)
    for _ in range(few_or_many(5, 50)):
        actions = draw_legal(twin["action_mask"], rng)
        again, *_, info = env.step(actions)
        expected, *_, twin = other.step(actions)
        assert again is rows or np.shares_memory(again, rows)
        assert again.tobytes() == expected.tobytes()
        assert info["action_mask"].tobytes() == twin["action_mask"].tobytes()


# Opponents and illegal actions


def test_opponents_can_be_swapped_in_some_rows() -> None:
    env, other = (SpeicherVectorEnv(3, seat=0, opponents=HIGHEST, first_player=1) for _ in range(2))
    env.set_opponents(Lowest(), rows=[1])
    env.reset(seed=0)
    other.reset(seed=0)
    for row, same in enumerate((True, False, True)):
        assert (env.batch.arrays.states[row].tobytes() == other.batch.arrays.states[row].tobytes()) == same


def test_an_illegal_action_names_the_row_and_steps_nothing() -> None:
    env = SpeicherVectorEnv(3, num_players=2, seat=0)
    _, info = env.reset(seed=0)
    before = everything(env.batch)
    actions = draw_legal(info["action_mask"], np.random.default_rng(0))
    actions[2] = 183
    with pytest.raises(IllegalAction, match=r'game 2: action="end": must be place 0.*, as player_0 decides in demand'):
        env.step(actions)
    assert everything(env.batch) == before


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_lost_games_are_told_in_the_info(mode: str) -> None:
    env = SpeicherVectorEnv(3, num_players=3, illegal="lose", autoreset_mode=mode)
    _, info = env.reset(seed=0)
    assert info["illegal"].tolist() == [0, 0, 0]
    actions = draw_legal(info["action_mask"], np.random.default_rng(0))
    actions[1] = 183
    _, rewards, over, _, info = env.step(actions)
    assert rewards.tolist() == [0, -0.5, 0] and over.tolist() == [False, True, False]
    told = info["final_info"] if mode == "same_step" else info
    assert told["lost_illegally"].tolist() == [False, True, False]
    assert told["illegal"].tolist() == [0, 1, 0] and told["rank"].tolist() == [0, 3, 0]


def test_replaced_actions_are_counted_in_every_info() -> None:
    env = SpeicherVectorEnv(2, num_players=2, illegal="random", autoreset_mode="same_step")
    _, info = env.reset(seed=0)
    counts = np.zeros(2, dtype=int)
    ends = 0
    for step in range(few_or_many(6, 400)):
        actions = draw_legal(info["action_mask"], np.random.default_rng(step))
        if step % 3 == 0:
            actions[1] = 999
            counts[1] += 1
        _, _, over, _, info = env.step(actions)
        if over.any():
            ends += 1
            assert info["final_info"]["illegal"].tolist() == (counts * over).tolist()
            counts[over] = 0
        assert info["illegal"].tolist() == counts.tolist()
    assert ends > few_or_many(-1, 2)


def test_in_next_step_mode_the_counts_of_the_other_rows_stay_when_a_game_ends() -> None:
    env = SpeicherVectorEnv(2, num_players=2, illegal="random")
    _, info = env.reset(seed=0)
    counts = np.zeros(2, dtype=int)
    over = np.zeros(2, dtype=bool)
    for step in range(few_or_many(6, 400)):
        counts[over] = 0
        actions = draw_legal(info["action_mask"], np.random.default_rng(step))
        if step % 3 == 0:
            counts += ~over  # the action of a game that is over is ignored
            actions[:] = 999
        _, _, over, _, info = env.step(actions)
        assert info["illegal"].tolist() == counts.tolist()
        assert info["_illegal"].all()
