"""Rollouts: the games between two updates, played by workers while the learner learns from the games before.

The games of a rollout are handed out before the update with the rollout before it begins. So they are always played by
the network before that update, with one worker as with many, and a run does not depend on the number of its workers,
their speed or their losses. PPO's ratio compares with the probabilities at the time of acting, so this is sound.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from speicher_agents.baselines import Baseline, Network, read_tensors, write_tensors
from speicher_env.batch.replay import replay
from speicher_env.observation.rows import RowFormat
from speicher_training.executor import Crew, Done, Executor, InProcess, Lost, Shared, Size, WorkerError
from speicher_training.train.acting import Acting, Part, PartTask, Played
from speicher_training.train.league import PAST, SCRIPTED, League, Member, Snapshots
from speicher_training.train.selfplay import SEEDS

__all__ = ["Counts", "Decisions", "Rollouts", "advantages"]

GAMES_OF_A_PART = 128
"""About; more games at a time are faster for a worker, fewer can be shared among more workers."""
DECISIONS_OF_A_GAME = {2: 75.0, 3: 60.0, 4: 45.0, 5: 40.0}
"""Of one seat, roughly, by number of players; measured from the first rollout on."""
TICK = 0.2
"""Seconds between two questions whether to stop."""
MOST_LOSSES = 5
"""Times that a part is lost before the run ends."""
_STREAM = 0xDEA15


class Decisions(NamedTuple):
    """The learner's decisions of a rollout: one game after the other, each in the order of time."""

    rows: np.ndarray
    """(decisions, size) uint8, see `RowFormat`."""
    masks: np.ndarray
    """(decisions, 184) int8, 1 = legal."""
    actions: np.ndarray
    log_probs: np.ndarray
    """float32: logarithms of the probabilities of the actions when they were chosen."""
    values: np.ndarray
    """float32: the payoff that the network predicted then."""
    counts: np.ndarray
    """(games,): decisions of each game."""
    rewards: np.ndarray
    """(games,) float32: what each game paid."""


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
            decisions: Of the learner in a rollout, as nearly as whole games allow.
        """
        self.league, self.snapshots = league, snapshots
        self._executor, self._acting = executor, acting
        self._players, self._decks, self._decisions = list(players), list(decks), decisions
        self.row_format = RowFormat(acting.card.shape.seats, acting.card.shape.figures, "uint8")
        self._per_game = {number: DECISIONS_OF_A_GAME[number] for number in self._players}
        self._rollout = 0
        self._newest = b""
        """The tensors of the network that plays the rollout."""
        self._parts: list[Part] = []
        """The rollout that is being played."""
        self._waiting: deque[PartTask] = deque()
        self._played: dict[int, Played] = {}
        self._losses: dict[int, int] = {}
        self._shared: dict[str, Shared] = {}
        self._crew: Crew[PartTask, Played] | None = None
        self.counts = Counts()

    @property
    def size(self) -> Size:
        """The nodes and cores that games are played on."""
        return Size(0, 0) if self._crew is None else self._crew.size

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
        since = time.monotonic()
        while len(self._played) < len(self._parts):
            if stop():
                return None
            self.go_on(TICK)
        parts, results = self._parts, [self._played[part.number] for part in self._parts]
        games, size = sum(len(part.seeds) for part in parts), sum(played.size for played in results)
        self.counts = Counts(games, sum(self._losses.values()), size, time.monotonic() - since)
        self._record(parts, results)
        self._take(steps, network)
        self._submit()
        since = time.monotonic()
        decisions = self._replayed(parts, results)
        self.counts.replaying_seconds = time.monotonic() - since
        return decisions

    def go_on(self, seconds: float = 0.0) -> None:
        """Take what workers have played, and give them more parts.

        Args:
            seconds: To wait for something to be played.
        """
        for event in self._submit().wait(seconds):
            if isinstance(event, Done):
                self._played[event.task.part.number] = event.result
            else:
                self._lost(event)
        self._submit()

    def go_on_beside(self) -> None:
        """`go_on` without waiting, to be called now and then while learning; nothing if there are no workers."""
        if not isinstance(self._executor, InProcess) and len(self._played) < len(self._parts):
            self.go_on()

    def close(self) -> None:
        """End all workers."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None

    def _submit(self) -> Crew[PartTask, Played]:
        """Hand parts to all workers that have none."""
        if self._crew is None:
            self._crew = self._executor.crew(self._acting)
        while self._waiting and self._crew.room > 0:
            self._crew.submit(self._waiting.popleft())
        return self._crew

    def _lost(self, event: Lost[PartTask]) -> None:
        number = event.task.part.number
        self._losses[number] = self._losses.get(number, 0) + 1
        if self._losses[number] >= MOST_LOSSES:
            raise WorkerError(
                f"a part of the games was lost with its worker {MOST_LOSSES} times; the last one {event.why}."
            )
        self._waiting.appendleft(event.task)

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
        self._parts, self._played, self._losses, self._waiting = parts, {}, {}, deque(tasks)

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
        """The learner's decisions, from the games played again."""
        seen = [
            replay(
                part.players, part.decks, part.seeds, played.moves, played.lengths, played.seats, len(played.values),
                self.row_format, self._acting.card.reward,
            )
            for part, played in zip(parts, results, strict=True)
        ]  # fmt: skip
        return Decisions(
            rows=np.concatenate([each.rows for each in seen]),
            masks=np.concatenate([each.masks if self._acting.masked else np.ones_like(each.masks) for each in seen]),
            actions=np.concatenate([each.actions for each in seen]),
            log_probs=np.concatenate([played.log_probs for played in results]),
            values=np.concatenate([played.values for played in results]).astype(np.float32),
            counts=np.concatenate([each.counts for each in seen]),
            rewards=np.concatenate([each.rewards for each in seen]),
        )

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
    """(decisions,) float32: generalized advantage estimates, each game by itself.

    Args:
        decisions: Of whole games, which pay at their end alone.
        gamma: Discount for each decision.
        gae_lambda: How far they look ahead: 0 one decision, 1 to the end.
    """
    ends = np.cumsum(decisions.counts) - 1
    estimates = np.empty(len(decisions.values), dtype=np.float32)
    games = np.flatnonzero(decisions.counts)
    later = np.zeros(len(decisions.counts), dtype=np.float32)
    following = decisions.rewards.copy()  # what follows the decision: the payoff, then the value at the next one
    discount = 1.0
    for before_end in range(int(decisions.counts.max(initial=0))):
        games = games[decisions.counts[games] > before_end]
        places = ends[games] - before_end
        error = discount * following[games] - decisions.values[places]
        later[games] = error + gamma * gae_lambda * later[games]
        estimates[places] = later[games]
        following[games] = decisions.values[places]
        discount = gamma
    return estimates
