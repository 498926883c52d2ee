"""The plan of a run: its players, its deals and everything else that its results depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import speicher_env
from speicher_agents.agent import CompiledAgent
from speicher_agents.human import Human
from speicher_agents.specs import load_agent, make_player
from speicher_env.arguments import check_players
from speicher_env.batch.opponents import RANDOM_SPEC
from speicher_env.deck import SAMPLED, STANDARD, Deck, edition_of, resolve_deck
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.views import CompiledPlayer, Player
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.panel import Panel
from speicher_training.arena.schedule import Schedule, schedule, schedule_alone
from speicher_training.arena.settings import Protocol

__all__ = [
    "FORMAT", "Plan", "Players", "Seated", "is_outside", "make_plan", "one_line", "player_seed", "seat",
    "with_opponents",
]  # fmt: skip

FORMAT = "speicher-arena/1"
COMPILED_LANES, OUTSIDE_LANES = 2048, 64
"""Games at a time by default: with compiled players only, and if a player is asked through Python."""

PlayerSpec = str | Player | CompiledPlayer
Players = Sequence[PlayerSpec] | Mapping[str, PlayerSpec]
Seated = Player | CompiledPlayer | None
"""A player that can be asked; None is the random one, which every batch has built in."""


@dataclass(frozen=True)
class Plan:
    """A run. Equal plans give equal results, however the work is spread."""

    names: tuple[str, ...]
    specs: tuple[PlayerSpec, ...]
    num_players: int
    deck: str | Deck
    """"standard", "sampled" or another deck."""
    first_seed: int
    mirrors: bool
    lanes: int
    """Games at a time; with the games of a deal it gives the deals of a chunk, the unit of work."""
    panel: str | None = None
    """The panel and its version, such as "2p/1"."""
    candidates: tuple[str, ...] = ()
    """With a panel, the players that it measures."""
    alone: bool = False
    """Whether the first of two players sits alone among seats of the second."""

    @cached_property
    def schedule(self) -> Schedule:
        """The games of each deal."""
        make = schedule_alone if self.alone else schedule
        return make(len(self.names), self.num_players, self.mirrors)

    @property
    def deals_per_chunk(self) -> int:
        """Deals that are played together."""
        return max(1, self.lanes // self.schedule.games)

    @property
    def of_specs(self) -> bool:
        """Whether every player is given as a text, so that another process can make it, too."""
        return all(isinstance(spec, str) for spec in self.specs)

    def identity(self) -> dict[str, Any]:
        """Everything that a result depends on, as plain values: kept beside the results and compared on resuming."""
        deck: Any = self.deck
        if isinstance(deck, Deck):
            deck = {"name": deck.name, "cards": deck.cards()}
        return {
            "format": FORMAT,
            "players": [
                {"name": name, "spec": spec if isinstance(spec, str) else f"object {type(spec).__qualname__}"}
                for name, spec in zip(self.names, self.specs, strict=True)
            ],
            "num_players": self.num_players,
            "deck": deck,
            "edition": edition_of(self.deck),
            "first_seed": self.first_seed,
            "mirrors": self.mirrors,
            "lanes": self.lanes,
            "panel": self.panel,
            "candidates": list(self.candidates),
            **({"alone": True} if self.alone else {}),
            "version": speicher_env.__version__,
        }


def make_plan(
    players: Players, protocol: Protocol, first_seed: int, panel: Panel | None = None
) -> tuple[Plan, list[Seated]]:
    """Check the players and the protocol, and give the plan with its players.

    Args:
        players: Specs or players, or a mapping of names to them, the opponents of a panel included.
        protocol: What is played, as the panel settles it if there is one.
        first_seed: The seed of the first deal.
        panel: The panel, if there is one.
    """
    num_players = check_players(2 if protocol.num_players is None else protocol.num_players)
    specs = list(players.values()) if isinstance(players, Mapping) else list(players)
    names = list(players) if isinstance(players, Mapping) else _names(specs)
    seated = seat(specs)
    for player in seated:
        if player is not None:
            load_agent(player).check_players(num_players)
    deck = resolve_deck(STANDARD if protocol.deck is None else protocol.deck)
    lanes = protocol.lanes or (OUTSIDE_LANES if any(map(is_outside, seated)) else COMPILED_LANES)
    plan = Plan(
        names=tuple(names), specs=tuple(specs), num_players=num_players,
        deck=SAMPLED if deck is None else STANDARD if deck.name == STANDARD else deck,
        first_seed=first_seed, mirrors=not protocol.alone if protocol.mirrors is None else protocol.mirrors,
        lanes=int(lanes), panel=None if panel is None else panel.label,
        candidates=() if panel is None else tuple(name for name in names if name not in panel.opponents),
        alone=protocol.alone,
    )  # fmt: skip
    assert plan.schedule.games  # a wrong number of players is refused here
    return plan, seated


def with_opponents(players: Players, panel: Panel) -> dict[str, PlayerSpec]:
    """The players by name, followed by the opponents of a panel."""
    specs = list(players.values()) if isinstance(players, Mapping) else list(players)
    names = list(players) if isinstance(players, Mapping) else [name_of(spec) for spec in specs]
    if len(set(names)) < len(names):
        raise ArgumentError("players: a player is listed twice; must be different players with a panel.")
    measured = {name: spec for name, spec in zip(names, specs, strict=True) if name not in panel.opponents}
    return {**measured, **{spec: spec for spec in panel.opponents}}


def seat(specs: Sequence[PlayerSpec]) -> list[Seated]:
    """The players of the specs, each a different object.

    Compiled players that were compiled together play inside the batch; any other compiled one is asked from outside.
    """
    seated: list[Seated] = []
    together: object = None
    for spec in specs:
        player = _made(spec)
        if isinstance(player, CompiledPlayer):
            together = together or player.choose
            if player.choose is not together:
                player = CompiledAgent(player)
        seated.append(player)
    return seated


def is_outside(player: Seated) -> bool:
    """Whether a player is asked through Python."""
    return not (player is None or isinstance(player, CompiledPlayer))


def player_seed(deal_seed: int, name: str) -> int:
    """The seed of a player for the chunk that begins with a deal's seed: 53 bits that reveal nothing of the deal."""
    return int.from_bytes(hashlib.sha256(f"{deal_seed} {name}".encode()).digest()[:8], "big") >> 11


def _made(spec: PlayerSpec) -> Seated:
    if spec == RANDOM_SPEC:
        return None
    if not isinstance(spec, str):
        if isinstance(spec, CompiledPlayer) or callable(getattr(spec, "act", None)):
            return spec
        raise ArgumentError(must_be("players", spec, "specs such as random or objects with act(views)"))
    try:
        player = make_player(spec)
    except ArgumentError:
        raise
    except Exception as error:  # whatever the constructor of somebody's own class raises
        raise ArenaError(f"player {spec}: it cannot be made: {one_line(error)}") from error
    if isinstance(player, Human):
        raise ArgumentError(f"player {spec}: people cannot play in an arena; use speicher play.")
    return player


def one_line(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def name_of(spec: PlayerSpec) -> str:
    """What tables call a player: its spec, its name, or the name of its class."""
    return spec.strip() if isinstance(spec, str) else str(getattr(spec, "name", "") or type(spec).__name__)


def _names(specs: Sequence[PlayerSpec]) -> list[str]:
    """The names of players, with a number if a name comes again."""
    names: list[str] = []
    for name in map(name_of, specs):
        same = sum(known == name or known.startswith(f"{name} #") for known in names)
        names.append(f"{name} #{same + 1}" if same else name)
    return names
