"""Several players in one option, with commas between their specs."""

from __future__ import annotations

import re

from speicher_env import ArgumentError

_PARAMETER = re.compile(r"\s*\w+\s*=")


def split_specs(text: str, option: str) -> list[str]:
    """The specs in a text such as ``merchant,mcts:ms=50,c=1``: a part ``name=value`` belongs to the spec before it."""
    specs: list[str] = []
    for part in text.split(","):
        if specs and ":" in specs[-1] and _PARAMETER.match(part):
            specs[-1] += f",{part}"
        else:
            specs.append(part.strip())
    if not all(specs):
        raise ArgumentError(f"{option}: found {text!r}, must be specs of players with commas between them")
    return specs


def one_for_each(specs: list[str], seats: int, option: str, who: str) -> list[str]:
    """As many specs as there are seats: those given, or the only one for all of them."""
    if len(specs) == 1:
        return specs * seats
    if len(specs) != seats:
        raise ArgumentError(f"{option}: found {len(specs)} players, must be 1 for all, or {seats}, one for {who}")
    return specs
