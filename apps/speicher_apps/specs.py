"""Specs of players: several in one option, and those that come from records or web pages and are not trusted."""

from __future__ import annotations

import math
import re

from speicher_agents.specs import describe_players, parse_named
from speicher_env import ArgumentError
from speicher_env.messages import must_be

__all__ = ["HUMAN", "check_untrusted", "one_for_each", "split_specs"]

HUMAN = "human"
"""The spec of a person."""

LONGEST_SPEC = 80
"""Characters of a spec that is not trusted."""

_PARAMETER = re.compile(r"\s*\w+\s*=")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_-]*")


def split_specs(text: str, option: str) -> list[str]:
    """The specs in a text such as ``merchant,mcts:ms=50,c=1``: a part ``name=value`` belongs to the spec before it."""
    specs: list[str] = []
    for part in text.split(","):
        if specs and ":" in specs[-1] and _PARAMETER.match(part):
            specs[-1] += f",{part}"
        else:
            specs.append(part.strip())
    if not all(specs):
        raise ArgumentError(must_be(option, text, "specs of players with commas between them"))
    return specs


def one_for_each(specs: list[str], seats: int, option: str, who: str) -> list[str]:
    """As many specs as there are seats: those given, or the only one for all of them."""
    if len(specs) == 1:
        return specs * seats
    if len(specs) != seats:
        raise ArgumentError(f"{option}: must be 1 player for all, or {seats}, one for {who}; got {len(specs)}.")
    return specs


def check_untrusted(spec: object, where: str, *, largest: int, trusted_from: str) -> str:
    """A spec that a stranger may have written, without spaces around it, if it is safe to make its player.

    It must name a player of an installed package by its name. Parameters are plain words and bounded numbers. So it
    can neither run code from a file or a module, nor read a file, nor keep the machine busy for hours.

    Args:
        spec: The spec, from a record or a request.
        where: What the message calls it.
        largest: The largest value of a number, apart from seeds.
        trusted_from: How the user names a player of their own, as the end of the message.

    Raises:
        ArgumentError: If it is not safe, or names no player.
    """
    if not isinstance(spec, str) or not spec.strip() or len(spec) > LONGEST_SPEC:
        raise ArgumentError(
            must_be(where, spec, f"the spec of a player, such as merchant, of at most {LONGEST_SPEC} characters")
        )
    spec = spec.strip()
    if spec == HUMAN:
        return spec
    try:
        kind, parameters = parse_named(spec)
    except ArgumentError as error:
        message = f"{where}: {error}".rstrip(".")
        own = spec.partition(":")[0] not in {kind.name for kind in describe_players()}
        raise ArgumentError(f"{message}{f'; players of your own are named {trusted_from}' * own}.") from None
    if kind.name == HUMAN:
        raise ArgumentError(must_be(where, spec, f"{HUMAN} without parameters"))
    for name, value in parameters.items():
        number = _number(value)
        if number is not None and name != "seed" and not abs(number) <= largest:
            raise ArgumentError(must_be(name or "parameter", value, f"at most {largest}", where))
        if number is None and value is not None and not _PLAIN_WORD.fullmatch(str(value)):
            allowed = f"a plain word; files and modules are named {trusted_from}"
            raise ArgumentError(must_be(name or "parameter", value, allowed, where))
    return spec


def _number(value: int | float | str | None) -> float | None:
    """A parameter as a number, None for a word."""
    try:
        return None if value is None else float(value)
    except ValueError:
        return None
    except OverflowError:  # a whole number beyond every float
        return math.inf
