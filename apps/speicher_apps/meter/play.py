"""Lap functions: the games that are played, and the part of them that is measured."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from speicher_apps.meter import loops
from speicher_apps.meter.meter import Clock, Lap, LapFunction, timed
from speicher_env import Game
from speicher_env.batch import Batch
from speicher_env.deal import template_for
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.observation import observation_size
from speicher_env.observation.refresh import SHOWN
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.state import blank_states
from speicher_env.rules.stream import PLAY_STREAM, start_stream

__all__ = [
    "CALLS", "SEED", "aec_games", "aec_sampled", "batch_steps", "choose_and_step", "deals_loop", "empty_games",
    "frames", "game_copies", "game_plays", "known_games", "mean_length", "new_batch", "rules_loop", "seat_games",
    "spread_out", "stream",
]  # fmt: skip

SEED = 1
"""Of the first game of every layer."""
DECISIONS = 20_000
"""In a lap of a compiled loop; some milliseconds."""
KNOWN_GAMES = 20
"""Games whose moves are drawn before the measurement; they are played repeatedly."""
SPREAD_STEPS = 64
"""Steps over which the games of a batch are dealt again, part by part, so that they are at different moments."""
PICTURES = 32
"""Positions of a game that are drawn."""
CALLS = 1000
"""In a lap of a call that takes about a microsecond."""

KnownGame = tuple[int, list[int]]
"""A seed, and actions to the end of its game."""


def stream(seed: int = SEED) -> np.ndarray:
    """A random stream for the choice of actions."""
    return np.array(start_stream(np.uint64(seed), PLAY_STREAM), dtype=np.int64)


# The rules, compiled into one loop


def rules_loop(players: int, what: str, decisions: int = DECISIONS) -> LapFunction:
    """Random playouts within one compiled loop: "rules", "masked", "observed" or "refreshed"."""
    templates, _ = template_for(players, "standard")
    states, chance = blank_states(1), stream()
    mask = np.zeros(MASK_WORDS, dtype=np.uint64)
    row = np.zeros(observation_size(players), dtype=np.float32)
    shown = np.zeros(1, dtype=SHOWN)
    base = (states, templates, chance, decisions)
    work: dict[str, Callable[[], int]] = {
        "rules": lambda: loops.play_rules(*base),
        "masked": lambda: loops.play_masked(*base, mask),
        "observed": lambda: loops.play_observed(*base, mask, players, row),
        "refreshed": lambda: loops.play_refreshed(*base, mask, players, row, shown),
    }
    return timed(work[what])


def deals_loop(players: int) -> LapFunction:
    """Deals only."""
    templates, _ = template_for(players, "standard")
    states = blank_states(1)
    return timed(lambda: loops.deal_games(states, templates, DECISIONS // 100))


# Batches and the environments around them


def spread_out(batch: Batch) -> None:
    """Bring the games of a batch to different moments: in step, their branches would be easier to predict."""
    streams, actions = _streams(batch.num_games), np.zeros(batch.num_games, dtype=np.int64)
    seed = SEED + batch.num_games
    for number in range(SPREAD_STEPS):
        lanes = np.arange(number, batch.num_games, SPREAD_STEPS)
        if lanes.size:
            batch.reset(np.arange(seed, seed + lanes.size), lanes)
            seed += lanes.size
        loops.choose_actions(batch.arrays.states, streams, actions)
        batch.step(actions)


def batch_steps(
    batch: Batch, step: Callable[[np.ndarray], Any] | None = None, clock: Clock = perf_counter
) -> LapFunction:
    """A step of all games of a batch, by itself or through the environment around it.

    Random legal actions are drawn before the clock starts. The decisions of the caller and of the players inside the
    step count; deals and steps of games that are over do not.
    """
    streams, actions = _streams(batch.num_games), np.zeros(batch.num_games, dtype=np.int64)
    step = batch.step if step is None else step

    def lap() -> Lap:
        loops.choose_actions(batch.arrays.states, streams, actions)
        before = batch.decisions
        start = clock()
        step(actions)
        seconds = clock() - start
        return Lap(batch.decisions - before, seconds)

    return lap


def choose_and_step(batch: Batch, steps: int = 16) -> Callable[[], int]:
    """Steps of a batch with random legal actions drawn from the masks: the whole loop of a random player."""
    streams, actions = _streams(batch.num_games), np.zeros(batch.num_games, dtype=np.int64)

    def work() -> int:
        before = batch.decisions
        for _ in range(steps):
            loops.choose_from_masks(batch.action_masks.view(np.uint64), streams, actions)
            batch.step(actions)
        return batch.decisions - before

    return work


def new_batch(players: int, games: int, *, seat: str = "all", threads: int = 1, dtype: str = "float32") -> Batch:
    """A batch of standard games at different moments, with random players in the other seats."""
    batch = Batch(games, players, seat=seat, threads=threads, dtype=dtype)
    batch.reset(np.arange(SEED, SEED + games))
    spread_out(batch)
    return batch


def whole_games(players: int, player: str, games: int) -> Callable[[], int]:
    """Whole games of a compiled player in every seat, from the deal to the end."""
    batch = Batch(games, players, seat="none", opponents=[player] * players, autoreset="disabled")
    seeds = np.arange(SEED, SEED + games)

    def work() -> int:
        before = batch.decisions
        batch.reset(seeds)
        return batch.decisions - before

    return work


def _streams(games: int) -> np.ndarray:
    return np.stack([stream(SEED + game) for game in range(games)])


# One game at a time


def known_games(players: int, count: int | None = None) -> list[KnownGame]:
    """Random games with their moves; `count` is KNOWN_GAMES by default."""
    seeds = range(SEED, SEED + (KNOWN_GAMES if count is None else count))
    return [(seed, _random_moves(Game(players, seed=seed), random.Random(seed))) for seed in seeds]


def _random_moves(game: Game, chance: random.Random) -> list[int]:
    while not game.over:
        game.play(chance.choice(game.legal_ids()))
    return game.move_ids or []


def aec_games(env: AECEnv, games: Sequence[KnownGame], clock: Clock = perf_counter) -> LapFunction:
    """One game after the other through `last()` and `step()`, with known actions.

    The time is from the reset to the last agent's dead step; only decisions count.
    """
    return _one_by_one(games, lambda seed, moves: _aec_game(env, seed, moves), clock)


def _aec_game(env: AECEnv, seed: int, moves: Sequence[int]) -> int:
    env.reset(seed)
    for action in moves:
        env.last()
        env.step(action)
    while env.agents:
        env.last()
        env.step(None)
    return len(moves)


def aec_sampled(env: AECEnv) -> LapFunction:
    """One game after the other, each action drawn by the action space from the mask."""
    seed = SEED

    def work() -> int:
        nonlocal seed
        env.reset(seed)
        seed += 1
        count = 0
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
            count += 1
        return count

    return timed(work)


def empty_games(env: AECEnv, length: int) -> LapFunction:
    """Games of an `EmptyEnv`."""
    return aec_games(env, [(SEED, [0] * length)])


def mean_length(games: Sequence[KnownGame]) -> int:
    """Decisions of a game, on average."""
    return round(sum(len(moves) for _, moves in games) / len(games))


def seat_games(env: Any, clock: Clock = perf_counter) -> LapFunction:
    """One game after the other through the single-seat environment, with known actions of the learner.

    The decisions of all seats count.
    """
    batch: Batch = env.unwrapped.batch
    games = [(seed, _learner_moves(batch.num_players, seed)) for seed in range(SEED, SEED + KNOWN_GAMES)]

    def play(seed: int, moves: Sequence[int]) -> int:
        before = batch.decisions
        env.reset(seed=seed)
        for action in moves:
            env.step(action)
        return batch.decisions - before

    return _one_by_one(games, play, clock)


def _learner_moves(players: int, seed: int) -> list[int]:
    env, chance, moves, over = SpeicherEnv(players), random.Random(seed), [], False
    _, info = env.reset(seed=seed)
    while not over:
        moves.append(chance.choice(np.flatnonzero(info["action_mask"]).tolist()))
        _, _, over, _, info = env.step(moves[-1])
    return moves


def game_plays(players: int, clock: Clock = perf_counter) -> LapFunction:
    """`Game.play` in one game after the other; making the games is not measured."""

    def lap(seed: int, moves: Sequence[int]) -> Lap:
        game = Game(players, seed=seed)
        start = clock()
        for action in moves:
            game.play(action)
        return Lap(len(moves), clock() - start)

    games = known_games(players)
    number = -1

    def next_lap() -> Lap:
        nonlocal number
        number = (number + 1) % len(games)
        return lap(*games[number])

    return next_lap


def game_copies(players: int) -> LapFunction:
    """`Game.copy` in the middle of a game."""
    seed, moves = known_games(players, 1)[0]
    game = Game(players, seed=seed)
    for action in moves[: len(moves) // 2]:
        game.play(action)

    def work() -> int:
        for _ in range(CALLS):
            game.copy()
        return CALLS

    return timed(work)


def frames(players: int) -> LapFunction:
    """Pictures of a game's positions in pixels, one after the other, as for a film, from the middle of the game."""
    from speicher_env.render import frame

    seed, moves = known_games(players, 1)[0]
    game = Game(players, seed=seed)
    states = [game.state]
    for action in moves:
        game.play(action)
        states.append(game.state)

    first = max(0, (len(states) - PICTURES) // 2)
    shown = states[first : first + PICTURES]

    def work() -> int:
        for state in shown:
            frame(state)
        return len(shown)

    return timed(work)


def _one_by_one(
    games: Sequence[KnownGame], play: Callable[[int, Sequence[int]], int], clock: Clock = perf_counter
) -> LapFunction:
    """A lap for each game in turn, again and again."""
    number = -1

    def work() -> int:
        nonlocal number
        number = (number + 1) % len(games)
        return play(*games[number])

    return timed(work, clock)
