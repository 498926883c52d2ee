"""Who sits in the other seats: from a spec such as "random" to somebody who decides.

Names beyond "random" come from installed packages that offer players under the entry point group below; this package
imports none of them by name.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import numba
import numpy as np
from numba import types

from speicher_env.arguments import is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest, shown
from speicher_env.rules.state import STATE
from speicher_env.views import CompiledPlayer, Player

__all__ = [
    "CHOOSE", "GROUP", "RANDOM_SPEC", "OpponentSpec", "Opponents", "Outside", "WrongAnswer", "by_address",
    "check_compiled", "checked_answer", "function_kept", "kept_function", "player_from_spec",
]  # fmt: skip

GROUP = "speicher_env.players"
"""Entry points in this group name a function: spec text -> CompiledPlayer or Player."""

CHOOSE = types.int64(numba.from_dtype(STATE), types.int64, types.Array(types.int64, 1, "A"))
"""Signature of a compiled player's function: (state, code, stream) -> action id."""

MAX_CODE = 2**15 - 1
"""The highest code of a compiled player; a lane keeps codes in 16 bits."""

RANDOM_SPEC = "random"
OpponentSpec = str | Player | CompiledPlayer
Opponents = OpponentSpec | Sequence[OpponentSpec]
"""One player for all other seats, or one for each, clockwise from the caller's."""


def player_from_spec(spec: OpponentSpec) -> Player | CompiledPlayer | None:
    """The player that a spec names; None for the uniformly random one, which every batch has built in."""
    if isinstance(spec, CompiledPlayer):
        return spec
    if isinstance(spec, str):
        return None if spec == RANDOM_SPEC else _offered(spec)
    if isinstance(spec, Player):
        return spec
    raise ArgumentError(must_be("opponents", spec, f"specs such as {shown(RANDOM_SPEC)} or objects with act(views)"))


def _offered(spec: str) -> Player | CompiledPlayer:
    """The player that the first package makes that knows the spec; what the first says of it if none does."""
    refused: ArgumentError | None = None
    for make in _makers():
        try:
            player: Player | CompiledPlayer = make(spec)
        except ArgumentError as error:
            refused = refused or error
        else:
            return player
    allowed = f"{shown(RANDOM_SPEC)}, as no installed package offers other players{nearest(spec, [RANDOM_SPEC])}"
    raise refused or ArgumentError(must_be("opponents", spec, allowed))


def kept_function(choose: Any) -> Any:
    """A compiled player's function as a pickle keeps it: its module and name, or itself where it goes by none.

    Numba would write out the function, and another process would make a second one of it. That one could not be told
    to be the function of players who sit down later, with whom it has to be shared.
    """
    python = getattr(choose, "py_func", choose)
    module, name = getattr(python, "__module__", ""), getattr(python, "__qualname__", "")
    return (module, name) if getattr(sys.modules.get(module), name, None) is choose else choose


def function_kept(kept: Any) -> Any:
    """The function that `kept_function` has kept."""
    if not isinstance(kept, tuple):
        return kept
    module, name = kept
    return getattr(import_module(module), name)


@cache
def _makers() -> tuple[Callable[[str], Any], ...]:
    """What installed packages offer to make players with; read once, since it searches every installed package."""
    makers: list[Callable[[str], Any]] = []
    for point in entry_points(group=GROUP):
        try:
            makers.append(point.load())
        except Exception as error:  # whatever a package raises while it is imported; the others are still there
            warnings.warn(f"player {shown(point.name)} cannot be imported: {error}", stacklevel=2)
    return tuple(makers)


class ByAddress(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A compiled function that other compiled code calls by its address.

    A function handed to compiled code as it is becomes part of the code's type: the step would be compiled anew for
    each, again in every process, and every time a further copy would stay in the cache on disk. `numba.cfunc` makes
    addresses too, but compiles anew in every process, for a second; this one is in the cache.
    """

    def __init__(self, choose: Any) -> None:
        """Compile the function for `CHOOSE`, or load it."""
        self._result = choose.get_compile_result(CHOOSE)
        self.address: int = self._result.library.get_pointer_to_function(self._result.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        """What Numba asks for."""
        return self.address

    def signature(self) -> Any:
        """What Numba asks for."""
        return CHOOSE


@cache
def by_address(choose: Any) -> Any:
    """A compiled player's function as the step calls it; interpreted, the function itself."""
    return choose if numba.config.DISABLE_JIT else ByAddress(choose)


def check_compiled(player: CompiledPlayer) -> CompiledPlayer:
    """A compiled player whose function is compiled and whose code a lane can keep."""
    if not (hasattr(player.choose, "py_func") or (numba.config.DISABLE_JIT and callable(player.choose))):
        allowed = "a function compiled with numba.njit(speicher_env.batch.CHOOSE)"
        raise ArgumentError(must_be("choose", player.choose, allowed, f"player {player.name}"))
    if not is_whole(player.code) or not 1 <= player.code <= MAX_CODE:
        allowed = f"a whole number 1..{MAX_CODE}"
        raise ArgumentError(must_be("code", player.code, allowed, f"player {player.name}"))
    return player


class Outside:
    """The players of one batch that are asked through Python, each under a number for as long as it is seated."""

    def __init__(self) -> None:
        self.players: list[Player | None] = []
        self.names: list[str] = []

    def number(self, player: Player, name: str) -> int:
        """The number of a player, a free one if it is not known yet."""
        for number, known in enumerate(self.players):
            if known is player:
                return number
        free = next((number for number, known in enumerate(self.players) if known is None), len(self.players))
        self.players[free : free + 1] = [player]
        self.names[free : free + 1] = [name]
        return free

    def seated(self, number: int) -> Player:
        """The player under a number that a lane holds."""
        player = self.players[number]
        assert player is not None, "a lane holds the number of a player that was let go"
        return player

    def keep(self, numbers: Iterable[int]) -> None:
        """Let go of all players but these, so that past opponents of a long training do not pile up."""
        kept = set(numbers)
        self.players = [player if number in kept else None for number, player in enumerate(self.players)]


class WrongAnswer(ArgumentError):
    """What a player's `act` returned is not one action id for each row.

    Attributes:
        reason: The message without the player's name, as the end of a sentence that begins with it.
    """

    def __init__(self, player: str, reason: str) -> None:
        self.player = player
        self.reason = reason
        super().__init__(f"player {player}: act() {reason}.")

    def __reduce__(self) -> tuple[type[WrongAnswer], tuple[str, str]]:
        """Pickle by its parts."""
        return type(self), (self.player, self.reason)


def checked_answer(answer: object, rows: int, name: str) -> np.ndarray:
    """What a player's `act` returned, as action ids.

    Raises:
        WrongAnswer: If it is not one whole number for each row.
    """
    actions = np.asarray(answer)
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise WrongAnswer(name, f"returned {shown(actions)}, must be one action id for each of {rows} rows")
    return np.ascontiguousarray(actions, dtype=np.int64)
