"""`python -m benchmarks.limit`: what a decision must write, what memory and one core can do, where the time goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter import loops, play
from speicher_apps.meter.layers import TRAINING_GAMES
from speicher_apps.meter.meter import Lap, LapFunction, Rate, measure, timed
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_env.batch.step import find_illegal
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import N_STATE_BYTES
from speicher_training.machine import on_one_core

PLAYERS = (2, 3, 4, 5)
SECONDS, ROUNDS = 0.2, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.03, 2
PLACES = {"cache": 2**18, "batch": 2**22, "memory": 2**28}
"""Bytes of an array that fits into a core's own cache, of the rows of a batch in training, and of one too large for
any cache."""


def written_bytes(players: int) -> dict[str, int]:
    """What a caller must be handed for one decision."""
    return {
        "observation": 4 * observation_size(players),
        "mask": N_ACTIONS,
        "rewards": 4 * players,
        "seat and end": 2,
    }


def memory(seconds: float, rounds: int) -> dict[str, Any]:
    """Bytes per second that one core fills or copies, by the place where they lie."""
    found: dict[str, Any] = {}
    for place, size in PLACES.items():
        target, source = np.zeros(size // 4, dtype=np.float32), np.ones(size // 4, dtype=np.float32)
        times = max(1, 2**22 // size)
        works: dict[str, Callable[[], None]] = {
            "fill": lambda target=target: target.fill(1.0),
            "copy": lambda target=target, source=source: np.copyto(target, source),
        }
        found[place] = {"bytes": size}
        for name, work in works.items():
            found[place][name] = measure(_repeated(work, times, size), seconds=seconds, rounds=rounds).as_dict()
    return found


def _repeated(work: Callable[[], None], times: int, each: int) -> LapFunction:
    def lap() -> int:
        for _ in range(times):
            work()
        return times * each

    return timed(lap)


def parts(players: int, seconds: float, rounds: int) -> dict[str, Any]:
    """Nanoseconds of a decision for loops that do more and more of it, and for parts that can be had alone."""

    def nanoseconds(lap: LapFunction) -> dict[str, float]:
        return in_nanoseconds(measure(lap, seconds=seconds, rounds=rounds))

    batch = play.new_batch(players, TRAINING_GAMES)
    found = {what: nanoseconds(play.rules_loop(players, what)) for what in ("rules", "masked", "observed", "refreshed")}
    found["batch"] = nanoseconds(play.batch_steps(batch))
    found["choice"] = nanoseconds(choices(batch))
    found["check"] = nanoseconds(checks(batch))
    found["call"] = nanoseconds(calls(players))
    found["deal"] = nanoseconds(play.deals_loop(players))
    games = play.known_games(players)
    return {"times": found, "decisions_of_a_game": sum(len(moves) for _, moves in games) / len(games)}


def in_nanoseconds(rate: Rate) -> dict[str, float]:
    """The time of one, with its spread."""
    return {
        "median": round(1e9 / rate.median, 2),
        "low": round(1e9 / rate.high, 2),
        "high": round(1e9 / rate.low, 2),
        "rounds": [round(1e9 / each, 2) for each in rate.rates],
        "cpu": round(rate.cpu, 3),
    }


def choices(batch: Batch) -> LapFunction:
    """The choice of a random legal action, which the loops of rules make inside."""
    streams = np.stack([play.stream(seed) for seed in range(batch.num_games)])
    actions = np.zeros(batch.num_games, dtype=np.int64)

    def work() -> int:
        loops.choose_actions(batch.arrays.states, streams, actions)
        return batch.num_games

    return timed(work)


def checks(batch: Batch) -> LapFunction:
    """The look at all actions before any game is stepped."""
    streams = np.stack([play.stream(seed) for seed in range(batch.num_games)])
    actions, every = np.zeros(batch.num_games, dtype=np.int64), np.arange(batch.num_games)
    loops.choose_actions(batch.arrays.states, streams, actions)

    def work() -> int:
        find_illegal(batch.arrays.states, batch.arrays.waiting, every, actions)
        return batch.num_games

    return timed(work)


def calls(players: int) -> LapFunction:
    """A call of `Batch.step` for a single game: nearly all of it is the way from Python to the compiled code."""
    lap = play.batch_steps(play.new_batch(players, 1))

    def many() -> Lap:
        laps = [lap() for _ in range(play.CALLS)]
        return Lap(len(laps), sum(one.seconds for one in laps))

    return many


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.limit", __doc__)
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    result = header("python -m benchmarks.limit") | {"seconds": seconds, "rounds": rounds, "games": TRAINING_GAMES}
    with on_one_core():
        result["memory"] = memory(seconds, rounds)
        result["state_bytes"] = N_STATE_BYTES
        result["written"] = {str(players): written_bytes(players) for players in PLAYERS}
        result["players"] = {str(players): parts(players, seconds, rounds) for players in PLAYERS}
    write("limit", result, folder_of(options))


if __name__ == "__main__":
    main()
