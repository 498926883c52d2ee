"""The parameter `start`: a position, as a text, in which a game of OpenSpiel begins."""

from __future__ import annotations

import base64
import binascii
import zlib

import numpy as np

from speicher_env.errors import ArgumentError, StateError
from speicher_env.game import Game
from speicher_env.messages import must_be
from speicher_env.rules.hidden import conceal_at
from speicher_env.rules.state import N_STATE_BYTES, STATE

__all__ = ["concealed", "position_from", "start_text"]


def start_text(game: Game) -> str:
    """A game at a decision as the parameter `start`: where a game of OpenSpiel begins.

    It holds what the seats see and no more: neither the order of pile and bag nor the moves before.
    """
    return base64.urlsafe_b64encode(zlib.compress(concealed(game).state.tobytes(), 9)).decode().rstrip("=")


def concealed(game: Game) -> Game:
    """The position of a running game, with its hidden cards and cubes in a fixed order and without moves."""
    if game.over:
        raise ArgumentError("the game is over, so nothing can begin there.")
    states = np.array([game.state])
    conceal_at(states, 0)
    return Game.from_state(states)


def position_from(text: str, players: int) -> Game:
    """The position that `start_text` has written."""
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        record = zlib.decompressobj().decompress(packed, N_STATE_BYTES + 1)
        game = Game.from_state(np.frombuffer(record, STATE))
    except (binascii.Error, zlib.error, ValueError) as error:
        why = f" ({error})" if isinstance(error, StateError) else ""
        raise ArgumentError(must_be("start", text, f"a text that start_text() has made{why}")) from None
    if game.num_players != players:
        raise ArgumentError(must_be("players", players, f"{game.num_players}, as in the position of start"))
    return concealed(game)
