"""What a name in a spec stands for: how the player is made, what it may be told, and its idea in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from speicher_env.views import CompiledPlayer, Player

Value = int | float | str


@dataclass(frozen=True)
class Parameter:
    """Something a player may be told in its spec, as in ``mcts:ms=50``."""

    name: str
    kind: type[int] | type[float] | type[str]
    meaning: str
    """One line, with the unit."""
    default: Value | None = None
    """What it is when the spec does not say; None if that means something else than any value."""
    least: float | None = None
    """The smallest allowed value of a number."""


@dataclass(frozen=True)
class PlayerKind:
    """A player that a spec can name."""

    name: str
    idea: str
    """One line for `speicher players`."""
    make: Callable[..., Player | CompiledPlayer]
    """Called with every parameter by name."""
    parameters: tuple[Parameter, ...] = ()
    """The first may be given without its name, as in ``mcts:1000``."""
