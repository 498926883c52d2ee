"""The way back: from an observation vector to words and natural numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_env.observation.pieces import AXIS_LABELS, PIECES, Piece, layout, observation_size, shape_of
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

Described = dict[str, Any]


def seats_shown(size: int) -> int:
    """How many seats an observation of this length shows."""
    for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        if observation_size(seats) == size:
            return seats
    sizes = ", ".join(f"{observation_size(seats)} ({seats})" for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1))
    raise ValueError(f"an observation has one of the lengths {sizes} for the seats it shows, not {size}")


def describe(observation: np.ndarray) -> Described:
    """An observation in readable form: each piece by name, in natural numbers and words.

    One-hot pieces become the name or number they stand for, or None; counts become whole numbers; an axis whose
    positions have names becomes a dict without its zeros. Seats and columns count from 0; seat 0 is the one that looks.
    """
    observation = np.asarray(observation)
    if observation.ndim != 1:
        raise ValueError(f"describe() takes one observation, a vector; this has the shape {observation.shape}")
    seats = seats_shown(len(observation))
    places = layout(seats)
    return {
        piece.name: _described(piece, observation[slice(*places[piece.name])].reshape(shape_of(piece, seats)))
        for piece in PIECES
    }


_ONE_HOT = (
    "phase",
    "players",
    "offer",
    "decider",
    "first_player",
    "contract_owner",
    "column_kind",
    "column_queue",
)
_FLAGS = ("unseen_contracts", "bought")


def _described(piece: Piece, values: np.ndarray) -> Any:
    if piece.name in _ONE_HOT:
        labels = AXIS_LABELS.get(piece.axes[-1])
        if piece.name == "column_queue":
            return [[seat for seat in map(_hot, queue) if seat is not None] for queue in values]
        return _named(piece.axes[:-1], values, lambda hot: _label(_hot(hot), labels))
    if piece.name == "unseen":
        return {
            name: round(float(share), 3)
            for name, share in zip(AXIS_LABELS["unseen_groups"], values, strict=True)
            if share
        }
    natural = np.rint(values * piece.scale).astype(int) - piece.shift
    if piece.name in _FLAGS:
        return _flags(piece.axes, natural)
    return _counts(piece.axes, natural)


def _hot(values: np.ndarray) -> int | None:
    return int(values.argmax()) if values.any() else None


def _label(position: int | None, labels: tuple[str, ...] | None) -> int | str | None:
    return position if position is None or labels is None else labels[position]


def _named(axes: tuple[str, ...], values: np.ndarray, read: Any) -> Any:
    if not axes:
        return read(values)
    labels = AXIS_LABELS.get(axes[0])
    inner = [_named(axes[1:], value, read) for value in values]
    if labels is None:
        return inner
    return {label: item for label, item in zip(labels, inner, strict=True) if item is not None}


def _counts(axes: tuple[str, ...], natural: np.ndarray) -> Any:
    if not axes:
        return int(natural)
    labels = AXIS_LABELS.get(axes[0])
    inner = [_counts(axes[1:], value) for value in natural]
    if labels is None:
        return inner
    return {label: item for label, item in zip(labels, inner, strict=True) if item}


def _flags(axes: tuple[str, ...], natural: np.ndarray) -> Any:
    labels = AXIS_LABELS.get(axes[-1])
    if len(axes) == 1:
        return (
            [label for label, flag in zip(labels, natural, strict=True) if flag]
            if labels
            else [bool(flag) for flag in natural]
        )
    return [_flags(axes[1:], value) for value in natural]
