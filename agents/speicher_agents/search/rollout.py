"""Who plays the playouts of a search, and whose choice it looks at first, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from speicher_agents.search.playouts import CASUAL_PLAY, RANDOM_PLAY
from speicher_env.batch.opponents import by_address
from speicher_env.errors import ArgumentError
from speicher_env.messages import shown
from speicher_env.views import CompiledPlayer

BUILT_IN = {"casual": CASUAL_PLAY, "random": RANDOM_PLAY}
NO_PRIOR = "none"


class Adviser(NamedTuple):
    """A player as the compiled code of a search takes it."""

    choose: Any
    """A function pointer, or None for a player that is built in and for nobody."""
    code: int


def rollout_from_spec(spec: str | CompiledPlayer) -> Adviser:
    """The player that a spec names: one that is built in, or any other that is compiled."""
    if isinstance(spec, str) and spec in BUILT_IN:
        return Adviser(None, BUILT_IN[spec])
    return _compiled("rollout", spec, BUILT_IN)


def prior_from_spec(spec: str | CompiledPlayer) -> Adviser:
    """The player whose choice is looked at first, or nobody."""
    if spec == NO_PRIOR:
        return Adviser(None, 0)
    return _compiled("prior", spec, (NO_PRIOR,))


def _compiled(parameter: str, spec: str | CompiledPlayer, others: Iterable[str]) -> Adviser:
    if isinstance(spec, str):
        from speicher_agents.specs import make_player  # which lists the searches too

        player = make_player(spec)
    else:
        player = spec
    if not isinstance(player, CompiledPlayer):
        raise ArgumentError(
            f"{parameter}: found {shown(spec)}, must be {', '.join(others)} or another player that is compiled"
        )
    return Adviser(by_address(player.choose), player.code)
