"""Playouts: a game played to its end by a simple player, who that is, and what the end is worth to each seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.playout_policy import casual_action
from speicher_env.batch.opponents import by_address, function_kept, kept_function
from speicher_env.batch.step import random_action
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.rewards import MARGIN, OUTCOME, write_rewards
from speicher_env.rules.state import OVER
from speicher_env.rules.turn import apply
from speicher_env.views import CompiledPlayer

__all__ = ["Adviser", "Choose", "play_out", "prior_from_spec", "rollout_from_spec", "write_payoffs"]

Choose = Callable[[np.void, int, np.ndarray], int] | None
"""Who plays in playouts: a compiled player's function with its code, or None with one of the codes below."""
RANDOM_PLAY, CASUAL_PLAY = 0, 1
BUILT_IN = {"casual": CASUAL_PLAY, "random": RANDOM_PLAY}
NO_PRIOR = "none"


@dataclass(frozen=True)
class Adviser:
    """A player that a search asks: in playouts, or for the choice that it looks at first."""

    function: Any
    """The function of a compiled player; None for a built-in player, and for no adviser at all."""
    code: int

    @property
    def arguments(self) -> tuple[Choose, int]:
        """The adviser as the compiled code of a search takes it."""
        return (None if self.function is None else by_address(self.function)), self.code

    def __reduce__(self) -> tuple[Any, ...]:
        return _adviser_from, (None if self.function is None else kept_function(self.function), self.code)


def _adviser_from(kept: Any, code: int) -> Adviser:
    return Adviser(function_kept(kept), code)


def rollout_from_spec(spec: str | CompiledPlayer) -> Adviser:
    """The player of playouts that a spec names: a built-in one, or any other compiled one."""
    if isinstance(spec, str) and spec in BUILT_IN:
        return Adviser(None, BUILT_IN[spec])
    return _compiled("rollout", spec, BUILT_IN)


def prior_from_spec(spec: str | CompiledPlayer) -> Adviser:
    """The player whose choice a search looks at first, or none."""
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
        raise ArgumentError(must_be(parameter, spec, f"{', '.join(others)} or another player that is compiled"))
    return Adviser(player.choose, player.code)


@jit
def play_out(game: np.void, choose: Choose, code: int, stream: np.ndarray) -> int:
    """Play a game to its end, all seats in the same manner; how many decisions that took."""
    decisions = 0
    while game["phase"] != OVER:
        if choose is not None:
            action = choose(game, code, stream)
        elif code == CASUAL_PLAY:
            action = casual_action(game, stream)
        else:
            action = random_action(game, stream)
        apply(game, action)
        decisions += 1
    return decisions


@jit
def write_payoffs(game: np.void, margin: float, payoffs: np.ndarray) -> None:
    """What the end of a game is worth to each seat: the outcome, with a part `margin` (0..1) of points ahead.

    `payoffs` has two rows of a number for each seat; the first takes the result, the second is for working.
    """
    write_rewards(game, OUTCOME, payoffs[0])
    if margin > 0.0:
        write_rewards(game, MARGIN, payoffs[1])
        for seat in range(game["players"]):
            payoffs[0, seat] += margin * (payoffs[1, seat] - payoffs[0, seat])
