"""The scripted ladder: players with one nameable idea each, compiled to run inside the step of a batch."""

from __future__ import annotations

from functools import partial

from speicher_agents.registry import PlayerKind
from speicher_agents.scripted.choose import choose
from speicher_agents.scripted.codes import CODES
from speicher_env.views import CompiledPlayer

__all__ = ["CODES", "KINDS", "choose"]

_IDEAS = {
    "random": "every legal action equally likely",
    "contractor": "takes contracts first, then the ships that fill them",
    "frugal": "never pays more than one coin before the last rounds",
    "spoiler": "drives up the prices of what others want",
    "shipper": "turns ships into coins with merchants and the market hall",
    "firechief": "wins fires: pays for firemen until its lead is safe",
    "merchant": "values every card for every seat, and buys where worth exceeds price",
}


def _make(name: str) -> CompiledPlayer:
    return CompiledPlayer(name, choose, CODES[name])


KINDS = tuple(PlayerKind(name, idea, partial(_make, name)) for name, idea in _IDEAS.items())
"""The ladder, weakest ideas first."""
