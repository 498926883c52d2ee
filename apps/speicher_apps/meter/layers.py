"""The layers that are measured: their names, what they play, and what counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

from speicher_agents.scripted.ladder import LADDER
from speicher_apps.meter import play
from speicher_apps.meter.empty import EmptyEnv, in_standard_wrappers
from speicher_apps.meter.meter import LapFunction, Measurement, timed
from speicher_env import speicherstadt_v0
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_training.machine import on_one_core, usable_cores

__all__ = ["CALLS", "GAMES_OF", "NOTES", "TRAINING_GAMES", "measure_layers"]

TRAINING_GAMES = 1024
"""A common number for one learner."""
MANY_GAMES = 4096
PLAYED_GAMES = 500
"""Whole games of a scripted player in every seat, side by side."""
GAMES_OF = "games_"
"""Names of these layers begin with this."""

DECISIONS, CALLS = "decisions", "calls"


@dataclass(frozen=True)
class Layer:
    """Something to measure for a number of players."""

    name: str
    """Name in the JSON."""
    title: str
    """Title in the table."""
    lap: Callable[[int], LapFunction]
    """Makes the lap for a number of players."""
    unit: str = DECISIONS
    threads: int = 1
    needs: str = ""
    """A package that the layer needs and that is optional."""

    def missing(self) -> str:
        """The reason why the layer cannot be measured here; empty if it can be."""
        if self.needs and find_spec(self.needs) is None:
            return f"{self.needs} is not installed"
        cores = len(usable_cores())
        if cores and self.threads > cores:
            return f"{self.threads} threads need as many cores, this process may use {cores}"
        return ""


def _batch(players: int, games: int, *, seat: str = "all", threads: int = 1, dtype: str = "float32") -> LapFunction:
    return play.batch_steps(play.new_batch(players, games, seat=seat, threads=threads, dtype=dtype))


def _games_of(players: int, player: str) -> LapFunction:
    return timed(play.whole_games(players, player, PLAYED_GAMES))


def _vector_env(players: int, copy: bool) -> LapFunction:
    env = SpeicherVectorEnv(MANY_GAMES, players, copy=copy)
    env.reset(seed=play.SEED)
    play.spread_out(env.batch)
    return play.batch_steps(env.batch, env.step)


def _sb3_env(players: int, masks: bool) -> LapFunction:
    from speicher_env.envs.sb3 import SpeicherVecEnv

    env = SpeicherVecEnv(MANY_GAMES, players, seed=play.SEED)
    env.reset()
    play.spread_out(env.batch)

    def step_and_ask(actions: np.ndarray) -> None:
        env.step(actions)
        np.stack(env.env_method("action_masks"))  # as sb3-contrib asks

    return play.batch_steps(env.batch, step_and_ask if masks else env.step)


def _aec(players: int, make: Callable[..., Any]) -> LapFunction:
    return play.aec_games(make(players), play.known_games(players))


def _aec_sampled(players: int) -> LapFunction:
    return play.aec_sampled(speicherstadt_v0.env(players))


def _empty(players: int, wrapped: bool) -> LapFunction:
    length = play.mean_length(play.known_games(players))
    env = EmptyEnv(players, length)
    return play.empty_games(in_standard_wrappers(env) if wrapped else env, length)


def _seat(players: int, made: bool) -> LapFunction:
    return play.seat_games(gymnasium.make("Speicherstadt-v0", num_players=players) if made else SpeicherEnv(players))


_MANY = f"{MANY_GAMES:,} games"

LAYERS = (
    Layer("rules", "rules only", partial(play.rules_loop, what="rules")),
    Layer("rules_mask", "rules with mask", partial(play.rules_loop, what="masked")),
    Layer(
        "rules_observation",
        "rules with mask and observation, all of it written",
        partial(play.rules_loop, what="observed"),
    ),
    Layer(
        "rules_refreshed",
        "rules with mask and observation, kept up to date",
        partial(play.rules_loop, what="refreshed"),
    ),
    Layer("batch", f"Batch.step, {TRAINING_GAMES:,} games", partial(_batch, games=TRAINING_GAMES)),
    Layer(
        "batch_uint8",
        f'Batch.step, {TRAINING_GAMES:,} games, dtype="uint8"',
        partial(_batch, games=TRAINING_GAMES, dtype="uint8"),
    ),
    Layer("batch_many", f"Batch.step, {_MANY}", partial(_batch, games=MANY_GAMES)),
    Layer(
        "batch_two_threads",
        f"Batch.step, {_MANY}, two threads",
        partial(_batch, games=MANY_GAMES, threads=2),
        threads=2,
    ),
    Layer(
        "batch_one_seat",
        f"Batch.step, {_MANY}, one seat against random players",
        partial(_batch, games=MANY_GAMES, seat="random"),
    ),
    Layer("vector_env", f"VectorEnv, {_MANY}", partial(_vector_env, copy=True)),
    Layer("vector_env_views", f"VectorEnv, {_MANY}, copy=False", partial(_vector_env, copy=False)),
    Layer("vec_env", f"stable-baselines3 VecEnv, {_MANY}", partial(_sb3_env, masks=False), needs="stable_baselines3"),
    Layer(
        "vec_env_masks",
        f"stable-baselines3 VecEnv, {_MANY}, masks as sb3-contrib asks for them",
        partial(_sb3_env, masks=True),
        needs="stable_baselines3",
    ),
    *(
        Layer(f"{GAMES_OF}{player.name}", f"{player.name} in every seat", partial(_games_of, player=player.name))
        for player in LADDER
    ),
    Layer("seat", "single seat, SpeicherEnv", partial(_seat, made=False)),
    Layer("seat_made", "single seat, gymnasium.make", partial(_seat, made=True)),
    Layer("aec_raw", "PettingZoo raw_env", partial(_aec, make=speicherstadt_v0.raw_env)),
    Layer("aec", "PettingZoo env", partial(_aec, make=speicherstadt_v0.env)),
    Layer("aec_sampled", "PettingZoo env, actions drawn by action_space.sample(mask)", _aec_sampled),
    Layer("empty_raw", "an empty AEC environment", partial(_empty, wrapped=False)),
    Layer("empty_wrapped", "an empty AEC environment in PettingZoo's three wrappers", partial(_empty, wrapped=True)),
    Layer("game_play", "Game.play", play.game_plays),
    Layer("game_copy", "Game.copy", play.game_copies, unit=CALLS),
    Layer("frame", "a picture in pixels, 960 wide", play.frames, unit=CALLS, needs="resvg_py"),
)

NOTES = (
    "Only decisions of seats that have a choice count: no deals, no dead steps, no forced moves. The time includes "
    "deals and the ends of games.",
    "Rules: one compiled loop plays game after game in one record and chooses each random legal action itself.",
    "Batch, VectorEnv, VecEnv: the calls of step() only; actions are drawn beforehand. The games are at different "
    "moments, and a new one is dealt when one ends. With one seat for the caller, the decisions of the random players "
    "within the step count too.",
    f"Players: whole games of a scripted player in every seat, {PLAYED_GAMES} side by side, deals included.",
    "Single seat and PettingZoo: whole games with reset, last() and step(); actions are known beforehand. The empty "
    "environment has spaces like ours, copies its arrays and does PettingZoo's bookkeeping, and nothing else.",
    f"Pictures: {play.PICTURES} positions of a game in order; parts that do not change are reused.",
)


def measure_layers(
    players: Sequence[int],
    *,
    seconds: float,
    rounds: int,
    layers: Sequence[Layer] = LAYERS,
    progress: Callable[[str, int], None] = lambda title, players: None,
) -> dict[str, Any]:
    """Every layer for every number of players: {layer: {"title", "unit", "threads", "players": {n: rate}}}.

    The layers take turns, round by round, so that another program on the machine slows all of them alike.
    """
    results: dict[str, Any] = {}
    for layer in layers:
        results[layer.name] = {"title": layer.title, "unit": layer.unit, "threads": layer.threads}
        why = layer.missing()
        if why:
            results[layer.name]["missing"] = why
        else:
            results[layer.name]["players"] = {}
    present = [layer for layer in layers if "missing" not in results[layer.name]]
    for count in players:
        measurements: dict[Layer, Measurement] = {}
        for layer in present:
            progress(layer.title, count)
            measurements[layer] = Measurement(layer.lap(count), seconds)
            measurements[layer].warm_up()
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}", count)
            with on_one_core():
                for layer in present:
                    if layer.threads == 1:
                        measurements[layer].round()
            for layer in present:
                if layer.threads > 1:
                    measurements[layer].round()
        for layer, measurement in measurements.items():
            results[layer.name]["players"][str(count)] = measurement.rate().as_dict()
    return results
