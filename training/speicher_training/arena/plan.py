"""What a run is: the players, the deals and everything else that its results depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import speicher_env
from speicher_agents.agent import CompiledAgent
from speicher_agents.specs import load_agent, make_player
from speicher_env.arguments import check_players, is_whole
from speicher_env.batch.opponents import RANDOM_SPEC
from speicher_env.deal import DeckArgument
from speicher_env.deck import SAMPLED, STANDARD, Deck, edition_of, resolve_deck
from speicher_env.errors import ArgumentError
from speicher_env.views import CompiledPlayer, Player
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.schedule import Schedule, schedule, schedule_alone

FORMAT = "speicher-arena/1"
COMPILED_LANES, OUTSIDE_LANES = 2048, 64
"""Games at a time, unless told: of compiled players alone, and where somebody is asked through Python."""

PlayerSpec = str | Player | CompiledPlayer
Players = Sequence[PlayerSpec] | Mapping[str, PlayerSpec]
Seated = Player | CompiledPlayer | None
"""A player ready to be asked; None is the random one, which every batch has built in."""


@dataclass(frozen=True)
class Plan:
    """One run. Equal plans give equal results, however the work is spread."""

    names: tuple[str, ...]
    specs: tuple[PlayerSpec, ...]
    num_players: int
    deck: str | Deck
    """"standard", "sampled" or a deck of somebody's own."""
    first_seed: int
    mirrors: bool
    lanes: int
    """Games at a time; with the games of a deal it gives the deals of a chunk, the unit of work."""
    panel: str | None = None
    """The panel and its version, such as "2p/1"."""
    candidates: tuple[str, ...] = ()
    """With a panel, the players that are measured by it."""
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
        """Whether every player can be made from a text, so in another process too."""
        return all(isinstance(spec, str) for spec in self.specs)

    def identity(self) -> dict[str, Any]:
        """All that a result depends on, as plain values: what is written beside the results and compared."""
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
    players: Players,
    num_players: int,
    *,
    deck: DeckArgument,
    first_seed: int,
    mirrors: bool,
    lanes: int | None,
    panel: str | None = None,
    candidates: Sequence[str] = (),
    alone: bool = False,
) -> tuple[Plan, list[Seated]]:
    """Check everything, and give the plan with its players."""
    seats = check_players(num_players)
    if isinstance(players, Mapping):
        names, specs = list(players), list(players.values())
    else:
        specs = list(players)
        names = _names(specs)
    seated = seat(specs)
    for player in seated:
        if player is not None:
            load_agent(player).check_players(seats)
    resolved = resolve_deck(deck)
    own = SAMPLED if resolved is None else STANDARD if resolved.name == STANDARD else resolved
    if lanes is not None and (not is_whole(lanes) or lanes < 1):
        raise ArgumentError(f"lanes: found {lanes!r}, must be a whole number, 1 or more")
    if lanes is None:
        lanes = OUTSIDE_LANES if any(map(is_outside, seated)) else COMPILED_LANES
    plan = Plan(
        tuple(names), tuple(specs), seats, own, first_seed, mirrors, int(lanes), panel, tuple(candidates), alone
    )  # fmt: skip
    assert plan.schedule.games  # a wrong number of players is refused here
    return plan, seated


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
    """The seed of a player for the chunk that begins with this deal: 53 bits that the deal has no part in."""
    return int.from_bytes(hashlib.sha256(f"{deal_seed} {name}".encode()).digest()[:8], "big") >> 11


def _made(spec: PlayerSpec) -> Seated:
    if spec == RANDOM_SPEC:
        return None
    if not isinstance(spec, str):
        if isinstance(spec, CompiledPlayer) or callable(getattr(spec, "act", None)):
            return spec
        raise ArgumentError(
            f"players: found {type(spec).__name__}, must be a spec such as 'random' or an object with act(views)"
        )
    try:
        return make_player(spec)
    except ArgumentError:
        raise
    except Exception as error:  # whatever the constructor of somebody's own class raises
        raise ArenaError(f"player {spec}: it cannot be made: {one_line(error)}") from error


def one_line(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def _names(specs: Sequence[PlayerSpec]) -> list[str]:
    """What tables call the players: their specs or names; one that comes again gets a number."""
    names: list[str] = []
    for spec in specs:
        name = spec.strip() if isinstance(spec, str) else str(getattr(spec, "name", "") or type(spec).__name__)
        same = sum(known == name or known.startswith(f"{name} #") for known in names)
        names.append(f"{name} #{same + 1}" if same else name)
    return names
