"""How fast the environment is in a stack, beside the environment by itself, in one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from speicher_env.envs.vector import SpeicherVectorEnv

Play = Callable[[], int]
"""Plays for a moment, say a few hundred steps, and gives the number of decisions that it made."""


def beside_ours(play: Play, games: int = 64, players: int = 2, seats: str = "all", seconds: float = 1.0,
                rounds: int = 3, clock: Callable[[], float] = time.process_time) -> dict[str, float]:  # fmt: skip
    """The figures `decisions_per_second` and `ours_per_second`: medians of rounds that are measured in turn.

    Args:
        play: The environment in the stack, with random legal actions.
        games: Games at once of `SpeicherVectorEnv`; as many as `play` has.
        players: Number of players.
        seats: "all", or "one" if in `play` only one seat's decisions are asked for and counted.
        seconds: Least length of a round.
        rounds: Number of rounds.
        clock: Seconds of CPU of this process; `time.perf_counter` for a stack that works in several.
    """
    ours = _ours(games, players, seats)
    rates: dict[Play, list[float]] = {play: [], ours: []}
    for each in rates:
        each()  # whatever has to be compiled or imported
    for _ in range(rounds):
        for each, measured in rates.items():
            measured.append(_rate(each, seconds, clock))
    return {"decisions_per_second": median(rates[play]), "ours_per_second": median(rates[ours])}


def _rate(play: Play, seconds: float, clock: Callable[[], float]) -> float:
    decisions, begun = 0, clock()
    while (passed := clock() - begun) < seconds:
        decisions += play()
    return decisions / passed


def _ours(games: int, players: int, seats: str) -> Play:
    """`SpeicherVectorEnv` with random legal actions, drawn as a framework has to draw them."""
    env = SpeicherVectorEnv(games, players, seats=seats, autoreset_mode="same_step")
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def play() -> int:
        for _ in range(100):
            chances = rng.random((games, 184), dtype=np.float32) * env.action_masks()
            env.step(chances.argmax(axis=1))
        return 100 * games

    return play
