"""`Views`, what a player is shown of the decisions it has to make, and what a player is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.rows import RowFormat, checked_seats_in_view, checked_states, write_views
from speicher_env.ranges import check_ranges
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.state import EMPTY, STATE

__all__ = ["CompiledPlayer", "Player", "Views"]


@dataclass(frozen=True)
class Views:
    """Decisions that wait for a player, one row each, with nothing hidden in them."""

    observations: np.ndarray
    """(rows, size) float32: each as the deciding seat sees it; figures may follow, see `of`."""
    masks: np.ndarray
    """(rows, 184) int8, 1 = legal; at least two in every row."""
    states: np.ndarray
    """(rows,) STATE with the hidden cards and cubes in a fixed order and no seed."""
    seats: np.ndarray
    """(rows,) int8: the seat that decides."""

    @classmethod
    def of(
        cls,
        states: np.ndarray,
        rows: np.ndarray | None = None,
        seats_in_view: int | None = None,
        *,
        figures: bool = False,
    ) -> Views:
        """The pending decisions of running games, as their deciding seats may see them.

        Args:
            states: An array of STATE, as a `Batch` or a `Game` holds them (`game.states_view`).
            rows: Which of them, as an array of whole numbers; None for all.
            seats_in_view: Seats that the observations have room for; None for the players of the first game.
            figures: Whether the figures follow each observation.

        Raises:
            ArgumentError: For an argument that is wrong, a game that is over, or one with more seats than are in view.
            StateError: For a state with a value outside its range.
        """
        games = checked_states(states)
        seats = checked_seats_in_view(games, seats_in_view)
        chosen = np.arange(games.size) if rows is None else _checked_rows(rows)
        check_ranges(games, chosen)
        return cls.unchecked(games, chosen, RowFormat(seats, bool(figures)))

    @classmethod
    def unchecked(cls, states: np.ndarray, rows: np.ndarray, row_format: RowFormat) -> Views:
        """`of` in half the time, for callers that made the arrays themselves.

        Args:
            states: A contiguous array of STATE.
            rows: Which of them, a contiguous array of int64.
            row_format: Seats in view and figures, for observations of float32.
        """
        count = len(rows)
        observations = row_format.empty(count)
        masks = np.empty((count, MASK_WORDS), dtype=np.uint64)
        public_states = np.empty(count, dtype=STATE)
        seats = np.empty(count, dtype=np.int8)
        figures = row_format.figures or None
        fault = write_views(states, rows, row_format.seats, figures, observations, masks, public_states, seats)
        if fault >= 0:
            raise ArgumentError(_fault(states, int(rows[fault]), row_format.seats))
        return cls(observations, masks.view(np.int8), public_states, seats)

    def __len__(self) -> int:
        """How many decisions there are."""
        return len(self.observations)


def _checked_rows(rows: object) -> np.ndarray:
    """Numbers of games as an array that compiled code can read."""
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise ArgumentError(must_be("rows", chosen, "a list of whole numbers"))
    return np.ascontiguousarray(chosen, dtype=np.int64)


def _fault(states: np.ndarray, row: int, seats: int) -> str:
    """Why a row of `Views.of` has no view."""
    if not 0 <= row < len(states):
        return must_be("rows", row, f"numbers of games, 0..{len(states) - 1}")
    game = "the game" if len(states) == 1 else f"game {row}"
    if states["player"][row] == EMPTY:
        return f"{game} is over, so there is no decision to show."
    return f"{game} has {states['players'][row]} players: must be 2..{seats}, the seats in view."


@runtime_checkable
class Player(Protocol):
    """Whoever can decide: give the id of a legal action for each row."""

    def act(self, views: Views) -> np.ndarray:
        """One action id for each row of the views."""


@dataclass(frozen=True)
class CompiledPlayer:
    """A player that runs inside the compiled step of a batch.

    `choose` is a function compiled with the signature `speicher_env.batch.CHOOSE`: (state, code, stream) -> action id.
    All compiled players of a batch share one function, which tells them apart by their codes, 1 or more. It is handed
    the whole state, which it must not change, and must not look at what the seat cannot see: the order of `pile` from
    `pile_next` on, of `bag` from `bag_next` on, and `seed`.
    """

    name: str
    choose: object
    code: int
