"""Game records of an arena's games: the moves are played again, and what compiled players chose is asked again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from speicher_agents.thought import Thought
from speicher_env import Game
from speicher_env._jit import jit
from speicher_env.batch.opponents import by_address
from speicher_env.batch.step import Choose, random_action
from speicher_env.record import line_of
from speicher_env.rules.stream import PLAY_STREAM, start_stream
from speicher_env.views import CompiledPlayer
from speicher_training.arena.plan import Plan, Seated, is_outside
from speicher_training.files import new_text_file

_STREAM = np.dtype([("stream", np.int64, (4,))])

Move = tuple[int, Thought | None]
"""An action of a player outside, and what it thought."""


@dataclass(frozen=True)
class Keep:
    """What is kept of the games."""

    folder: Path
    think: bool = False
    """Whether to keep what players thought of their moves, too."""


def write_records(keep: Keep, name: str, plan: Plan, seated: list[Seated], games: Iterable[dict[str, Any]]) -> None:
    """Write a file of records, whole or not at all.

    Args:
        keep: Where to, and what.
        name: Of the file.
        plan: The run.
        seated: Its players.
        games: Of each game the seed, deal and number, the moves of players outside, and a forfeit or None.
    """
    with new_text_file(keep.folder / name) as stream:
        for told in games:
            seating = plan.schedule.seatings[told["game"]]
            game, thoughts = play_again(plan, seated, told["seed"], seating, told["moves"])
            record = game.to_record()
            record["seats"] = [plan.names[player] for player in seating]
            if keep.think:
                record["think"] = thoughts
            record["arena"] = {
                "deal": told["deal"],
                "game": told["game"],
                "forfeit": told["forfeit"],
            }
            stream.write(line_of(record))


def play_again(
    plan: Plan, seated: list[Seated], seed: int, seating: np.ndarray, moves: list[Move]
) -> tuple[Game, list[dict[str, Any]]]:
    """A game of an arena from its deal on, and the entry of its record's `think` for each move.

    `moves` are those of players outside, in order, up to a forfeit.
    """
    thoughts: list[dict[str, Any]] = []
    game = Game(plan.num_players, plan.deck, seed)
    streams = np.zeros(1, dtype=_STREAM)
    streams["stream"][0] = start_stream(np.uint64(seed), PLAY_STREAM)
    left = iter(moves)
    while not game.over:
        number = seating[game.player]
        player, thought = seated[number], None
        if is_outside(player):
            move = next(left, None)
            if move is None:  # it forfeited here
                break
            action, thought = move
        elif isinstance(player, CompiledPlayer):
            action = int(_compiled_action(game.states_view, streams, by_address(player.choose), player.code))
        else:
            action = int(_random_action(game.states_view, streams))
        if action not in game.legal_ids():  # a compiled player forfeited here
            break
        game.play(action)
        thoughts.append((thought or Thought()).entry(plan.names[number]))
    return game, thoughts


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
