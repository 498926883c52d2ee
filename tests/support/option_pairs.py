"""Combinations of options for tests: every value of an option with every value of each other one.

The whole product of five options is hundreds of games, and faults lie in one option or between two. `make test-options`
tries the whole product (SPEICHER_EVERY_OPTION=1).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

EVERY_OPTION = "SPEICHER_EVERY_OPTION"


def every_pair(*options: Sequence[Any]) -> list[tuple[Any, ...]]:
    """A few of all combinations of the options' values, in which each pair of values of two options is found."""
    remaining = list(product(*options))
    if os.environ.get(EVERY_OPTION):
        return remaining
    chosen: list[tuple[Any, ...]] = []
    missing = set().union(*(_pairs(combination) for combination in remaining))
    while missing:
        best = max(remaining, key=lambda combination: len(_pairs(combination) & missing))
        chosen.append(best)
        missing -= _pairs(best)
    return chosen


def _pairs(combination: tuple[Any, ...]) -> set[tuple[tuple[int, Any], ...]]:
    return set(combinations(enumerate(combination), 2))
