"""Snapshots: a game as bytes that only this version of the state reads, and the check of states from outside.

A header, the state record, the moves as one byte each, the deck's name. To keep a game, or to give it to another
program, write a game record instead: it does not depend on the layout of the state.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from speicher_env.deal import deck_kind, deck_values
from speicher_env.deck import DECK_VALUES, Deck, DeckError
from speicher_env.errors import StateError
from speicher_env.messages import must_be, shown
from speicher_env.rules.state import N_STATE_BYTES, STATE, VERSION
from speicher_env.rules.status import faults
from speicher_env.rules.turn import play_on

__all__ = ["Snapshot", "check_state", "one_record", "pack", "unpack"]

MAGIC = b"SPEICHER"
SNAPSHOT_VERSION = 1
"""Number of the layout around the state record; the record has a number of its own."""
UNKNOWN_MOVES = -1

# Magic, snapshot version, state version, bytes of the state, moves (or UNKNOWN_MOVES), bytes of the deck's name.
_HEADER = struct.Struct("<8sHHHiH")


class Snapshot(NamedTuple):
    """The parts of a snapshot."""

    state: bytes
    moves: bytes | None
    """Action ids, oldest first; None if they are not known."""
    deck_name: str


def pack(snapshot: Snapshot) -> bytes:
    """Pack a snapshot into bytes."""
    name = snapshot.deck_name.encode("utf-8", "surrogatepass")
    moves = snapshot.moves
    count = UNKNOWN_MOVES if moves is None else len(moves)
    header = _HEADER.pack(MAGIC, SNAPSHOT_VERSION, VERSION, N_STATE_BYTES, count, len(name))
    return header + snapshot.state + (moves or b"") + name


def unpack(data: bytes) -> Snapshot:
    """Take the bytes of `pack` apart. Only the header is checked here.

    Raises:
        StateError: If the bytes are not a snapshot of this version, or not as many as the header says.
    """
    if not data.startswith(MAGIC):
        raise StateError(f"the {len(data)} bytes are not a snapshot of a game: they must begin with {MAGIC!r}.")
    if len(data) < _HEADER.size:
        raise StateError(f"the snapshot is truncated: it has {len(data)} bytes, its header alone {_HEADER.size}.")
    _, version, state_version, n_state, n_moves, n_name = _HEADER.unpack_from(data)
    if (version, state_version, n_state) != (SNAPSHOT_VERSION, VERSION, N_STATE_BYTES):
        raise StateError(
            f"the snapshot has version {version}.{state_version} with a state of {n_state} bytes; this software reads "
            f"version {SNAPSHOT_VERSION}.{VERSION} with {N_STATE_BYTES} bytes only."
        )
    size = _HEADER.size + n_state + max(0, n_moves) + n_name
    if n_moves < UNKNOWN_MOVES or len(data) != size:
        raise StateError(f"the snapshot is truncated or damaged: it has {len(data)} bytes, its header says {size}.")
    moves_at = _HEADER.size + n_state
    name_at = moves_at + max(0, n_moves)
    try:
        name = data[name_at:].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise StateError("the snapshot is damaged: the deck's name at its end must be UTF-8.") from None
    moves = None if n_moves == UNKNOWN_MOVES else data[moves_at:name_at]
    return Snapshot(data[_HEADER.size : moves_at], moves, name)


def one_record(state: object) -> np.ndarray:
    """A state record given as a scalar or as an array of one, as an array of shape (1,)."""
    allowed = f"the bytes of get_state() or one record of dtype STATE ({N_STATE_BYTES} bytes)"
    if not isinstance(state, np.void | np.ndarray):
        raise StateError(must_be("state", state, allowed))
    if state.dtype != STATE or state.size != 1:
        entries = f"an array of shape {state.shape} with {state.dtype.itemsize} bytes an entry"
        raise StateError(f"state is {entries}: must be {allowed}.")
    return np.asarray(state).reshape(1)


def check_state(states: np.ndarray, deck_name: str) -> None:
    """Refuse states[0] unless a game can be in it; the message names the first broken invariant.

    Nothing compiled runs on the state before `faults` has checked every index in it.

    Raises:
        StateError: If the state has a fault, or its deck is not one of that name that the rules allow.
    """
    fault = next(faults(states[0]), None)
    if fault is None:
        fault = _deck_fault(int(states["deck"][0]), deck_name, deck_values(states).tobytes())
    if fault is None:
        again = states.copy()
        play_on(again[0])
        if again.tobytes() != states.tobytes():
            fault = "its legal actions are not those of its decision."
    if fault is not None:
        raise StateError(f"no game can be in this state: {fault}")


@lru_cache(maxsize=64)
def _deck_fault(kind: int, name: str, values: bytes) -> str | None:
    """What is wrong with a deck, from its number in the state, its name and the bytes of its values."""
    if kind != deck_kind(name):
        return f"its deck has the number {kind}, which is not that of the deck {shown(name)}."
    try:
        Deck.from_values(name, np.frombuffer(values, dtype=DECK_VALUES))
    except DeckError as error:
        return str(error)
    return None
