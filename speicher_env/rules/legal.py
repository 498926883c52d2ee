"""The set of legal actions: three 64-bit words in the state, worked out once when a decision falls due."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.state import LEGAL_WORDS

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

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_M7 = np.uint64(0x7F)
_S1, _S2, _S4, _S8, _S16, _S32 = (np.uint64(shift) for shift in (1, 2, 4, 8, 16, 32))


@jit
def count_bits(word: np.uint64) -> int:
    """How many bits of a 64-bit word are set."""
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    word = word + (word >> _S8)
    word = word + (word >> _S16)
    word = word + (word >> _S32)
    bits: int = np.int64(word & _M7)  # type: ignore[assignment]  # signed, to be added to plain integers
    return bits


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
def write_mask(game: np.void, mask_words: np.ndarray) -> None:
    """Write the mask: 184 bytes, 1 = legal, seen as 23 words."""
    for index in range(MASK_WORDS):
        word = game["legal"][index >> 3]
        mask_words[index] = _SPREAD[np.int64((word >> _SHIFTS[(index & 7) * 8]) & _BYTE)]
