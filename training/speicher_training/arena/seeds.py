"""Which deals an arena plays: named ranges of seeds that training keeps away from."""

from __future__ import annotations

from speicher_env.arguments import check_seed
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, one_of

__all__ = ["EVALUATION", "RANGES", "first_seed"]

EVALUATION = "evaluation"
LOOKS = 4
"""How often players of the package were measured."""
RANGES = {
    EVALUATION: range(1_000_000_000, 2_000_000_000),
    "development": range(2_000_000_000, 3_000_000_000),
    **{f"release-{look}": range((2 + look) * 10**9, (3 + look) * 10**9) for look in range(1, LOOKS + 1)},
}
"""Held out: `evaluation` for numbers that are reported, `development` for choosing between versions of a player.
`release-1` is for the players that ship with the package: measured once, after everything was chosen. Those that have
changed or come since are measured once on `release-2`, and so on.

Training, tuning and examples use seeds below 10**9, or fresh ones of 53 bits, which fall in here once in ten million.
"""


def first_seed(seed: str | int, deals: int) -> int:
    """The seed of the first deal; each further deal has the next seed.

    Args:
        seed: The name of a range, or a seed.
        deals: The number of deals.
    """
    if isinstance(seed, str) and not seed.isdecimal():
        if seed not in RANGES:
            raise ArgumentError(must_be("seed", seed, f"a whole number 0..2**64-1, {one_of(seed, RANGES)}"))
        if deals > len(RANGES[seed]):
            raise ArgumentError(must_be("deals", deals, f"{len(RANGES[seed])} at most in the range {seed}"))
        return RANGES[seed].start
    first = check_seed(int(seed) if isinstance(seed, str) else seed)
    check_seed(first + deals - 1, "seed of the last deal")
    return first
