"""What counts as a decision, layer by layer: never a deal, a reset, a dead step, or what plays itself."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_apps.meter import layers, loops, play
from speicher_apps.meter.empty import EmptyEnv, in_standard_wrappers
from speicher_apps.meter.layers import LAYERS, measure_layers
from speicher_apps.meter.meter import LapFunction
from speicher_env import Game, speicherstadt_v0
from speicher_env.batch import Batch
from speicher_env.batch.step import random_action
from speicher_env.deal import template_for
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.observation import observation_size
from speicher_env.observation.encode import observe_at
from speicher_env.observation.refresh import SHOWN
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.state import EMPTY, OVER, blank_states
from speicher_env.rules.stream import next_seed
from speicher_env.rules.turn import deal, step

PLAYERS = (2, 3, 4, 5)


def no_clock() -> float:
    return 0.0


@pytest.fixture(autouse=True)
def small_laps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "KNOWN_GAMES", 2)
    monkeypatch.setattr(play, "CALLS", 3)
    monkeypatch.setattr(play, "PICTURES", 2)
    monkeypatch.setattr(layers, "PLAYED_GAMES", 3)


def moves_by_hand(players: int, decisions: int) -> np.ndarray:
    """The state after so many decisions in game after game, stepped one by one from Python."""
    templates, _ = template_for(players, "standard")
    states, chance = blank_states(1), play.stream()
    for _ in range(decisions):
        if states["phase"][0] == OVER:
            deal(states, 0, templates, 0, next_seed(int(states["seed"][0])), EMPTY)
        assert step(states, 0, random_action(states[0], chance))
    return states


@pytest.mark.parametrize("players", PLAYERS)
def test_the_loops_of_rules_play_as_many_decisions_as_they_say(players: int) -> None:
    decisions = 400  # more than one game
    templates, _ = template_for(players, "standard")
    wanted = moves_by_hand(players, decisions)
    mask, row = np.zeros(MASK_WORDS, dtype=np.uint64), np.zeros(observation_size(players), dtype=np.float32)
    for loop, rest in (
        (loops.play_rules, ()),
        (loops.play_masked, (mask,)),
        (loops.play_observed, (mask, players, row)),
        (loops.play_refreshed, (mask, players, row, np.zeros(1, dtype=SHOWN))),
    ):
        states = blank_states(1)
        assert loop(states, templates, play.stream(), decisions, *rest) == decisions
        assert states.tobytes() == wanted.tobytes(), loop.__name__


@pytest.mark.parametrize("players", PLAYERS)
def test_the_loops_write_the_observation_and_the_mask_of_the_state(players: int) -> None:
    templates, _ = template_for(players, "standard")
    for decisions in (1, 50, 150):
        mask, row = np.zeros(MASK_WORDS, dtype=np.uint64), np.zeros(observation_size(players), dtype=np.float32)
        states = blank_states(1)
        loops.play_refreshed(states, templates, play.stream(), decisions, mask, players, row, np.zeros(1, dtype=SHOWN))
        wanted = np.zeros_like(row)
        observe_at(states, 0, max(0, int(states["player"][0])), players, wanted)
        assert np.array_equal(row, wanted)
        assert np.flatnonzero(mask.view(np.int8)).tolist() == Game.from_state(states[0]).legal_ids()


@pytest.mark.parametrize("players", PLAYERS)
def test_a_lap_of_a_batch_counts_the_games_that_decide(players: int) -> None:
    games = 8
    lap = play.batch_steps(play.new_batch(players, games), clock=no_clock)
    assert {lap().count for _ in range(400)} == {games}  # deals come with the step that ends a game and add nothing


def test_a_lap_of_a_batch_counts_no_step_of_a_game_that_is_over() -> None:
    batch = Batch(8, 2, autoreset="next_step")
    batch.reset(np.arange(8))
    lap = play.batch_steps(batch, clock=no_clock)
    dealt = 0
    for _ in range(400):
        over = int((batch.action_masks.sum(axis=1) == 0).sum())
        assert lap().count == 8 - over
        dealt += over
    assert dealt > 0


def test_a_lap_against_random_players_counts_their_decisions_too() -> None:
    batch = play.new_batch(3, 8, seat="random")
    lap = play.batch_steps(batch, clock=no_clock)
    counts = [lap().count for _ in range(100)]
    assert sum(counts) / 800 > 2, "about three decisions for each of the caller's with three players"


def test_the_clock_of_a_batch_runs_during_the_step_only() -> None:
    batch, times = play.new_batch(2, 4), []
    now = 0.0

    def clock() -> float:
        times.append(batch.decisions)
        return now

    def step_slowly(actions: np.ndarray) -> None:
        nonlocal now
        now += 1.0
        batch.step(actions)

    assert play.batch_steps(batch, step_slowly, clock)().seconds == 1.0
    assert times[1] - times[0] == 4


def test_games_of_a_batch_stand_at_different_moments() -> None:
    batch = play.new_batch(2, 256)
    assert len(set(batch.arrays.states["round"].tolist())) >= 4


@pytest.mark.parametrize("players", PLAYERS)
def test_choices_from_masks_are_the_choices_from_states(players: int) -> None:
    batch = play.new_batch(players, 64)
    for _ in range(50):
        streams = play._streams(64)
        from_states, from_masks = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int64)
        loops.choose_actions(batch.arrays.states, streams, from_states)
        loops.choose_from_masks(batch.action_masks.view(np.uint64), play._streams(64), from_masks)
        assert np.array_equal(from_states, from_masks)
        batch.step(from_masks)
    assert play.choose_and_step(batch, steps=3)() == 3 * 64


def laps_of_known_games(lap: LapFunction) -> list[int]:
    return [lap().count for _ in range(4)]


@pytest.mark.parametrize("players", PLAYERS)
def test_whole_games_count_their_moves(players: int) -> None:
    games = play.known_games(players, 2)
    lengths = [len(moves) for _, moves in games]
    for make in (speicherstadt_v0.raw_env, speicherstadt_v0.env):
        assert laps_of_known_games(play.aec_games(make(players), games)) == lengths * 2
    assert laps_of_known_games(play.game_plays(players)) == lengths * 2


def test_known_games_end_with_their_last_move() -> None:
    games = play.known_games(3, 2)
    assert len(games) == 2
    for seed, moves in games:
        game = Game(3, seed=seed)
        for action in moves:
            assert not game.over
            game.play(action)
        assert game.over


def test_sampled_games_count_no_dead_step(monkeypatch: pytest.MonkeyPatch) -> None:
    env = speicherstadt_v0.raw_env(4)
    played = []
    monkeypatch.setattr(env, "step", lambda action, step=env.step: (played.append(action), step(action)))
    count = play.aec_sampled(env)().count
    assert played.count(None) == 4 and count == len(played) - 4


def test_a_single_seat_counts_the_decisions_of_all_seats() -> None:
    env = SpeicherEnv(3)
    lap = play.seat_games(env)
    before = env.batch.decisions
    count = lap().count
    assert count == env.batch.decisions - before
    assert env.batch.ended[0], "the lap ends with the game"
    assert count > 2 * int(env.batch.arrays.lanes["ended_length"][0])


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_empty_environment_plays_as_many_steps_as_it_is_told(wrapped: bool) -> None:
    env = EmptyEnv(3, 11)
    assert play.empty_games(in_standard_wrappers(env) if wrapped else env, 11)().count == 11
    assert env.steps == 11 and not env.agents


def test_copies_are_counted_as_calls() -> None:
    assert play.game_copies(2)().count == play.CALLS


def test_every_layer_measures_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "DECISIONS", 200)
    monkeypatch.setattr("speicher_apps.meter.layers.MANY_GAMES", 32)
    names = [layer.name for layer in LAYERS]
    assert len(set(names)) == len(names)
    alone = [layer for layer in LAYERS if layer.threads == 1 and "batch" not in layer.name]  # those have 1,024 games
    results = measure_layers([3], seconds=1e-9, rounds=2, layers=alone)
    for layer in alone:
        found = results[layer.name]
        assert "missing" in found or min(found["players"]["3"]["counts"]) > 0
        assert "missing" in found or len(found["players"]["3"]["seconds"]) == 2
