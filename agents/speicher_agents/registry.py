"""The kinds of players: what a name in a spec stands for, and the kinds that installed packages add."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from speicher_env.batch.opponents import GROUP
from speicher_env.messages import shown
from speicher_env.rules.stream import MAX_SEED
from speicher_env.views import CompiledPlayer, Player

__all__ = ["SEED", "Parameter", "PlayerKind", "Value", "installed_kinds"]

Value = int | float | str

OWN_ENTRY_POINT = "speicher_agents"
"""The entry point by which this package offers its own players."""


@dataclass(frozen=True)
class Parameter:
    """A parameter that a player takes in its spec, as in ``mcts:ms=50``."""

    name: str
    kind: type[int] | type[float] | type[str]
    meaning: str
    """One line, with the unit."""
    default: Value | None = None
    """The value when the spec does not give one; None if that means something else than any value."""
    least: float | None = None
    """The smallest allowed value of a number."""
    most: float = 2**63 - 1
    """The largest allowed value of a number that has a smallest one."""


SEED = Parameter("seed", int, "of all that is drawn, until a reset gives another", 0, least=0, most=MAX_SEED)
"""The parameter of a player that draws random numbers."""


@dataclass(frozen=True)
class PlayerKind:
    """A player that a spec can name."""

    name: str
    idea: str
    """One line for `speicher players`."""
    make: Callable[..., Player | CompiledPlayer]
    """Makes the player; called with every parameter by name."""
    parameters: tuple[Parameter, ...] = ()
    """The first may be given without its name, as in ``mcts:1000``."""
    from_spec: Callable[[str], Player | CompiledPlayer] | None = None
    """If given, makes the player from the whole spec instead, so that a package reads its own parameters."""
    has_base: bool = False
    """Whether the rest of its spec is the spec of another player, as in ``exact:merchant``; goes with `from_spec`."""
    command_line_only: bool = False
    """Whether the player runs programs or reads files that its parameters name: only the command line and Python may
    name it, and no record, recipe or page."""


@cache
def installed_kinds() -> tuple[PlayerKind, ...]:
    """The players of other installed packages, in the order of their names.

    A package offers a player under the entry-point group ``speicher_env.players``. The name of the entry point is the
    name in specs; it refers to a function that takes the whole spec and returns the player. The first line of the
    function's docstring is the idea that `speicher players` shows. A package that cannot be imported is left out with
    a warning.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    kinds = (_kind_of(point) for point in points if point.name != OWN_ENTRY_POINT)
    return tuple(kind for kind in kinds if kind is not None)


def _kind_of(point: EntryPoint) -> PlayerKind | None:
    try:
        make = point.load()
    except Exception as error:  # whatever the package raises while it is imported
        problem = " ".join(str(error).split()) or type(error).__name__
        warnings.warn(f"player {shown(point.name)} ({point.value}) cannot be imported: {problem}", stacklevel=2)
        return None
    lines = (getattr(make, "__doc__", None) or "").strip().splitlines()
    return PlayerKind(point.name, lines[0] if lines else f"a player of {point.value}", make, from_spec=make)
