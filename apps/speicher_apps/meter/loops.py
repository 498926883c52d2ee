"""Compiled loops: the rules with and without what is written for a learner, and the choice of random actions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from speicher_env._jit import COMPILED, Compiler
from speicher_env.batch.step import random_action
from speicher_env.observation.encode import write_observation
from speicher_env.observation.refresh import refresh_observation
from speicher_env.rules.legal import count_legal, nth_legal, write_mask
from speicher_env.rules.state import EMPTY, OVER
from speicher_env.rules.stream import below, next_seed
from speicher_env.rules.turn import apply, deal

__all__ = [
    "choose_actions", "choose_from_masks", "deal_games", "play_masked", "play_observed", "play_refreshed",
    "play_rules",
]  # fmt: skip

jit = Compiler(*COMPILED, Path(__file__), what="the loops that are measured", seconds=10)

_ONES = np.uint64(0x0101010101010101)
_LAST_BYTE, _EIGHT, _LOW = np.uint64(56), np.uint64(8), np.uint64(1)


@jit
def play_one(states: np.ndarray, templates: np.ndarray, stream: np.ndarray) -> None:
    """One random decision in states[0]; before it, if need be, the deal of the game after the one that is over."""
    game = states[0]
    if game["phase"] == OVER:
        deal(states, 0, templates, 0, next_seed(game["seed"]), EMPTY)
    apply(game, random_action(game, stream))


@jit
def play_rules(states: np.ndarray, templates: np.ndarray, stream: np.ndarray, decisions: int) -> int:
    """Random playouts, one game after the other; returns the decisions played."""
    for _ in range(decisions):
        play_one(states, templates, stream)
    return decisions


@jit
def play_masked(states: np.ndarray, templates: np.ndarray, stream: np.ndarray, decisions: int, mask: np.ndarray) -> int:
    """`play_rules`, and after each decision the mask of the next one."""
    for _ in range(decisions):
        play_one(states, templates, stream)
        write_mask(states[0], mask)
    return decisions


@jit
def play_observed(
    states: np.ndarray,
    templates: np.ndarray,
    stream: np.ndarray,
    decisions: int,
    mask: np.ndarray,
    seats: int,
    row: np.ndarray,
) -> int:
    """`play_masked`, and after each decision the whole observation of the next one."""
    for _ in range(decisions):
        play_one(states, templates, stream)
        game = states[0]
        write_mask(game, mask)
        write_observation(game, max(0, game["player"]), seats, row)
    return decisions


@jit
def play_refreshed(
    states: np.ndarray,
    templates: np.ndarray,
    stream: np.ndarray,
    decisions: int,
    mask: np.ndarray,
    seats: int,
    row: np.ndarray,
    shown: np.ndarray,
) -> int:
    """`play_masked`, with the observation kept up to date as a batch does it: what did not change stays."""
    shown[0]["round"] = 0
    for _ in range(decisions):
        if states[0]["phase"] == OVER:
            shown[0]["round"] = 0
        play_one(states, templates, stream)
        game = states[0]
        write_mask(game, mask)
        refresh_observation(game, max(0, game["player"]), shown[0], seats, row)
    return decisions


@jit
def deal_games(states: np.ndarray, templates: np.ndarray, deals: int) -> int:
    """Deals alone; returns their number."""
    for _ in range(deals):
        deal(states, 0, templates, 0, next_seed(states[0]["seed"]), EMPTY)
    return deals


@jit
def choose_actions(states: np.ndarray, streams: np.ndarray, actions: np.ndarray) -> None:
    """A random legal action for each game; 0 where it is over. Beside the measured time, so it need not be cheap."""
    for index in range(actions.size):
        legal = count_legal(states[index])
        if legal == 0:
            actions[index] = 0
            continue
        stream = (streams[index, 0], streams[index, 1], streams[index, 2], streams[index, 3])
        pick, stream = below(stream, legal)
        streams[index, 0], streams[index, 1], streams[index, 2], streams[index, 3] = stream
        actions[index] = nth_legal(states[index], pick)


@jit
def choose_from_masks(mask_words: np.ndarray, streams: np.ndarray, actions: np.ndarray) -> None:
    """A random action that each mask allows: what a user who has nothing but the masks would do.

    A mask is 184 bytes, 1 = legal, seen as 23 words; a product with ones in every byte adds up the bytes of a word.
    """
    for index in range(actions.size):
        words = mask_words[index]
        legal = 0
        for word in words:
            legal += np.int64((word * _ONES) >> _LAST_BYTE)  # type: ignore[assignment]  # a word is unsigned
        stream = (streams[index, 0], streams[index, 1], streams[index, 2], streams[index, 3])
        left, stream = below(stream, max(1, legal))
        streams[index, 0], streams[index, 1], streams[index, 2], streams[index, 3] = stream
        place = 0
        while place < words.size - 1 and left >= np.int64((words[place] * _ONES) >> _LAST_BYTE):
            left -= np.int64((words[place] * _ONES) >> _LAST_BYTE)  # type: ignore[assignment]  # a word is unsigned
            place += 1
        actions[index] = 8 * place + nth_byte(words[place], left)


@jit
def nth_byte(word: np.uint64, n: int) -> int:
    """Which of a word's bytes, each 0 or 1, is the n-th that is 1; 7 if there are not as many."""
    byte = 0
    while byte < 7 and (n > 0 or word & _LOW == 0):
        n -= np.int64(word & _LOW)  # type: ignore[assignment]  # a word is unsigned
        word >>= _EIGHT
        byte += 1
    return byte
