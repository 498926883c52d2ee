"""What a search draws: the next supply on its way down a tree, everything hidden before a playout.

Every seat knows the same, so a search from any seat has one public state to start from, in which hidden cards and cubes
lie in a fixed order. The search never sees the true one.
"""

from __future__ import annotations

import numpy as np

from speicher_agents.search._jit import jit
from speicher_env.rules.cards import CUBES_PER_SHIP, FIRE_1, N_FIRES
from speicher_env.rules.chance import draw_supply
from speicher_env.rules.hidden import conceal, shuffle_hidden
from speicher_env.rules.state import EMPTY, STATE
from speicher_env.rules.stream import start_stream

__all__ = ["begin_stream", "conceal_root", "draw_future", "draw_next_supply", "outcome_key", "redeal_concealed"]

SEARCH_STREAM, FUTURE_STREAM = 101, 102
"""What a search draws is apart from all that the game draws from the same seed (see `speicher_env.rules.stream`)."""

WORDS = STATE.itemsize // 8
_FNV_START = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)
_HALF = np.uint64(32)
_LOAD_BITS = 2
"""Bits for the number of a ship's cubes of one good."""
_SEED_BITS = np.uint64(2**63 - 1)
_SHARED_BITS = 2**62 - 1


@jit
def conceal_root(roots: np.ndarray) -> None:
    """Put hidden cards and cubes in a fixed order, so that nothing depends on the true one."""
    conceal(roots[0])


@jit
def begin_stream(roots: np.ndarray, seed: np.uint64, stream: np.ndarray) -> None:
    """Start the stream of a search from the player's seed and the concealed root.

    Equal positions are searched alike, whatever was searched before and whatever is searched beside them.
    """
    words = roots.view(np.uint64)
    mixed = _FNV_START ^ seed
    for place in range(WORDS):
        mixed = (mixed ^ words[place]) * _FNV_PRIME
        mixed ^= mixed >> _HALF
    stream[0], stream[1], stream[2], stream[3] = start_stream(int(mixed & _SEED_BITS), SEARCH_STREAM)


@jit
def draw_next_supply(game: np.void, stream: np.ndarray) -> None:
    """Draw again what the next supply of a game will bring, and nothing else that is hidden."""
    after = draw_supply(game, (stream[0], stream[1], stream[2], stream[3]))
    stream[0], stream[1], stream[2], stream[3] = after


@jit
def draw_future(game: np.void, seed: int) -> None:
    """Draw what the next supply will bring from a seed, so that several iterations may meet the same."""
    draw_supply(game, start_stream(seed & _SHARED_BITS, FUTURE_STREAM))


@jit
def redeal_concealed(game: np.void, stream: np.ndarray) -> None:
    """Draw hidden cards and cubes again in a game that was concealed before.

    Unlike `speicher_env.rules.hidden.redeal` it allocates nothing and draws from a stream that exists, in a third of
    the time.
    """
    after = shuffle_hidden(game, (stream[0], stream[1], stream[2], stream[3]))
    stream[0], stream[1], stream[2], stream[3] = after


@jit
def outcome_key(game: np.void) -> np.uint64:
    """A number for what the last supply brought: cards with their cubes, in whatever order, and fires."""
    key = _FNV_START
    for column in range(game["players"] + 1):
        key = (key ^ np.uint64(np.uint8(game["card"][column]))) * _FNV_PRIME
        load = 0
        for place in range(CUBES_PER_SHIP):
            good = game["cargo"][column, place]
            if good != EMPTY:
                load += 1 << (_LOAD_BITS * good)
        key = (key ^ np.uint64(load)) * _FNV_PRIME
    for fire in range(N_FIRES):
        key = (key ^ np.uint64(np.uint8(game["owner"][FIRE_1 + fire]))) * _FNV_PRIME
    return key
