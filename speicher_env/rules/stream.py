"""The random stream: Chris Doty-Humphrey's SFC32 in plain integers.

All chance of a game is drawn once, from its seed, so the stream lives only while a game is dealt. It is a tuple of four
32-bit values held in 64-bit integers: nothing overflows, and the numbers are the same compiled and interpreted.

A seed is unsigned. Python code hands it to compiled functions as `np.uint64`, because Numba takes a Python number for
a signed one.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit

__all__ = [
    "DEAL_STREAM", "DECK_STREAM", "MAX_SEED", "PLAY_STREAM", "REDEAL_STREAM", "SEAT_STREAM", "SUPPLY_STREAM",
    "WORD", "Seed", "Stream", "below", "draw", "next_seed", "shuffle", "start_stream",
]  # fmt: skip

WORD = 0xFFFFFFFF
WARM_UP = 12
"""Values thrown away after seeding, as the generator's author advises."""
MAX_SEED = 2**64 - 1
_LOW_HALF = np.uint64(WORD)
_HALF = np.uint64(32)

# What a stream is for. Streams of one seed with different purposes have nothing in common.
DECK_STREAM, DEAL_STREAM, NEXT_GAME_STREAM, REDEAL_STREAM, SEAT_STREAM, PLAY_STREAM, SUPPLY_STREAM = 1, 2, 3, 4, 5, 6, 7

Seed = int | np.uint64
Stream = tuple[int, int, int, int]


@jit
def draw(stream: Stream) -> tuple[int, Stream]:
    """Draw 32 random bits, and return the stream that follows."""
    a, b, c, counter = stream
    out = (a + b + counter) & WORD
    rotated = ((c << 21) & WORD) | (c >> 11)
    return out, (b ^ (b >> 9), (c + (c << 3)) & WORD, (rotated + out) & WORD, (counter + 1) & WORD)


@jit
def start_stream(seed: Seed, purpose: int) -> Stream:
    """The stream of a seed (0..2**64-1) for a purpose."""
    bits = np.uint64(seed)  # signed and unsigned numbers together would become floats
    stream: Stream = (np.int64(bits & _LOW_HALF), np.int64(bits >> _HALF), purpose, 1)  # type: ignore[assignment]
    for _ in range(WARM_UP):
        _, stream = draw(stream)
    return stream


@jit
def below(stream: Stream, n: int) -> tuple[int, Stream]:
    """Draw a whole number 0..n-1, all equally likely (Lemire's method), for n up to 2**31."""
    n = int(n)  # a field of a state is an int8, and interpreted the product would be one too
    bits, stream = draw(stream)
    product = bits * n
    if (product & WORD) < n:
        threshold = (WORD + 1 - n) % n
        while (product & WORD) < threshold:
            bits, stream = draw(stream)
            product = bits * n
    return product >> 32, stream


@jit
def shuffle(items: np.ndarray, start: int, stop: int, stream: Stream) -> Stream:
    """Shuffle items[start:stop] in place (Fisher and Yates)."""
    for last in range(stop - 1, start, -1):
        pick, stream = below(stream, last - start + 1)
        items[start + pick], items[last] = items[last], items[start + pick]
    return stream


@jit
def next_seed(seed: Seed) -> int:
    """The seed of the next game if none is given: 53 bits, so that every JSON reader keeps it exactly."""
    stream = start_stream(seed, NEXT_GAME_STREAM)
    high, stream = draw(stream)
    low, stream = draw(stream)
    return int(np.uint64(((high >> 11) << 32) | low))  # unsigned when compiled, like every seed
