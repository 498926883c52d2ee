"""The set of legal actions: three 64-bit words in the state, worked out once when a decision falls due."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env._machine import count_bits
from speicher_env.rules.state import LEGAL_WORDS

__all__ = [
    "MASK_WORDS", "ONE", "ZERO", "count_legal", "has_short_mask", "is_legal", "nth_legal", "write_mask",
    "write_short_mask",
]  # fmt: skip

ONE = np.uint64(1)
ZERO = np.uint64(0)
_SHIFTS = np.arange(64, dtype=np.uint64)
_LOW_6 = np.uint64(63)

MASK_WORDS = 23
"""A mask of 184 bytes seen as 64-bit words."""
_BYTE = np.uint64(255)
_SPREAD = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    .view("<u8")[:, 0]
    .astype(np.uint64)
)
"""Each byte's eight bits spread over eight bytes."""


@jit
def is_legal(game: np.void, action: int) -> bool:
    """Whether an action, 0..183, is legal now."""
    return (game["legal"][action >> 6] >> _SHIFTS[action & 63]) & ONE != ZERO


@jit
def count_legal(game: np.void) -> int:
    """How many actions are legal now; 0 when the game is over."""
    words = game["legal"]
    return count_bits(words[0]) + count_bits(words[1]) + count_bits(words[2])


@jit
def nth_legal(game: np.void, n: int) -> int:
    """The n-th legal action in action order, n from 0 and below `count_legal`."""
    for index in range(LEGAL_WORDS):
        word = game["legal"][index]
        here = count_bits(word)
        if n < here:
            for _ in range(n):
                word = word & (word - ONE)
            return 64 * index + count_bits((word & (~word + ONE)) - ONE)
        n -= here
    return -1


@jit
def has_short_mask(game: np.void) -> bool:
    """Whether all legal actions are among the first 8: true in demand and purchase, and when the game is over."""
    words = game["legal"]
    return (words[0] >> _SHIFTS[8]) | words[1] | words[2] == ZERO


@jit
def write_short_mask(game: np.void, mask_words: np.ndarray) -> None:
    """Write the first 8 bytes of the mask."""
    mask_words[0] = _SPREAD[np.int64(game["legal"][0] & _BYTE)]


@jit
def write_mask(game: np.void, mask_words: np.ndarray) -> None:
    """Write the mask: 184 bytes, 1 = legal, seen as 23 words."""
    words = game["legal"]
    write_short_mask(game, mask_words)
    if has_short_mask(game):
        for index in range(1, MASK_WORDS):
            mask_words[index] = ZERO
        return
    for index in range(1, MASK_WORDS):
        word = words[index >> 3]
        mask_words[index] = _SPREAD[np.int64((word >> _SHIFTS[(index & 7) * 8]) & _BYTE)]
