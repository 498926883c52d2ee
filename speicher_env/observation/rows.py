"""Rows: an observation, with its figures after it where asked for, as float32 or as uint8.

A row of uint8 has the same places as one of float32 and holds whole numbers, a quarter of the bytes:
``float32 row == (uint8 row - offsets) * scales``, exactly. Without figures all offsets are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from speicher_env._jit import jit
from speicher_env.arguments import check_choice, check_flag
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.encode import LARGEST_BYTE, seat_start, seat_width, write_observation
from speicher_env.observation.figures import figure_ranges, figures_size, write_figures
from speicher_env.observation.pieces import observation_size, whole_scales
from speicher_env.ranges import check_ranges
from speicher_env.rules.hidden import conceal
from speicher_env.rules.legal import write_mask
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, STATE

__all__ = [
    "DTYPES",
    "RowFormat",
    "checked_seats_in_view",
    "checked_states",
    "format_of",
    "observe",
    "put_figures",
    "row_at",
    "row_format",
    "write_row",
    "write_rows",
    "write_views",
]

DTYPES = ("float32", "uint8")


class RowFormat(NamedTuple):
    """What a row holds."""

    seats: int
    """Seats in view: the number of players, or 5 when padded."""
    figures: bool = False
    """Whether the figures follow the observation."""
    dtype: str = "float32"
    """"float32" or "uint8"."""

    @property
    def size(self) -> int:
        """Numbers in a row."""
        return observation_size(self.seats) + (figures_size(self.seats) if self.figures else 0)

    @property
    def scales(self) -> np.ndarray:
        """(size,) float32: what 1 in a row of uint8 is in a row of float32."""
        return _ranges(self.seats, self.figures)[0]

    @property
    def offsets(self) -> np.ndarray:
        """(size,) uint8: the number in a row of uint8 that is 0 in a row of float32; 0 but for figures below 0."""
        return _ranges(self.seats, self.figures)[1]

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each place, (size,) of the row's type."""
        scales, offsets, highest = _ranges(self.seats, self.figures)
        if self.dtype == "uint8":
            return np.zeros_like(highest), highest
        shift = offsets.astype(np.float32)
        return 0.0 - shift * scales, (highest - shift) * scales

    def floats(self, rows: np.ndarray) -> np.ndarray:
        """Rows of this format as float32; those that are float32 as they are."""
        if self.dtype == "float32":
            return rows
        floats: np.ndarray = (rows.astype(np.float32) - self.offsets) * self.scales
        return floats

    def empty(self, rows: int) -> np.ndarray:
        """(rows, size) room for rows, with arbitrary contents."""
        return np.empty((rows, self.size), dtype=self.dtype)


def row_format(seats: int, figures: object = False, dtype: object = "float32") -> RowFormat:
    """A format whose arguments come from outside and are checked; `dtype` may be a NumPy type too."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or getattr(dtype, "name", dtype)
    return RowFormat(seats, check_flag("figures", figures), check_choice("dtype", name, DTYPES))


@cache
def format_of(size: int, dtype: str = "float32") -> RowFormat:
    """The format of rows of this length: seats in view, and whether they have figures."""
    formats = [
        RowFormat(seats, figures, dtype) for figures in (False, True) for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1)
    ]
    for format_ in formats:
        if format_.size == size:
            return format_
    sizes = ", ".join(f"{format_.size} ({format_.seats} seats{', figures' * format_.figures})" for format_ in formats)
    raise ArgumentError(must_be("observation size", size, f"one of {sizes}"))


@cache
def _ranges(seats: int, figures: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scales, offsets and the greatest numbers of rows of uint8."""
    full = whole_scales(seats)
    offsets, highest = np.zeros_like(full), full
    if figures:
        ranges = figure_ranges(seats)
        full = np.concatenate([full, ranges.scale])
        offsets = np.concatenate([offsets, -ranges.lowest])
        highest = np.concatenate([highest, np.minimum(ranges.highest - ranges.lowest, LARGEST_BYTE)])
    arrays = (1 / full).astype(np.float32), offsets.astype(np.uint8), highest.astype(np.uint8)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def observe(
    states: np.ndarray,
    viewers: np.ndarray | None = None,
    seats_in_view: int | None = None,
    *,
    figures: bool = False,
    dtype: str = "float32",
) -> np.ndarray:
    """(rows, size): what a seat sees of each of the states.

    Args:
        states: An array of STATE, all with the same number of players, as a `Batch` or a `Game` holds them.
        viewers: The seat that looks, for each state; None for the seat that decides, or seat 0 where a game is over.
        seats_in_view: Seats that the rows have room for; None for the number of players.
        figures: Whether the figures follow the observation.
        dtype: "float32" or "uint8".
    """
    games = checked_states(states)
    seats = checked_seats_in_view(games, seats_in_view)
    check_ranges(games)
    if viewers is None:
        lookers = np.maximum(games["player"], 0)
    else:
        lookers = np.asarray(viewers)
        if lookers.shape != games.shape or lookers.dtype.kind not in "iu":
            raise ArgumentError(must_be("viewers", lookers, f"one seat for each of {games.size} states"))
    rows = row_format(seats, figures, dtype).empty(games.size)
    fault = write_rows(games, np.ascontiguousarray(lookers, dtype=np.int64), seats, True if figures else None, rows)
    if fault >= 0:
        players = int(games["players"][fault])
        if players != seats and not MIN_PLAYERS <= players <= seats:
            raise ArgumentError(must_be(f"states[{fault}]['players']", players, f"{MIN_PLAYERS}..{seats}"))
        raise ArgumentError(must_be(f"viewers[{fault}]", int(lookers[fault]), f"a seat 0..{players - 1}"))
    return rows


def checked_states(states: object) -> np.ndarray:
    """States as an array that compiled code can read."""
    if not isinstance(states, np.ndarray) or (states.dtype is not STATE and states.dtype != STATE) or states.ndim != 1:
        raise ArgumentError(must_be("states", states, "an array of records of dtype STATE"))
    return np.ascontiguousarray(states)


def checked_seats_in_view(states: np.ndarray, seats_in_view: object) -> int:
    """Seats in view, 2..5; those of the first game for None."""
    seats = seats_in_view
    if seats is None:
        seats = int(states["players"][0]) if states.size else MIN_PLAYERS
    if isinstance(seats, bool) or not isinstance(seats, int | np.integer) or not MIN_PLAYERS <= seats <= MAX_PLAYERS:
        raise ArgumentError(must_be("seats_in_view", seats, f"a whole number {MIN_PLAYERS}..{MAX_PLAYERS}"))
    return int(seats)


# Compiled


def put_figures(figures: bool | None, game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
    """Write the figures after an observation, unless `figures` is None.

    None and True are types of their own to compiled code, so without figures their code is not compiled either.
    """
    if figures is not None:
        write_figures(game, viewer, seats, row[seat_start(seats) + seats * seat_width(seats) :])


@overload(put_figures, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _put_figures(figures: bool | None, game: np.void, viewer: int, seats: int, row: np.ndarray) -> Callable[..., None]:
    def without(figures: bool | None, game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
        pass

    def with_figures(figures: bool | None, game: np.void, viewer: int, seats: int, row: np.ndarray) -> None:
        write_figures(game, viewer, seats, row[seat_start(seats) + seats * seat_width(seats) :])

    return without if isinstance(figures, types.NoneType) else with_figures


@jit
def write_row(game: np.void, viewer: int, seats: int, figures: bool | None, row: np.ndarray) -> None:
    """Write a whole row as a seat sees it; `figures` is True or None."""
    write_observation(game, viewer, seats, row)
    put_figures(figures, game, viewer, seats, row)


@jit
def row_at(states: np.ndarray, index: int, viewer: int, seats: int, figures: bool | None, row: np.ndarray) -> None:
    """`write_row` for states[index]."""
    write_row(states[index], viewer, seats, figures, row)


@jit
def write_rows(states: np.ndarray, viewers: np.ndarray, seats: int, figures: bool | None, rows: np.ndarray) -> int:
    """Write a row for each state; the first whose players or viewer do not fit, where it stops, or -1."""
    for place in range(states.size):
        game = states[place]
        players = game["players"]
        if players < MIN_PLAYERS or players > seats or viewers[place] < 0 or viewers[place] >= players:
            return place
        write_row(game, viewers[place], seats, figures, rows[place])
    return -1


@jit
def write_views(
    states: np.ndarray,
    chosen: np.ndarray,
    seats: int,
    figures: bool | None,
    rows: np.ndarray,
    masks: np.ndarray,
    public_states: np.ndarray,
    deciders: np.ndarray,
) -> int:
    """Write the pending decisions of the chosen states as their deciding seats may see them, a row each.

    Returns the place in `chosen` of the first that is no place in `states`, that is over, or that has more players
    than `seats`; there it stops. -1 if all are written.
    """
    for place in range(chosen.size):
        index = chosen[place]
        if index < 0 or index >= states.size:
            return place
        game = states[index]
        seat = game["player"]
        if seat < 0 or seat >= game["players"] or game["players"] > seats:
            return place
        write_row(game, seat, seats, figures, rows[place])
        write_mask(game, masks[place])
        public_states[place] = game
        conceal(public_states[place])
        deciders[place] = seat
    return -1
