"""Which deals an arena plays: named ranges of seeds that training keeps away from."""

from __future__ import annotations

from speicher_env.arguments import check_seed
from speicher_env.errors import ArgumentError
from speicher_env.messages import nearest, shown

RANGES = {
    "evaluation": range(1_000_000_000, 2_000_000_000),
    "development": range(2_000_000_000, 3_000_000_000),
}
"""Held out: `evaluation` for numbers that are reported, `development` for choosing between versions of a player.

Training, tuning and examples use seeds below 10**9, or fresh ones of 53 bits, which fall in here once in ten million.
"""


def first_seed(seed: str | int, deals: int) -> int:
    """The seed of the first deal; the k-th further deal has the k-th further seed.

    Args:
        seed: The name of a range, or a seed.
        deals: How many there are to be.
    """
    if isinstance(seed, str) and not seed.isdecimal():
        if seed not in RANGES:
            raise ArgumentError(
                f"seed: found {shown(seed)}, must be a whole number or one of {', '.join(RANGES)}"
                f"{nearest(seed, RANGES)}"
            )
        if deals > len(RANGES[seed]):
            raise ArgumentError(f"deals: found {deals}, the range {seed} has {len(RANGES[seed])}")
        return RANGES[seed].start
    first = check_seed(int(seed) if isinstance(seed, str) else seed)
    check_seed(first + deals - 1, "seed of the last deal")
    return first
