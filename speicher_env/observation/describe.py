"""The way back: from a row to words and natural numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.figures import figure_places, figure_ranges
from speicher_env.observation.pieces import (
    AXIS_LABELS,
    CONTRACT,
    PIECES,
    TABLE,
    Piece,
    blocks,
    places,
)
from speicher_env.observation.rows import format_of

__all__ = ["describe"]

Described = dict[str, Any]

_ONE_HOT = ("phase", "players", "column_kind")
_FLAGS = ("contract_unseen", "column_offer", "decides", "first_player", "bought", "buildings", "contracts")


def describe(observation: np.ndarray) -> Described:
    """An observation of float32 or uint8 in readable form, in natural numbers and words.

    The pieces of the table by name, then ``contracts`` (a dict by card id), ``columns`` and ``seats`` (lists, seat 0
    being the one that looks), each with its own pieces by name. One-hot pieces become what they stand for, or None;
    flags become True and False, or the list of what is flagged; counts become whole numbers, and counts of named
    things a dict without its zeros. A seat's queue is a list of (column, space). If figures follow the observation,
    ``figures`` has them by name, as lists of whole numbers.
    """
    row = np.asarray(observation)
    if row.ndim != 1 or row.dtype.kind not in "fu" or (row.dtype.kind == "u" and row.dtype != np.uint8):
        raise ArgumentError(must_be("observation", row, "one row of floats or of uint8"))
    row_format = format_of(len(row), "uint8" if row.dtype == np.uint8 else "float32")
    row = row_format.floats(row)
    seats = row_format.seats
    words: Described = {}
    items: dict[str, list[Described]] = {
        name: [{} for _ in range(block.items)] for name, block in blocks(seats).items()
    }
    for piece in PIECES:
        values = row[places(piece.name, seats)]
        if piece.block == TABLE:
            words[piece.name] = _in_words(piece, values)
        else:
            for item, value in zip(items[piece.block], values, strict=True):
                item[piece.name.removeprefix(f"{piece.block}_")] = _in_words(piece, value)
    words["contracts"] = dict(zip(AXIS_LABELS["contracts"], items[CONTRACT], strict=True))
    words["columns"] = items["column"]
    words["seats"] = items["seat"]
    if row_format.figures:
        figures = row[blocks(seats)["seat"].stop :]
        numbers = np.rint(figures * figure_ranges(seats).scale).astype(int)
        words["figures"] = {name: numbers[where].tolist() for name, where in figure_places(seats).items()}
    return words


def _in_words(piece: Piece, values: np.ndarray) -> Any:
    if piece.name == "queue":
        return [(int(column), int(space)) for column, space in np.argwhere(values)]
    if piece.name == "unseen":
        labels = AXIS_LABELS["unseen_groups"]
        return {label: round(float(share), 3) for label, share in zip(labels, values, strict=True) if share}
    natural = np.rint(values * piece.scale).astype(int) - piece.shift
    if not piece.axes:
        return bool(natural) if piece.name in _FLAGS else int(natural)
    labels = AXIS_LABELS[piece.axes[0]]
    if piece.name in _ONE_HOT:
        return labels[int(natural.argmax())] if natural.any() else None
    if piece.name in _FLAGS:
        return [label for label, flag in zip(labels, natural, strict=True) if flag]
    return {label: int(count) for label, count in zip(labels, natural, strict=True) if count}
