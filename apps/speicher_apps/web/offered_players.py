"""The players that a page may seat: a person, or a player by its name with bounded parameters.

A class or a network of the user's own, which is named by a file or a module, is accepted only from the command line.
"""

from __future__ import annotations

from collections.abc import Iterable

from speicher_agents import Agent, describe_players, load_agent
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_apps.levels import LEVELS
from speicher_apps.specs import HUMAN, check_untrusted
from speicher_env import ArgumentError
from speicher_env.messages import must_be, shown
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

__all__ = ["FAVOURITES", "PLAYERS", "TABLES", "OfferedPlayers", "error_text", "filled", "plays_at"]

PLAYERS = "{players}"
"""Stands for the number of players in a spec that is offered."""
TABLES = range(MIN_PLAYERS, MAX_PLAYERS + 1)
FAVOURITES = (f"baseline:{PLAYERS}p", "baseline:universal", "merchant")
"""Default opponent and hint giver: the first of these that plays with that number of players."""
LARGEST_NUMBER = 20_000
"""Largest value of a parameter, so that one request cannot keep the machine busy for hours."""

_STRENGTHS = {
    "flat": (":500",),
    "mcts": (":300", ":2000", ":10000"),
    "baseline": (f":{PLAYERS}p", ":universal"),
    "guided": (":200",),
}
"""Parameters under which the form offers a player that takes any."""
_NETWORKS = ("baseline", "guided")
"""Players that are offered only for numbers of players for which there is a network."""


class OfferedPlayers:
    """The specs that a page may ask for, and the only way from a spec on the page to a player."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        """Accept also the specs of the command line, whatever they name."""
        self._kinds = {
            kind.name: kind for kind in describe_players() if kind.name != HUMAN and not kind.command_line_only
        }
        self._trusted: set[str] = set()
        self.trust(trusted)

    def trust(self, specs: Iterable[str]) -> None:
        """Accept specs that only the command line may name."""
        self._trusted |= {spec for spec in specs if spec != HUMAN}

    def offers(self) -> list[dict[str, object]]:
        """What the form offers, strongest last: specs with `PLAYERS` in them, their numbers of players, their ideas."""
        offered = [
            _offer(name + strength, kind.idea)
            for name, kind in self._kinds.items()
            for strength in _STRENGTHS.get(name, ("",))
        ]
        known = {filled(str(offer["spec"]), players) for offer in offered for players in TABLES}
        offered += [_offer(spec, "") for spec in sorted(self._trusted - known)]
        return [offer for offer in offered if offer["players"]]

    @staticmethod
    def levels() -> list[dict[str, object]]:
        """The levels of play, the weakest first, with the numbers of players that each plays with."""
        offered = [{**_offer(level.spec, level.note), "name": level.name} for level in LEVELS]
        return [level for level in offered if level["players"]]

    def favourites(self) -> dict[int, str]:
        """The default opponent for each number of players, with `PLAYERS` left in."""
        return {
            players: next(spec for spec in FAVOURITES if plays_at(filled(spec, players), players)) for players in TABLES
        }

    def check(self, seats: object) -> list[str]:
        """The specs of all seats, as asked for by a page.

        Raises:
            ArgumentError: If there are not 2..5, or one is not accepted from a page, cannot be made, or does not play
                with that number of players.
        """
        if not isinstance(seats, list) or not MIN_PLAYERS <= len(seats) <= MAX_PLAYERS:
            raise ArgumentError(must_be("seats", seats, f"a list of {MIN_PLAYERS}..{MAX_PLAYERS} players"))
        specs = [self.check_spec(spec, f"seats[{seat}]") for seat, spec in enumerate(seats)]
        for spec in dict.fromkeys(specs):
            self.make(spec, 0, len(specs))
        return specs

    def check_spec(self, spec: object, where: str, human: bool = True) -> str:
        """One spec as asked for by a page; `where` is what a message calls it."""
        if isinstance(spec, str) and spec.strip() in self._trusted:
            return spec.strip()
        spec = check_untrusted(spec, where, largest=LARGEST_NUMBER, trusted_from="on the command line")
        if spec == HUMAN and not human:
            raise ArgumentError(must_be(where, spec, "a player that decides by itself, such as merchant"))
        return spec

    def make(self, spec: str, seed: int, players: int) -> Agent | None:
        """The player of a spec, ready for a game with that number of players; None for a person.

        Raises:
            ArgumentError: If the spec is not accepted from a page, as in a stored game that somebody else wrote; if
                the player cannot be made, or does not play with that number of players.
        """
        spec = self.check_spec(spec, "player")
        if spec == HUMAN:
            return None
        try:
            agent = load_agent(spec)
            agent.check_players(players)
            agent.reset(seed)
        except ArgumentError:
            raise
        except Exception as error:  # a user's own player may raise anything
            raise ArgumentError(f"player {shown(spec)} cannot be made: {error_text(error)}") from error
        return agent


def filled(spec: str, players: int) -> str:
    """A spec that is offered, for that number of players."""
    return spec.replace(PLAYERS, str(players))


def plays_at(spec: str, players: int) -> bool:
    """Whether a player can be made and plays with that number of players."""
    try:
        load_agent(spec).check_players(players)
    except ArgumentError:
        return False
    return True


def _offer(spec: str, idea: str) -> dict[str, object]:
    network = spec.partition(":")[0] in _NETWORKS or spec.endswith((CARD, WEIGHTS))
    tables = [players for players in TABLES if not network or plays_at(filled(spec, players), players)]
    return {"spec": spec, "idea": idea, "players": tables}


def error_text(error: Exception) -> str:
    """The message of an error in one line, or its type."""
    return " ".join(str(error).split())[:200] or type(error).__name__
