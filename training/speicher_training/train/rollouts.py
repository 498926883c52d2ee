"""Rollouts: the games between two updates, played by workers while the learner learns from the games before.

The games of a rollout are handed out before the update with the rollout before it begins. So they are always played by
the network before that update, with one worker as with many, and a run does not depend on the number of its workers,
their speed or their losses. PPO's ratio compares with the probabilities at the time of acting, so this is sound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from speicher_agents.baselines import Baseline, Network, read_tensors, write_tensors
from speicher_env.batch.replay import replay
from speicher_env.observation.rows import RowFormat
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.executor import Executor, Shared, Size
from speicher_training.train.acting import Acting, EvaluationTask, Part, PartTask, Played
from speicher_training.train.evaluation import SeatGames
from speicher_training.train.handout import Handout
from speicher_training.train.league import PAST, SCRIPTED, League, Member, Snapshots
from speicher_training.train.rounds import SEEDS
from speicher_training.train.selfplay import clockwise

__all__ = ["Counts", "Decisions", "Rollouts", "advantages"]

GAMES_OF_A_PART = 128
"""About; more games at a time are faster for a worker, fewer can be shared among more workers."""
DECISIONS_OF_A_GAME = {2: 75.0, 3: 60.0, 4: 45.0, 5: 40.0}
"""Of one seat, roughly, by number of players; what a game gives to learn from is measured from the first rollout on."""
_STREAM = 0xDEA15


class Decisions(NamedTuple):
    """The decisions of a rollout to learn from: one game after the other, each in the order of time."""

    rows: np.ndarray
    """(decisions, size) uint8, see `RowFormat`."""
    masks: np.ndarray
    """(decisions, 184) int8, 1 = legal."""
    actions: np.ndarray
    log_probs: np.ndarray
    """float32: logarithms of the probabilities of the actions when they were chosen."""
    values: np.ndarray
    """float32: the payoff that the network predicted then."""
    sequences: np.ndarray
    """(decisions,) int64: one number for all decisions of a seat in a game, ascending from game to game."""
    rewards: np.ndarray
    """(decisions,) float32: what the game paid to the seat at its end."""
    shares: np.ndarray
    """(decisions, seats) float32: each seat's share of the win, clockwise from the deciding one; 0 for empty seats."""
    points: np.ndarray
    """(decisions, seats) float32: points at the end, alike."""
    players: np.ndarray
    """(decisions,) int8: seats that are not empty."""


@dataclass
class Counts:
    """What playing took, over a rollout."""

    games: int = 0
    lost_parts: int = 0
    """Parts that were handed out again because a worker was lost."""
    bytes: int = 0
    """Received."""
    waiting_seconds: float = 0.0
    """For games, also where this process plays them itself."""
    replaying_seconds: float = 0.0


class Rollouts:
    """Hands out the games of the rollouts, and gives what the learner decided in them."""

    def __init__(
        self, executor: Executor, acting: Acting, league: League, snapshots: Snapshots, *,
        players: Sequence[int], decks: Sequence[str], decisions: int,
    ) -> None:  # fmt: skip
        """Make ready; nothing is played yet.

        Args:
            executor: Has the games played.
            acting: How they are played.
            league: Draws the opponents.
            snapshots: Of the league.
            players: Numbers of players; each has the same share of the decisions.
            decks: Dealt from in turn.
            decisions: To learn from in a rollout, as nearly as whole games allow.
        """
        self.league, self.snapshots = league, snapshots
        self._executor, self._acting = executor, acting
        self._players, self._decks, self._decisions = list(players), list(decks), decisions
        self.row_format = RowFormat(acting.card.shape.seats, acting.card.shape.figures, "uint8")
        newest = float(league.chances()[0]) if acting.every_newest and acting.masked else 0.0
        self._per_game = {number: DECISIONS_OF_A_GAME[number] * (1 + newest * (number - 1)) for number in self._players}
        self._rollout = 0
        self._newest = b""
        """The tensors of the network that plays the rollout."""
        self._parts: list[Part] = []
        """The rollout that is being played."""
        self._shared: dict[str, Shared] = {}
        self._handout: Handout[PartTask | EvaluationTask, Any] = Handout(executor, acting)
        self.counts = Counts()

    @property
    def size(self) -> Size:
        """The nodes and cores that games are played on."""
        return self._handout.size

    # Playing

    def next(self, steps: int, network: Network, stop: Callable[[], bool] = lambda: False) -> Decisions | None:
        """The next rollout; the one after it is handed out before this returns.

        Args:
            steps: Decisions of the learner so far.
            network: The learner's; it plays the rollout after the next one.
            stop: Asked a few times a second; True ends the waiting.

        Returns:
            None if it was stopped. What is being played stays as it is then.
        """
        if not self._parts:
            self._take(steps, network)
        results = self._handout.take(stop)
        if results is None:
            return None
        parts, handout = self._parts, self._handout
        games, size = sum(len(part.seeds) for part in parts), sum(played.size for played in results)
        self.counts = Counts(games, handout.losses, size, handout.waited)
        self._record(parts, results)
        self._take(steps, network)
        handout.submit()
        since = time.monotonic()
        decisions = self._replayed(parts, results)
        self.counts.replaying_seconds = time.monotonic() - since
        return decisions

    def play_seats(self, player: Baseline, games: Sequence[SeatGames]) -> list[np.ndarray]:
        """Play the games of an evaluation before what remains of the rollout, see `PlaySeats`."""
        network = self._executor.share(write_tensors(player.network.tensors()))
        return self._handout.take_before([EvaluationTask(each, network) for each in games])

    def go_on_beside(self) -> None:
        """Keep workers busy; to be called now and then while learning."""
        self._handout.go_on_beside()

    def close(self) -> None:
        """End all workers."""
        self._handout.close()

    # Handing out

    def _take(self, steps: int, network: Network) -> None:
        """Draw the next rollout and hand it out, to be played by this network."""
        self.snapshots.take(steps, network)
        newest = self.league.newest.player
        assert isinstance(newest, Baseline)
        newest.network = network
        self._newest = write_tensors(network.tensors())
        parts: list[Part] = []
        for players in self._players:
            parts += self._drawn(players, len(parts))
        self._rollout += 1
        self._hand_out(parts)

    def _drawn(self, players: int, first: int) -> list[Part]:
        """The parts with a number of players."""
        rng = np.random.default_rng([self._acting.seed, _STREAM, self._rollout, players])
        games = max(1, round(self._decisions / len(self._players) / self._per_game[players]))
        seeds = rng.integers(SEEDS, size=games).astype(np.uint64)
        drawn = self.league.draw(games * (players - 1))
        tables = [drawn[start : start + players - 1] for start in range(0, len(drawn), players - 1)]
        # Games with the same networks are played together, as fewer and larger batches; the slowest first.
        tables.sort(key=lambda table: (sum(each.kind == SCRIPTED for each in table), [each.name for each in table]))
        parts: list[Part] = []
        for places in np.array_split(np.arange(games), -(-games // GAMES_OF_A_PART)):
            names = list(dict.fromkeys(member.name for place in places for member in tables[place]))
            seating = [[names.index(member.name) for member in tables[place]] for place in places]
            decks = tuple(self._decks[place % len(self._decks)] for place in places)
            parts.append(
                Part(self._rollout, first + len(parts), players, seeds[places], decks, tuple(names), np.array(seating))
            )
        return parts

    def _hand_out(self, parts: list[Part]) -> None:
        members = {member.name: member for member in self.league.members}
        past = {name for part in parts for name in part.opponents if members[name].kind == PAST}
        self._shared = {name: self._shared.get(name) or self._share(members[name]) for name in sorted(past)}
        learner = self._executor.share(self._newest)
        networks = {**self._shared, self.league.newest.name: learner}
        tasks = (
            PartTask(part, learner, {name: networks[name] for name in part.opponents if name in networks})
            for part in parts
        )
        self._parts = parts
        self._handout.give(list(tasks))

    def _share(self, member: Member) -> Shared:
        assert isinstance(member.player, Baseline)
        return self._executor.share(write_tensors(member.player.network.tensors()))

    # Results

    def _record(self, parts: Sequence[Part], results: Sequence[Played]) -> None:
        """Give the league the results, and measure how long games are."""
        members = {member.name: member for member in self.league.members}
        decisions = dict.fromkeys(self._players, 0)
        games = dict.fromkeys(self._players, 0)
        for part, played in zip(parts, results, strict=True):
            decisions[part.players] += len(played.values)
            games[part.players] += len(part.seeds)
            table = [members[name] for name in part.opponents]
            for seat, ranks, seated in zip(played.seats, played.ranks, part.seating, strict=True):
                self.league.record([table[place] for place in seated], np.roll(ranks, -int(seat)).tolist())
        self._per_game = {number: decisions[number] / games[number] for number in self._players}

    def _replayed(self, parts: Sequence[Part], results: Sequence[Played]) -> Decisions:
        """The decisions to learn from, from the games played again."""
        card, found, games = self._acting.card, [], 0
        for part, played in zip(parts, results, strict=True):
            seen = replay(
                part.players, part.decks, part.seeds, played.moves, played.lengths, played.learned, len(played.values),
                self.row_format, card.reward,
            )  # fmt: skip
            game = np.repeat(np.arange(len(part.seeds)), seen.counts)
            found.append(
                Decisions(
                    rows=seen.rows,
                    masks=seen.masks if self._acting.masked else np.ones_like(seen.masks),
                    actions=seen.actions,
                    log_probs=played.log_probs,
                    values=played.values.astype(np.float32),
                    sequences=(games + game) * MAX_PLAYERS + seen.seats,
                    rewards=seen.rewards[game, seen.seats],
                    shares=clockwise(seen.shares[game], seen.seats, card.shape.seats),
                    points=clockwise(seen.points[game], seen.seats, card.shape.seats),
                    players=np.full(len(game), part.players, dtype=np.int8),
                )
            )
            games += len(part.seeds)
        return Decisions(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    # For checkpoints

    def state(self) -> dict[str, Any]:
        """What is being played, as descriptions, the network that plays it, and all counts."""
        return {
            "rollout": self._rollout, "parts": list(self._parts), "newest": self._newest,
            "per_game": dict(self._per_game), "last_snapshot": self.snapshots.last,
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a state of a league that was restored before: what was being played is played again."""
        self._rollout, self._newest = state["rollout"], state["newest"]
        self._per_game, self.snapshots.last = dict(state["per_game"]), state["last_snapshot"]
        if state["parts"]:
            newest = self.league.newest.player
            assert isinstance(newest, Baseline)
            newest.network = Network.from_tensors(self._acting.card.shape, read_tensors(self._newest))
            self._hand_out(state["parts"])


def advantages(decisions: Decisions, gamma: float, gae_lambda: float) -> np.ndarray:
    """(decisions,) float32: generalized advantage estimates, each seat of each game by itself.

    Args:
        decisions: Of whole games, which pay at their end alone.
        gamma: Discount for each decision.
        gae_lambda: How far they look ahead: 0 one decision, 1 to the end.
    """
    order = np.argsort(decisions.sequences, kind="stable")
    sequences, values = decisions.sequences[order], decisions.values[order]
    last = np.append(sequences[1:] != sequences[:-1], True)
    following = np.where(last, decisions.rewards[order], gamma * np.append(values[1:], np.float32(0.0)))
    estimates = np.empty(len(values), dtype=np.float32)
    estimates[order] = _discounted((following - values).astype(np.float32), last, gamma * gae_lambda)
    return estimates


def _discounted(errors: np.ndarray, last: np.ndarray, factor: float) -> np.ndarray:
    """Sums of the errors from each on to the last one of its sequence, each later one times a further factor."""
    sums = errors.copy()
    begins = np.flatnonzero(np.append(True, last[:-1]))
    lengths = np.diff(np.append(begins, len(errors)))
    for back in range(2, int(lengths.max(initial=0)) + 1):
        places = (begins + lengths - back)[lengths >= back]
        sums[places] += np.float32(factor) * sums[places + 1]
    return sums
