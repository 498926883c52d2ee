"""What happens when a player of a batch fails: it raises an error or chooses no legal action."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from speicher_env.arguments import check_choice
from speicher_env.batch.opponents import WrongAnswer
from speicher_env.errors import ArgumentError, IllegalAction
from speicher_env.messages import must_be
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.state import PHASES

__all__ = ["ON_FAILURE", "Failure", "OnFailure", "check_on_failure", "illegal_action", "reason_of"]


class Failure(NamedTuple):
    """A decision for which a player gave no legal action."""

    lane: int
    """The lane of the game."""
    seat: int
    """The seat that the player sits in."""
    player: str
    """The name of the player."""
    reason: str
    """What the player did: the end of a sentence that begins with its name."""
    error: BaseException
    """What a batch raises that handles no failures."""


OnFailure = str | Callable[[Failure], None]
"""What happens when a player fails: "raise", "forfeit", or a function that raises or returns to forfeit."""
ON_FAILURE = ("raise", "forfeit")


def check_on_failure(on_failure: object) -> OnFailure:
    """What happens when a player fails."""
    if callable(on_failure):
        return on_failure
    if not isinstance(on_failure, str):
        raise ArgumentError(must_be("on_failure", on_failure, '"raise", "forfeit" or a function'))
    return check_choice("on_failure", on_failure, ON_FAILURE)


def illegal_action(states: np.ndarray, lane: int, action: int, player: str = "") -> IllegalAction:
    """An illegal action of a player by name, or of the caller, in a lane."""
    state = states[lane]
    allowed = np.unpackbits(state["legal"].view(np.uint8), bitorder="little")
    legal = [text for text, bit in zip(ACTION_TEXTS, allowed, strict=False) if bit]
    text = ACTION_TEXTS[action] if 0 <= action < N_ACTIONS else str(action)
    where = ", ".join([f"player {player}"] * bool(player) + [f"game {lane}"] * (len(states) > 1))
    return IllegalAction(PHASES[state["phase"]], int(state["player"]), text, legal, where)


def reason_of(error: BaseException) -> str:
    """What a player did, as the end of a sentence that begins with its name."""
    if isinstance(error, WrongAnswer):
        return error.reason
    if isinstance(error, IllegalAction):
        return f"chose '{error.action}', which is illegal in {error.phase}"
    text = " ".join(str(error).split())
    return f"raised {type(error).__name__}" + (f": {text[:200]}" if text else "")
