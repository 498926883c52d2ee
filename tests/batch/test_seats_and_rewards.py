"""Whose decisions a batch asks for, and that its learner is paid what the game is worth to its seat."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.batch import Batch
from speicher_env.rewards import SCHEMES
from speicher_env.views import Views
from tests.support.batch_play import HIGHEST, LOWEST, Highest, Lowest, draw_legal, paid, pick_legal
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


class Recorder:
    """Plays at random in the other seats of a batch of one, and writes its moves down."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.moves: list[int] = []

    def act(self, views: Views) -> np.ndarray:
        actions = draw_legal(views.masks, self.rng)
        self.moves += actions.tolist()
        return actions


@pytest.mark.parametrize(("players", "reward"), list(product(PLAYER_COUNTS, SCHEMES)))
def test_the_summed_rewards_of_the_learner_are_its_payoff_in_a_replay_of_the_same_moves(
    players: int, reward: str
) -> None:
    """In every seat, over several games on end, whoever makes the last move."""
    last_movers = set()
    for seat in range(few_or_many(1, players)):
        recorder = Recorder()
        batch = Batch(1, players, "sampled", seat, recorder, reward)
        batch.reset([seat])
        rng = np.random.default_rng(seat)
        for _ in range(few_or_many(1, 4)):
            last_movers.add(play_one_game(batch, seat, reward, recorder, rng) == seat)
    assert last_movers == few_or_many(last_movers, {True, False})


def play_one_game(batch: Batch, seat: int, reward: str, recorder: Recorder, rng: np.random.Generator) -> int:
    """Play the game that waits in a batch of one, and again as a `Game`; gives the seat of the last move."""
    game = Game(batch.num_players, "sampled", int(batch.arrays.states["seed"][0]))
    total = 0.0
    ended = False
    while not ended:
        play_recorded(game, recorder)
        assert game.player == seat
        action = draw_legal(batch.action_masks, rng)
        batch.step(action)
        game.play(int(action[0]))
        total += float(batch.rewards[0, seat])
        ended = bool(batch.ended[0])
    last = play_recorded(game, recorder)
    assert game.over
    assert total == pytest.approx(paid(game, reward)[seat], abs=1e-7)
    assert batch.rewards[0].tolist() == paid(game, reward)
    assert batch.outcome(0)["points"] == game.points()[seat]
    assert batch.outcome(0)["rank"] == game.ranks()[seat]
    return seat if last is None else last


def play_recorded(game: Game, recorder: Recorder) -> int | None:
    """Play the recorded moves of the other seats that belong to this game; gives the seat of the last one."""
    last = None
    while recorder.moves and not game.over:
        last = game.player
        game.play(recorder.moves.pop(0))
    return last


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_with_all_seats_every_seat_is_paid_in_the_step_that_ends_the_game(players: int) -> None:
    for reward in SCHEMES:
        batch = Batch(2, players, reward=reward)
        batch.reset([0, 1])
        games = [Game(players, seed=seed) for seed in (0, 1)]
        rng = np.random.default_rng(0)
        for _ in range(few_or_many(3, 10_000)):
            assert batch.seats.tolist() == [game.player for game in games]
            actions = draw_legal(batch.action_masks, rng)
            batch.step(actions)
            for game, action in zip(games, actions.tolist(), strict=True):
                game.play(action)
            for lane, game in enumerate(games):
                assert batch.rewards[lane].tolist() == (paid(game, reward) if game.over else [0.0] * players)
            if any(game.over for game in games):
                break


# Whose seat


def learners(batch: Batch, games: int, seed: int = 0) -> list[list[int]]:
    """The learner's seats in so many games of each lane, one after the other."""
    batch.reset(np.arange(seed, seed + batch.num_games))
    lanes = batch.arrays.lanes
    seats = [[seat] for seat in lanes["seat"].tolist()]
    rng = np.random.default_rng(0)
    while min(map(len, seats)) < games:
        batch.step(draw_legal(batch.action_masks, rng))
        for lane in np.flatnonzero(batch.ended):
            assert batch.outcome(lane)["seat"] == seats[lane][-1]
            seats[lane].append(int(lanes["seat"][lane]))
        assert (batch.seats == lanes["seat"]).all()
    return [found[:games] for found in seats]


@pytest.mark.parametrize("players", few_or_many((2,), PLAYER_COUNTS))
def test_a_fixed_seat_is_that_of_every_game(players: int) -> None:
    for seat in range(players):
        assert learners(Batch(2, players, seat=seat), games=2) == [[seat, seat]] * 2


@pytest.mark.parametrize("players", few_or_many((2,), PLAYER_COUNTS))
def test_a_rotating_seat_moves_on_by_one_with_every_game_and_lane(players: int) -> None:
    games = players + 1
    expected = [[(lane + game) % players for game in range(games)] for lane in range(players + 1)]
    assert learners(Batch(players + 1, players, seat="rotating"), games) == expected
    batch = Batch(2, players, seat="rotating")
    batch.reset([0, 1])
    batch.reset([5, 6], rotate_on=True)
    assert batch.seats.tolist() == [1 % players, 2 % players]
    batch.reset([5, 6])
    assert batch.seats.tolist() == [0, 1]


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_drawn_seat_follows_from_the_games_seed_and_is_even(players: int) -> None:
    count = few_or_many(60, 6000)
    batch = Batch(count, players, seat="random")
    batch.reset(np.arange(count))
    seats = batch.seats.copy()
    drawn = np.bincount(seats, minlength=players)
    share = 1 / players
    # Five standard deviations of a count.
    assert np.abs(drawn - count * share).max() < 5 * np.sqrt(count * share * (1 - share))
    batch.reset(np.arange(count)[::-1].copy())
    assert batch.seats.tolist() == seats[::-1].tolist()
    # The seat that begins is drawn apart from it.
    first = batch.arrays.states["first_player"] == batch.seats
    assert abs(first.mean() - share) < 5 * np.sqrt(share * (1 - share) / count)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_learner_is_shown_its_own_seat_and_only_its_own_decisions(players: int) -> None:
    batch = Batch(5, players, seat="random")
    batch.reset(np.arange(5))
    for where in np.random.default_rng(0).random((few_or_many(4, 200), 5)):
        batch.step(pick_legal(batch.action_masks, where))
        assert (batch.arrays.states["player"] == batch.seats).all()
        assert (batch.action_masks.sum(axis=1) >= 2).all()


def test_the_seat_that_begins_can_be_fixed() -> None:
    batch = Batch(20, 5, first_player=3)
    batch.reset(np.arange(20))
    assert set(batch.seats.tolist()) == {3}
    assert set(batch.arrays.states["first_player"].tolist()) == {3}


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_with_nobodys_seat_a_reset_plays_whole_games_between_the_opponents(players: int) -> None:
    """From seat 0 on, compiled and outside mixed."""
    seated = [LOWEST, Highest(), HIGHEST, Lowest(), LOWEST][:players]
    choose = [min, max, max, min, min]
    batch = Batch(2, players, seat="none", opponents=seated, autoreset="disabled")
    batch.reset([5, 6])
    for lane, seed in enumerate((5, 6)):
        game = Game(players, seed=seed)
        while not game.over:
            game.play(choose[game.player](game.legal_ids()))
        assert batch.arrays.states[lane].tobytes() == game.state.tobytes()
        assert batch.ended[lane] and batch.rewards[lane].tolist() == paid(game, "outcome")
        assert [seat["points"] for seat in batch.outcome(lane)["seats"]] == game.points()
    whole = Batch(2, players, seat="none", opponents=LOWEST, autoreset="disabled")
    whole.reset([5, 6])
    assert whole.ended.all()
