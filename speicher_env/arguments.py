"""Checks of the arguments that mean the same everywhere. Each returns a plain Python value.

NumPy's whole numbers are accepted like Python's. Truth values and floats are refused even where they would fit,
because they are nearly always a mistake.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be, one_of
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, MIN_PLAYERS
from speicher_env.rules.stream import MAX_SEED, next_seed

__all__ = [
    "ILLEGAL", "SEEDS", "check_choice", "check_count", "check_first_player", "check_flag", "check_options",
    "check_players", "check_seed", "following_seed", "fresh_seed", "is_whole",
]  # fmt: skip

T = TypeVar("T", bound=str | None)

ILLEGAL = ("raise", "lose", "random")
"""What an illegal action of the learner can do: raise an error, lose the game, or be replaced by a random legal one."""

FRESH_SEED_BITS = 53
"""Bits of a seed that is drawn because none was given: few enough for every JSON reader to keep exactly."""
SEEDS = "a whole number 0..2**64-1"
"""What a seed must be, for messages."""


def is_whole(value: object) -> TypeGuard[int | np.integer]:
    """Whether a value is a whole number, Python's or NumPy's, and not a truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_players(num_players: object, name: str = "num_players") -> int:
    """The number of players, 2..5; `name` is the argument's name in messages."""
    if not is_whole(num_players) or not MIN_PLAYERS <= num_players <= MAX_PLAYERS:
        counts = [str(count) for count in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
        raise ArgumentError(must_be(name, num_players, listed(counts, "or")))
    return int(num_players)


def check_count(name: str, value: object) -> int:
    """A count, 1 or more; `name` is the argument's name."""
    if not is_whole(value) or value < 1:
        raise ArgumentError(must_be(name, value, "a whole number, 1 or more"))
    return int(value)


def check_seed(seed: object, name: str = "seed") -> int:
    """The seed, 0..2**64-1; `name` is the argument's name in messages."""
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise ArgumentError(must_be(name, seed, SEEDS))
    return int(seed)


def fresh_seed() -> int:
    """A new seed from the operating system's randomness: no random generator changes its state."""
    return secrets.randbits(FRESH_SEED_BITS)


def following_seed(seed: int) -> int:
    """The seed of the next game if none is given; it follows from the last game's seed."""
    return int(next_seed(np.uint64(seed)))


def check_first_player(first_player: object, num_players: int) -> int:
    """The seat that begins; EMPTY for None, which means that it is drawn by lot."""
    if first_player is None:
        return EMPTY
    if not is_whole(first_player) or not 0 <= first_player < num_players:
        allowed = f"a seat 0..{num_players - 1}, or None to draw one by lot"
        raise ArgumentError(must_be("first_player", first_player, allowed))
    return int(first_player)


def check_options(options: object, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of a reset as a mapping, empty for None; unknown names are refused."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ArgumentError(must_be("options", options, "a dict or None"))
    for name in options:
        if name not in known:
            raise ArgumentError(must_be("options", name, one_of(name, known)))
    return options


def check_choice(name: str, value: object, allowed: Iterable[T]) -> T:
    """One of the allowed texts, or None if that is allowed; `name` is the argument's name."""
    options = tuple(allowed)
    if value is None or isinstance(value, str):
        for option in options:
            if option == value:
                return option
    names = ["None" if option is None else str(option) for option in options]
    raise ArgumentError(must_be(name, value, one_of(value, names)))


def check_flag(name: str, value: object) -> bool:
    """A truth value, Python's or NumPy's; `name` is the argument's name."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(must_be(name, value, "True or False"))
    return bool(value)
