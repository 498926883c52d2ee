"""The numbers by which compiled code tells the players of the ladder apart."""

from __future__ import annotations

RANDOM, FRUGAL, FIRECHIEF, CONTRACTOR, SHIPPER, SPOILER, MERCHANT = range(1, 8)

CODES = {
    "random": RANDOM,
    "frugal": FRUGAL,
    "firechief": FIRECHIEF,
    "contractor": CONTRACTOR,
    "shipper": SHIPPER,
    "spoiler": SPOILER,
    "merchant": MERCHANT,
}
"""The same by name."""
