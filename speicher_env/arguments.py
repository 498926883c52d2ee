"""The arguments that mean the same everywhere, checked in one place and made plain Python values.

NumPy's whole numbers are as good as Python's. Truth values and floats are refused even where they would fit, because
they are nearly always a mistake.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_env.messages import nearest, shown
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, MIN_PLAYERS
from speicher_env.rules.stream import MAX_SEED

T = TypeVar("T", bound=str | None)

ILLEGAL = ("raise", "lose", "random")
"""What an illegal action of the learner can do: raise an error, lose the game, or be replaced by a random legal one."""

FRESH_SEED_BITS = 53
"""Seeds that nobody named are short enough for every JSON reader to keep exactly."""


def is_whole(value: object) -> TypeGuard[int | np.integer]:
    """Whether a value is a whole number of Python's or NumPy's, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_players(num_players: object, name: str = "num_players") -> int:
    """The number of players, 2..5; `name` is what the message calls the argument."""
    if not is_whole(num_players) or not MIN_PLAYERS <= num_players <= MAX_PLAYERS:
        raise ArgumentError(f"{name}: found {shown(num_players)}, must be a whole number {MIN_PLAYERS}..{MAX_PLAYERS}")
    return int(num_players)


def check_count(name: str, value: object) -> int:
    """How many of something, 1 or more; `name` is the argument's."""
    if not is_whole(value) or value < 1:
        raise ArgumentError(f"{name}: found {shown(value)}, must be a whole number, 1 or more")
    return int(value)


def check_seed(seed: object, name: str = "seed") -> int:
    """The seed, 0..2**63-1; `name` is what the message calls the argument."""
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise ArgumentError(f"{name}: found {shown(seed)}, must be a whole number 0..2**63-1")
    return int(seed)


def fresh_seed() -> int:
    """A seed that nobody named, from the operating system's randomness: no random generator changes its state."""
    return secrets.randbits(FRESH_SEED_BITS)


def check_first_player(first_player: object, num_players: int) -> int:
    """The seat that begins, or EMPTY where None leaves it to the lot."""
    if first_player is None:
        return EMPTY
    if not is_whole(first_player) or not 0 <= first_player < num_players:
        raise ArgumentError(
            f"first_player: found {shown(first_player)}, must be a seat 0..{num_players - 1}, "
            "or None for one drawn by lot"
        )
    return int(first_player)


def check_options(options: object, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of a reset as a mapping, empty for None; a name that is not known is refused."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ArgumentError(f"options: found {type(options).__name__}, must be a dict or None")
    for name in options:
        if name not in known:
            listed = ", ".join(shown(option) for option in known)
            raise ArgumentError(f"options: found {shown(name)}, must be one of {listed}{nearest(name, known)}")
    return options


def check_choice(name: str, value: object, allowed: Iterable[T]) -> T:
    """One of the allowed texts, or None where that is among them; `name` is the argument's."""
    options = tuple(allowed)
    if value is None or isinstance(value, str):
        for option in options:
            if option == value:
                return option
    texts = [option for option in options if option is not None]
    listed = ", ".join(shown(option) for option in texts)
    if len(texts) < len(options):
        listed += " or None"
    raise ArgumentError(f"{name}: found {shown(value)}, must be one of {listed}{nearest(value, texts)}")


def check_flag(name: str, value: object) -> bool:
    """A truth value, Python's or NumPy's; `name` is the argument's."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name}: found {shown(value)}, must be True or False")
    return bool(value)
