"""Game records of an arena's games: the moves are played again, and what compiled players chose is asked again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from speicher_env import Game
from speicher_env._jit import jit
from speicher_env.batch.opponents import by_address
from speicher_env.batch.step import Choose, random_action
from speicher_env.record import line_of
from speicher_env.rules.stream import PLAY_STREAM, start_stream
from speicher_env.views import CompiledPlayer
from speicher_training.arena.plan import Plan, Seated, is_outside

_STREAM = np.dtype([("stream", np.int64, (4,))])


def write_records(path: Path, plan: Plan, seated: list[Seated], games: Iterable[dict[str, Any]]) -> None:
    """Write a file of records, whole or not at all.

    Args:
        path: The file.
        plan: The run.
        seated: Its players.
        games: Of each game the seed, deal and number, the moves of players outside, and a forfeit or None.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8", newline="\n") as stream:
        for told in games:
            seating = plan.schedule.seatings[told["game"]]
            game = play_again(plan, seated, told["seed"], seating, told["moves"])
            record = game.to_record()
            record["arena"] = {
                "deal": told["deal"],
                "game": told["game"],
                "players": [plan.names[player] for player in seating],
                "forfeit": told["forfeit"],
            }
            stream.write(line_of(record))
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)


def play_again(plan: Plan, seated: list[Seated], seed: int, seating: np.ndarray, moves: list[int]) -> Game:
    """A game of an arena from its deal on; `moves` are those of players outside, in order, up to a forfeit."""
    game = Game(plan.num_players, plan.deck, seed)
    streams = np.zeros(1, dtype=_STREAM)
    streams["stream"][0] = start_stream(seed, PLAY_STREAM)
    left = iter(moves)
    while not game.over:
        player = seated[seating[game.player]]
        if is_outside(player):
            action = next(left, None)
            if action is None:  # it forfeited here
                break
        elif isinstance(player, CompiledPlayer):
            action = int(_compiled_action(game.states_view, streams, by_address(player.choose), player.code))
        else:
            action = int(_random_action(game.states_view, streams))
        if action not in game.legal_ids():  # a compiled player forfeited here
            break
        game.play(action)
    return game


@jit
def _compiled_action(states: np.ndarray, streams: np.ndarray, choose: Choose, code: int) -> int:
    """What a compiled player does in states[0], its stream moved on as inside a batch."""
    record = streams[0]
    action: int = choose(states[0], code, record["stream"])  # type: ignore[misc]
    return action


@jit
def _random_action(states: np.ndarray, streams: np.ndarray) -> int:
    """What the random player does in states[0]."""
    record = streams[0]
    return random_action(states[0], record["stream"])
