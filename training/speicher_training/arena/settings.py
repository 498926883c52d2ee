"""The settings of an arena: what is played, how long, what is kept, and who does the work."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from speicher_env.arguments import check_count, check_flag, is_whole
from speicher_env.deal import DeckArgument
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest
from speicher_training.arena.bootstrap import REPLICATES
from speicher_training.arena.panel import Panel, load_panel
from speicher_training.arena.sequential import ALPHA, INDIFFERENCE
from speicher_training.executor import check_ray

__all__ = ["Extent", "Output", "Protocol", "Settings", "Work"]

DEALS = 100
"""Deals by default."""
MOST_DEALS = 20_000
"""Deals at most with `until_decided`, by default."""
MOST_DEALS_IN_TIME = 1_000_000
"""Deals at most if only a time limits them."""
TIMEOUT = 10.0

_SECONDS = {"s": 1, "m": 60, "h": 3600}
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([smh])")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Protocol:
    """What is played. With the players it decides every result."""

    num_players: int | None = None
    """Players in a game, 2..5; default: 2."""
    deck: DeckArgument | None = None
    """"standard" (the default), "sampled", a deck file or a Deck."""
    seed: int | str | None = None
    """The seed of the first deal, or a held-out range: "evaluation" (the default) or "development"."""
    panel: str | None = None
    """A standard panel such as "2p": its opponents join the players, and it settles the rest of the protocol."""
    mirrors: bool | None = None
    """Whether each player also plays against itself, which shows the advantage of a seat; default: unless `alone`."""
    alone: bool = False
    """Whether the first of two players sits alone, in every seat in turn, and the second in all other seats."""
    lanes: int | None = None
    """Games at a time in one worker; default: 2048, or 64 if a player is asked through Python."""

    def __post_init__(self) -> None:
        """Check what can be checked without the players."""
        check_flag("alone", self.alone)
        if self.mirrors is not None:
            check_flag("mirrors", self.mirrors)
        if self.lanes is not None:
            check_count("lanes", self.lanes)


@dataclass(frozen=True)
class Extent:
    """How long to play."""

    deals: int | None = None
    """Deals; default: 100. With `until_decided` the most there may be; default: 20,000."""
    budget: int | str | None = None
    """In place of `deals`: a number of games, or a time from now such as "90s", "10m" or "2h"."""
    until_decided: bool = False
    """Whether to stop as soon as it is decided for every pair who is better, or that they are equal."""
    alpha: float = ALPHA
    """With `until_decided`, the chance that any decision is wrong."""
    indifference: float = INDIFFERENCE
    """With `until_decided`, how far from one half a score still counts as equal."""
    seconds: float | None = field(init=False, default=None)
    """The time that `budget` gives, if it is one."""

    def __post_init__(self) -> None:
        """Check everything."""
        check_flag("until_decided", self.until_decided)
        if self.deals is not None:
            check_count("deals", self.deals)
            if self.budget is not None:
                raise ArgumentError("deals and budget: must be one or the other, not both.")
        for name, most in (("alpha", 1.0), ("indifference", 0.5)):
            value = getattr(self, name)
            if not _is_number(value) or not 0 < value < most:
                raise ArgumentError(must_be(name, value, f"a number between 0 and {most:g}"))
        if self.budget is None:
            return
        match = _TIME.fullmatch(self.budget.strip()) if isinstance(self.budget, str) else None
        if match is not None and float(match[1]):
            object.__setattr__(self, "seconds", float(match[1]) * _SECONDS[match[2]])
        elif not is_whole(self.budget) or self.budget < 1:
            raise ArgumentError(must_be("budget", self.budget, "a number of games, or a time such as 90s, 10m or 2h"))

    def most_deals(self, games_in_deal: int = 1) -> int:
        """The most deals to play, if each has that many games."""
        if self.deals is not None:
            return int(self.deals)
        if self.seconds is not None:
            return MOST_DEALS_IN_TIME
        if is_whole(self.budget):
            return max(1, int(self.budget) // games_in_deal)
        return MOST_DEALS if self.until_decided else DEALS


@dataclass(frozen=True)
class Output:
    """What is kept."""

    output: str | Path | None = None
    """The folder of the run: finished deals as they come, and at the end the report. A run that is there resumes."""
    records: str | Path | None = None
    """A folder for the game records."""
    think: bool = False
    """Whether the records also have what players thought of their moves."""
    plots: bool = True
    """Whether the report in `output` has plots."""
    replicates: int = REPLICATES
    """Replicates of the bootstrap."""

    def __post_init__(self) -> None:
        """Check everything but the folders."""
        check_flag("think", self.think)
        check_flag("plots", self.plots)
        check_count("replicates", self.replicates)
        if self.think and self.records is None:
            raise ArgumentError("think: what players thought goes into the records, so it needs a folder for records.")


@dataclass(frozen=True)
class Work:
    """Who does the work. Results do not depend on it, except for players that fail or are timed out."""

    jobs: int | None = None
    """Workers at a time; default: 1, or with `ray` one on each core."""
    ray: str | None = None
    """A Ray cluster that does the work: "local", "auto" or HOST:PORT, see `executor_for`; None for this machine. Needs
    players given as specs."""
    strict: bool = False
    """Whether a player's failure stops the run; otherwise the player forfeits that game."""
    timeout: float = TIMEOUT
    """Seconds that a player may take for each decision of a call."""
    isolated: bool = False
    """Whether players asked through Python get a process of their own even with one job, so that it can be ended
    whatever they do. Needs players given as specs."""

    def __post_init__(self) -> None:
        """Check everything."""
        if self.jobs is not None:
            check_count("jobs", self.jobs)
        check_ray(self.ray)
        check_flag("strict", self.strict)
        check_flag("isolated", self.isolated)
        seconds = self.timeout
        if not _is_number(seconds) or not 0 < seconds < float("inf"):
            raise ArgumentError(must_be("timeout", seconds, "a number of seconds above 0"))


@dataclass(frozen=True)
class Settings:
    """All settings of an arena but its players."""

    protocol: Protocol = Protocol()
    extent: Extent = Extent()
    output: Output = Output()
    work: Work = Work()

    @classmethod
    def of(cls, **options: Any) -> Settings:
        """The settings with these fields of its parts, by name: `Settings.of(deals=50, jobs=2)`."""
        parts = {"protocol": Protocol, "extent": Extent, "output": Output, "work": Work}
        part_of = {each.name: part for part, kind in parts.items() for each in fields(kind) if each.init}
        given: dict[str, dict[str, Any]] = {part: {} for part in parts}
        for name, value in options.items():
            if name not in part_of:
                raise TypeError(f"arena() has no argument {name!r}{nearest(name, part_of)}")
            given[part_of[name]][name] = value
        return cls(**{part: kind(**given[part]) for part, kind in parts.items()})

    def with_panel(self) -> tuple[Settings, Panel | None]:
        """The settings as the panel settles them, and the panel; without one the settings as they are."""
        name = self.protocol.panel
        if name is None:
            return self, None
        free = (
            Protocol(panel=name, lanes=self.protocol.lanes),
            Extent(alpha=self.extent.alpha, indifference=self.extent.indifference),
        )
        parts: list[tuple[Protocol | Extent, Protocol | Extent]]
        parts = [(self.protocol, free[0]), (self.extent, free[1])]
        for part, default in parts:
            for each in fields(part):
                if getattr(part, each.name) != getattr(default, each.name):
                    raise ArgumentError(f"{each.name}: the panel {name} settles it, so it must be left out.")
        panel = load_panel(name)
        protocol = Protocol(
            num_players=panel.players, deck=panel.deck, seed=panel.first_seed, mirrors=panel.mirrors,
            lanes=self.protocol.lanes,
        )  # fmt: skip
        return Settings(protocol, Extent(deals=panel.deals), self.output, self.work), panel
