"""Snapshots: a game as bytes that only this version of the state reads, and the check of states from outside.

A header, the state record, the moves as one byte each, the deck's name. For keeping and for other programs there is
the game record instead, which does not hang on the layout of the state.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from speicher_env.deal import deck_values
from speicher_env.deck import Deck, DeckError
from speicher_env.errors import StateError
from speicher_env.messages import shown
from speicher_env.rules.state import N_STATE_BYTES, STATE, VERSION
from speicher_env.rules.status import status
from speicher_env.rules.turn import play_on

MAGIC = b"SPEICHER"
SNAPSHOT_VERSION = 1
"""Number of the layout around the state record; the record has its own."""
UNKNOWN_MOVES = -1

# Magic, snapshot version, state version, bytes of the state, moves (or UNKNOWN_MOVES), bytes of the deck's name.
_HEADER = struct.Struct("<8sHHHiH")


class Snapshot(NamedTuple):
    """What a snapshot holds."""

    state: bytes
    moves: bytes | None
    """Action ids, oldest first; None if they are not known."""
    deck_name: str


def pack(snapshot: Snapshot) -> bytes:
    """A snapshot as bytes."""
    name = snapshot.deck_name.encode("utf-8", "surrogatepass")
    moves = snapshot.moves
    count = UNKNOWN_MOVES if moves is None else len(moves)
    header = _HEADER.pack(MAGIC, SNAPSHOT_VERSION, VERSION, N_STATE_BYTES, count, len(name))
    return header + snapshot.state + (moves or b"") + name


def unpack(data: bytes) -> Snapshot:
    """What `pack` made bytes of; the header alone is checked here."""
    if not data.startswith(MAGIC):
        raise StateError(f"the {len(data)} bytes are no snapshot of a game: they must begin with {MAGIC!r}")
    if len(data) < _HEADER.size:
        raise StateError(f"the snapshot is truncated: found {len(data)} bytes, its header alone has {_HEADER.size}")
    _, version, state_version, n_state, n_moves, n_name = _HEADER.unpack_from(data)
    if (version, state_version, n_state) != (SNAPSHOT_VERSION, VERSION, N_STATE_BYTES):
        raise StateError(
            f"the snapshot has version {version}.{state_version} with a state of {n_state} bytes, must be version "
            f"{SNAPSHOT_VERSION}.{VERSION} with {N_STATE_BYTES} bytes, the only one that this software reads"
        )
    size = _HEADER.size + n_state + max(0, n_moves) + n_name
    if n_moves < UNKNOWN_MOVES or len(data) != size:
        raise StateError(f"the snapshot is truncated or damaged: found {len(data)} bytes, must be {size}")
    behind_state = _HEADER.size + n_state
    behind_moves = behind_state + max(0, n_moves)
    try:
        name = data[behind_moves:].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise StateError("the snapshot is damaged: the deck's name at its end must be UTF-8") from None
    moves = None if n_moves == UNKNOWN_MOVES else data[behind_state:behind_moves]
    return Snapshot(data[_HEADER.size : behind_state], moves, name)


def one_record(state: object) -> np.ndarray:
    """A state record given as a scalar or as an array of one, as an array of shape (1,)."""
    if not isinstance(state, np.void | np.ndarray):
        raise StateError(f"found {shown(state)}, must be the bytes of get_state() or one record of dtype STATE")
    if state.dtype != STATE or state.size != 1:
        raise StateError(
            f"found an array of shape {state.shape} with {state.dtype.itemsize} bytes an entry, "
            f"must be one record of dtype STATE ({N_STATE_BYTES} bytes)"
        )
    return np.asarray(state).reshape(1)


def check_state(states: np.ndarray, deck_name: str) -> None:
    """Refuse states[0] if no game can be in it; `StateError` names the first broken invariant."""
    faults = status(states[0])
    if faults:
        raise StateError(f"no game can be in this state: {faults[0]}")
    try:
        Deck.from_values(deck_name, deck_values(states))
    except DeckError as error:
        raise StateError(f"no game can be in this state: {error}") from None
    again = np.zeros(1, dtype=STATE)
    again[0] = states[0]
    play_on(again[0])
    if again.tobytes() != states.tobytes():
        raise StateError("no game can be in this state: its legal actions are not those of its decision")
