"""Who can sit at a table: a person, or one of the players by its spec.

A spec from a request names a player by its name alone, with plain words and bounded numbers for parameters. A class of
one's own, which is found by a path or a module, is let in only from the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from speicher_agents import Agent, describe_players, load_agent
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_env import ArgumentError
from speicher_env.messages import nearest, shown
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

HUMAN = "human"
PLAYERS = "{players}"
"""In a spec that is offered, to be filled in with the number of players at the table."""
TABLES = range(MIN_PLAYERS, MAX_PLAYERS + 1)
FAVOURITES = (f"baseline:{PLAYERS}p", "baseline:universal", "merchant")
"""Who sits opposite a person and gives hints unless told otherwise: the first that plays at the table."""
LONGEST_SPEC = 80
LARGEST_NUMBER = 20_000
"""Of a parameter, so that one request cannot keep the machine busy for hours."""

_STRENGTHS = {
    "flat": (":500",),
    "mcts": (":300", ":2000", ":10000"),
    "baseline": (f":{PLAYERS}p", ":universal"),
    "guided": (":200",),
}
"""Parameters under which the form offers a player that takes any."""
_NETWORKS = ("baseline", "guided")
"""Players that are offered only at tables for which there is a network."""
_PARAMETERS = re.compile(r"(?:[\w=,+-]|(?<=\d)\.(?=\d))*", re.ASCII)
"""Words and numbers; a dot only within a number, so that none is the name of a file."""
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

    def offers(self) -> list[dict[str, object]]:
        """What the form offers, strongest last: specs with `PLAYERS` to be filled in, at which tables, and the idea."""
        offered = [
            _offer(name + strength, kind.idea)
            for name, kind in self._kinds.items()
            for strength in _STRENGTHS.get(name, ("",))
        ]
        known = {filled(str(offer["spec"]), players) for offer in offered for players in TABLES}
        offered += [_offer(spec, "") for spec in sorted(self._trusted - known)]
        return [offer for offer in offered if offer["players"]]

    def favourites(self) -> dict[int, str]:
        """For each number of players who sits opposite a person unless told otherwise, with `PLAYERS` as it is."""
        return {
            players: next(spec for spec in FAVOURITES if plays_at(filled(spec, players), players)) for players in TABLES
        }

    def check(self, seats: object) -> list[str]:
        """The specs of a table's seats, as asked for by a page.

        Raises:
            ArgumentError: If there are not 2..5, or one is no player that a page may ask for, cannot be made, or does
                not play at such a table.
        """
        if not isinstance(seats, list) or not 2 <= len(seats) <= 5:
            raise ArgumentError("seats: must be a list of 2..5 players")
        specs = [self.check_spec(spec, f"seat {seat}") for seat, spec in enumerate(seats)]
        for spec in set(specs):
            seated(spec, 0, len(specs))
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


def filled(spec: str, players: int) -> str:
    """A spec that is offered, for a table of so many."""
    return spec.replace(PLAYERS, str(players))


def plays_at(spec: str, players: int) -> bool:
    """Whether a player can be made and plays at a table of so many."""
    try:
        load_agent(spec).check_players(players)
    except ArgumentError:
        return False
    return True


def _offer(spec: str, idea: str) -> dict[str, object]:
    network = spec.partition(":")[0] in _NETWORKS or spec.endswith((CARD, WEIGHTS))
    tables = [players for players in TABLES if not network or plays_at(filled(spec, players), players)]
    return {"spec": spec, "idea": idea, "players": tables}


def seated(spec: str, seed: int, players: int) -> Agent | None:
    """The player of a spec, ready for a game of so many players; None for a person.

    Raises:
        ArgumentError: If it cannot be made, or does not play at such a table.
    """
    if spec == HUMAN:
        return None
    try:
        agent = load_agent(spec)
        agent.check_players(players)
        agent.reset(seed)
    except ArgumentError:
        raise
    except Exception as error:  # whatever somebody's own player raises
        raise ArgumentError(f"player {shown(spec)} cannot be made: {said(error)}") from error
    return agent


def said(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
