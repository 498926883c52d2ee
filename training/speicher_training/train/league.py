"""The league: the opponents of the learner, and how each is drawn.

Three kinds: the newest policy; snapshots of it from the past, drawn by how hard they are to beat (prioritised
fictitious self-play), so that what was learned against them is not forgotten; and scripted anchors, drawn alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from speicher_agents.baselines import Baseline, Network

__all__ = ["PAST", "SCRIPTED", "League", "Member", "Snapshots", "snapshot_player"]

NEWEST, PAST, SCRIPTED = "newest", "past", "scripted"
LEAST_WEIGHT = 0.01
"""An opponent that is always beaten is still drawn now and then, to see whether that is still so."""


@dataclass
class Member:
    """An opponent, and the learner's results against it."""

    name: str
    kind: str
    player: Baseline | str
    """A network, or the spec of a scripted player."""
    games: float = 0.0
    """Games that count; old ones fade."""
    ahead: float = 0.0
    """Sum of scores in these games: 1 ahead of this opponent, 1/2 level with it, 0 behind it."""
    wins: float = 0.0
    """Sum of the learner's shares of the win in these games."""

    @property
    def score(self) -> float:
        """How often the learner is ahead, 0..1; about a half before the first games."""
        return (self.ahead + 1.0) / (self.games + 2.0)

    @property
    def win_share(self) -> float | None:
        """The learner's mean share of the win in games with this opponent."""
        return self.wins / self.games if self.games else None

    def record(self, ahead: float, win: float, memory: int) -> None:
        """Add a game; with more than `memory` games the old ones count less."""
        if self.games >= memory:
            fade = (memory - 1) / self.games
            self.games, self.ahead, self.wins = self.games * fade, self.ahead * fade, self.wins * fade
        self.games += 1.0
        self.ahead += ahead
        self.wins += win


@dataclass
class Tally:
    """Games of a rollout, and the learner's shares of the win in them."""

    games: int = 0
    won: float = 0.0


class League:
    """The opponents, and the stream of random numbers that draws them."""

    def __init__(
        self,
        newest: Baseline,
        *,
        shares: Mapping[str, float],
        anchors: Sequence[str] = (),
        hardness: float = 2.0,
        keep: int = 24,
        at_once: int = 6,
        memory: int = 400,
        seed: int = 0,
    ) -> None:
        """Make a league without snapshots.

        Args:
            newest: The newest policy as a player; its network is replaced whenever there is a new one.
            shares: Of the kinds "newest", "past" and "scripted". That of a kind without members goes to the newest.
            anchors: Specs of scripted players.
            hardness: Exponent of prioritised fictitious self-play; 0 draws all alike.
            keep: The most snapshots.
            at_once: The most different snapshots that are drawn for a rollout.
            memory: Games that count for a score.
            seed: Of the draws.
        """
        self.newest = Member(NEWEST, NEWEST, newest)
        self.past: list[Member] = []
        self.anchors = [Member(spec, SCRIPTED, spec) for spec in anchors]
        self.shares = dict(shares)
        self.hardness = hardness
        self.keep = keep
        self.at_once = at_once
        self.memory = memory
        self.tally = Tally()
        self.rng = np.random.default_rng([seed, 0x1EA60E])

    @property
    def members(self) -> list[Member]:
        """All opponents: the newest, the snapshots with the oldest first, the anchors."""
        return [self.newest, *self.past, *self.anchors]

    def chances(self) -> np.ndarray:
        """The probability of each of `members` to be drawn."""
        weights = [np.zeros(1), self._hard(self.past), self._hard(self.anchors)]
        shares = [self.shares.get(NEWEST, 0.0), self.shares.get(PAST, 0.0), self.shares.get(SCRIPTED, 0.0)]
        for place in (1, 2):
            if weights[place].size:
                weights[place] *= shares[place] / weights[place].sum()
            else:
                shares[0] += shares[place]
        weights[0][0] = shares[0]
        chances = np.concatenate(weights)
        return _sum_to_1(chances)

    def draw(self, count: int) -> list[Member]:
        """Draw opponents for one rollout by their probabilities, but no more than `at_once` different snapshots.

        Each snapshot computes a batch of its own, so many of them at a time, with few games each, would be slow.
        """
        members, chances = self.members, self.chances()
        drawn = self.rng.choice(len(members), size=count, p=chances)
        past = np.arange(1, 1 + len(self.past))
        if past.size:
            few = self.rng.choice(past, size=self.at_once, p=_sum_to_1(chances[past]))
            drawn = np.where(np.isin(drawn, past), few[self.rng.integers(self.at_once, size=count)], drawn)
        return [members[number] for number in drawn]

    def record(self, table: Sequence[Member], ranks: Sequence[int]) -> None:
        """Add the result of a game.

        Args:
            table: The opponents, clockwise from the learner's seat; empty for opponents whose results do not count.
            ranks: Of all seats, clockwise from the learner's, which comes first.
        """
        own, *others = ranks
        win = 1.0 / ranks.count(1) if own == 1 else 0.0
        self.tally.games += 1
        self.tally.won += win
        for member, other in zip(table, others, strict=False):
            member.record((own < other) + 0.5 * (own == other), win, self.memory)

    def numbers(self) -> dict[str, float]:
        """The learner's shares of the win for the logger: in the games since the last call, and by opponent."""
        numbers = {"league/snapshots": float(len(self.past))}
        if self.tally.games:
            numbers["league/win_share"] = self.tally.won / self.tally.games
        self.tally = Tally()
        for member in (self.newest, *self.anchors, *self.past[-1:]):
            if member.win_share is not None:
                numbers[f"win_share/{'last snapshot' if member in self.past else member.name}"] = member.win_share
        return numbers

    def add_snapshot(self, name: str, network: Network) -> Member:
        """Add a snapshot of the newest policy; if there are too many, the easiest one goes, never the new one."""
        model = self.newest.player
        assert isinstance(model, Baseline)
        member = Member(name, PAST, snapshot_player(model, network, name))
        if len(self.past) >= self.keep:
            self.past.remove(max(self.past, key=lambda past: past.score))
        self.past.append(member)
        return member

    def _hard(self, members: Sequence[Member]) -> np.ndarray:
        scores = np.array([member.score for member in members], dtype=np.float64)
        return np.maximum((1.0 - scores) ** self.hardness, LEAST_WEIGHT)

    def state(self) -> dict[str, Any]:
        """All but the networks, as plain values."""
        members = [(each.name, each.kind, each.games, each.ahead, each.wins) for each in self.members]
        return {"members": members, "stream": self.rng.bit_generator.state}

    def restore(self, state: Mapping[str, Any], network: Callable[[str], Network]) -> None:
        """Go back to a state; `network` gives the network of a snapshot by its name."""
        known = {member.name: member for member in self.anchors} | {NEWEST: self.newest}
        self.past = []
        for name, kind, games, ahead, wins in state["members"]:
            if kind == PAST:
                self.keep, keep = len(state["members"]), self.keep
                member = self.add_snapshot(name, network(name))
                self.keep = keep
            else:
                member = known[name]
            member.games, member.ahead, member.wins = games, ahead, wins
        self.rng.bit_generator.state = state["stream"]


class Snapshots:
    """Takes a snapshot of the newest policy every so many decisions, if it does well against the last one."""

    def __init__(
        self,
        league: League,
        steps: int,
        score: float = 0.0,
        on_snapshot: Callable[[str, Network], None] = lambda name, network: None,
    ) -> None:
        """Begin.

        Args:
            league: Gets the snapshots.
            steps: Decisions of the learner between two snapshots.
            score: Score against the last snapshot below which no new one is taken.
            on_snapshot: Called with the name and the network of each new snapshot.
        """
        self.league, self.steps, self.score, self.on_snapshot = league, steps, score, on_snapshot
        self.last = 0
        """Decisions of the learner when a snapshot was last due."""

    def take(self, steps: int, network: Network) -> None:
        """Take a snapshot if one is due."""
        if steps - self.last < self.steps:
            return
        self.last = steps
        past = self.league.past
        if not past or past[-1].score >= self.score:
            name = f"steps-{steps}"
            self.league.add_snapshot(name, network)
            self.on_snapshot(name, network)


def _sum_to_1(weights: np.ndarray) -> np.ndarray:
    total = weights.sum()
    return weights / total if total > 0 else np.full(weights.shape, 1.0 / weights.size)


def snapshot_player(newest: Baseline, network: Network, name: str) -> Baseline:
    """A player like the newest, with other weights and other draws."""
    seed = int.from_bytes(name.encode()[-7:], "little")
    player = Baseline((newest.card, network), newest.temperature, seed)
    player.name = name
    return player
