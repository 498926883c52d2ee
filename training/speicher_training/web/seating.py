"""Who can sit at a table: a person, or one of the players by its spec.

A spec from a request names a player by its name alone, with plain words and bounded numbers for parameters. A class of
one's own, which is found by a path or a module, is let in only from the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from speicher_agents import Agent, describe_players, load_agent
from speicher_env import ArgumentError
from speicher_env.deck.checks import nearest, shown

HUMAN = "human"
LONGEST_SPEC = 80
LARGEST_NUMBER = 20_000
"""Of a parameter, so that one request cannot keep the machine busy for hours."""

_STRENGTHS = {"flat": (":500",), "mcts": (":300", ":2000", ":10000"), "baseline": (":{players}p",)}
"""Parameters under which the form offers a player that takes any."""
_PARAMETERS = re.compile(r"[\w=.,+-]*", re.ASCII)
_NUMBER = re.compile(r"\d[\d.e+]*", re.ASCII)


class Seating:
    """The specs that a page may ask for."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        """Take the specs of the command line too, whatever they name."""
        self._kinds = {kind.name: kind for kind in describe_players() if kind.name != HUMAN}
        self._trusted: set[str] = set()
        self.trust(trusted)

    def trust(self, specs: Iterable[str]) -> None:
        """Let specs in that only the command line may name."""
        self._trusted |= {spec for spec in specs if spec != HUMAN}

    def offers(self) -> list[dict[str, str]]:
        """What the form offers, strongest last: specs, in which {players} is to be filled in, and the idea."""
        offered = [
            {"spec": name + strength, "idea": kind.idea}
            for name, kind in self._kinds.items()
            for strength in _STRENGTHS.get(name, ("",))
        ]
        known = {offer["spec"] for offer in offered}
        return offered + [{"spec": spec, "idea": ""} for spec in sorted(self._trusted - known)]

    def check(self, seats: object) -> list[str]:
        """The specs of a table's seats, as asked for by a page.

        Raises:
            ArgumentError: If there are not 2..5, or one is no player that a page may ask for, or cannot be made.
        """
        if not isinstance(seats, list) or not 2 <= len(seats) <= 5:
            raise ArgumentError("seats: must be a list of 2..5 players")
        specs = [self.check_spec(spec, f"seat {seat}") for seat, spec in enumerate(seats)]
        for spec in set(specs):
            seated(spec, 0)
        return specs

    def check_spec(self, spec: object, where: str, human: bool = True) -> str:
        """One spec as asked for by a page; `where` begins the message if it is none."""
        if not isinstance(spec, str) or len(spec) > LONGEST_SPEC or not spec.strip():
            raise ArgumentError(f"{where}: must be a player such as merchant, of at most {LONGEST_SPEC} letters")
        spec = spec.strip()
        if spec in self._trusted or (human and spec == HUMAN):
            return spec
        name, _, parameters = spec.partition(":")
        if name not in self._kinds:
            names = ([HUMAN] if human else []) + list(self._kinds)
            raise ArgumentError(
                f"{where}: found {shown(name)}, must be one of {', '.join(names)}{nearest(name, names)}; "
                "a player of your own is named on the command line"
            )
        if not _PARAMETERS.fullmatch(parameters):
            raise ArgumentError(f"{where}: the parameters of {name} must be plain words and numbers")
        for number in _NUMBER.findall(parameters):
            if _size(number) > LARGEST_NUMBER:
                raise ArgumentError(f"{where}: found {number}, on this page a parameter is at most {LARGEST_NUMBER}")
        return spec


def _size(number: str) -> float:
    try:
        return float(number)
    except ValueError:
        return 0.0


def seated(spec: str, seed: int) -> Agent | None:
    """The player of a spec, ready for a game; None for a person.

    Raises:
        ArgumentError: If it cannot be made.
    """
    if spec == HUMAN:
        return None
    try:
        agent = load_agent(spec)
        agent.reset(seed)
    except ArgumentError:
        raise
    except Exception as error:  # whatever somebody's own player raises
        raise ArgumentError(f"player {shown(spec)} cannot be made: {said(error)}") from error
    return agent


def said(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
