"""A hash table from positions to what they are worth.

A key is a row of whole numbers that describes a position completely, and is compared in full: no two positions are
ever taken for each other. Keys are put together in `speicher_env.solve.keys`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speicher_env.rules.stream import WORD
from speicher_env.solve._jit import jit

__all__ = ["FILLED", "LEAST_SLOTS", "Table", "find", "grown", "has_room", "make_table", "mixed", "move_into", "put"]

FILLED = 1 << 61
"""Set in the first word of every key, so that an empty row is none."""
LEAST_SLOTS = 1 << 10
_FACTOR = 0x5BD1E995
"""An odd number below 2**31: its product with 32 bits stays below 2**63."""


class Table(NamedTuple):
    """Keys and values, a row of each for every slot."""

    keys: np.ndarray
    """(slots, words) int64, zeros where the slot is free."""
    values: np.ndarray
    """(slots, width) int32."""
    used: np.ndarray
    """(1,) int64: slots that are filled, at most three quarters of all."""


def make_table(words: int, width: int, slots: int = LEAST_SLOTS) -> Table:
    """An empty table.

    Args:
        words: Whole numbers in a key.
        width: Numbers in a value.
        slots: A power of two, 4 or more.
    """
    keys = np.zeros((slots, words), dtype=np.int64)
    return Table(keys, np.zeros((slots, width), dtype=np.int32), np.zeros(1, dtype=np.int64))


def grown(table: Table) -> Table:
    """A table with twice the slots and the same content."""
    larger = make_table(table.keys.shape[1], table.values.shape[1], 2 * len(table.keys))
    move_into(table, larger)
    return larger


@jit
def move_into(table: Table, larger: Table) -> None:
    """Put all that is in a table into a larger one."""
    for slot in range(table.keys.shape[0]):
        if table.keys[slot, 0] != 0:
            put(larger, find(larger, table.keys[slot]), table.keys[slot], table.values[slot])


@jit
def put(table: Table, slot: int, key: np.ndarray, value: np.ndarray) -> None:
    """Put a key and its value into the free slot that `find` named; there must be room."""
    for word in range(table.keys.shape[1]):
        table.keys[slot, word] = key[word]
    for number in range(table.values.shape[1]):
        table.values[slot, number] = value[number]
    table.used[0] += 1


@jit
def has_room(table: Table) -> bool:
    """Whether one more key can be put in."""
    return 4 * table.used[0] < 3 * table.keys.shape[0]


@jit
def find(table: Table, key: np.ndarray) -> int:
    """The slot that holds a key, or the free one where it belongs. A key may be longer than those of the table."""
    digest = 0
    for word in range(table.keys.shape[1]):
        digest = mixed(mixed(digest ^ (key[word] & WORD)) ^ (key[word] >> 32))
    last = table.keys.shape[0] - 1
    slot = digest & last
    while table.keys[slot, 0] != 0 and not _same(table.keys[slot], key):
        slot = (slot + 1) & last
    return slot


@jit
def mixed(bits: int) -> int:
    """32 bits in which every one depends on many of the given."""
    product = bits * _FACTOR
    return (product ^ (product >> 32)) & WORD


@jit
def _same(one: np.ndarray, other: np.ndarray) -> bool:
    for word in range(one.shape[0]):
        if one[word] != other[word]:
            return False
    return True
