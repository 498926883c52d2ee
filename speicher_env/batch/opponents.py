"""Who sits in the other seats: from a spec such as "random" to somebody who decides.

Names beyond "random" come from installed packages that offer players under the entry point group below; this package
imports none of them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import numba
import numpy as np
from numba import types

from speicher_env.errors import ArgumentError
from speicher_env.rules.state import STATE
from speicher_env.views import CompiledPlayer, Player

GROUP = "speicher_env.players"
"""Entry points in this group name a function: spec text -> CompiledPlayer or Player."""

CHOOSE = types.int64(numba.from_dtype(STATE), types.int64, types.Array(types.int64, 1, "C"))
"""Signature of a compiled player's function: (state, code, stream) -> action id."""

RANDOM_SPEC = "random"
OpponentSpec = str | Player | CompiledPlayer


def player_from_spec(spec: OpponentSpec) -> Player | CompiledPlayer | None:
    """The player that a spec names; None for the uniformly random one, which every batch has built in."""
    if isinstance(spec, CompiledPlayer):
        return spec
    if isinstance(spec, str):
        return None if spec == RANDOM_SPEC else _offered(spec)
    if isinstance(spec, Player):
        return spec
    raise ArgumentError(
        f"opponents: found {type(spec).__name__}, must be a spec such as {RANDOM_SPEC!r} or an object with act(views)"
    )


def _offered(spec: str) -> Player | CompiledPlayer:
    makers = entry_points(group=GROUP)
    for maker in makers:
        make: Callable[[str], Any] = maker.load()
        player: Player | CompiledPlayer = make(spec)
        return player
    raise ArgumentError(
        f"opponents: found {spec!r}, must be {RANDOM_SPEC!r}: no installed package offers other players"
    )


class Outside:
    """The players of one batch that are asked through Python, each under the number it was first given."""

    def __init__(self) -> None:
        self.players: list[Player] = []
        self.names: list[str] = []

    def number(self, player: Player, name: str) -> int:
        """The number of a player, a new one if it is not known yet."""
        for number, known in enumerate(self.players):
            if known is player:
                return number
        self.players.append(player)
        self.names.append(name)
        return len(self.players) - 1


def checked_answer(answer: object, rows: int, name: str) -> np.ndarray:
    """What a player's `act` returned, as action ids, or a sentence that names the player."""
    actions = np.asarray(answer)
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise ArgumentError(
            f"player {name}: act() returned {actions.dtype} of shape {actions.shape}, must be {rows} action ids"
        )
    return actions.astype(np.int64)
