"""The league as a callback of stable-baselines3: it seats opponents, records results and takes snapshots.

It works with any algorithm of stable-baselines3 or sb3-contrib whose policy `network_of` can read, on a
`SpeicherVecEnv`. Runs of `speicher train` have their games played by workers instead, see `rollouts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Network
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_training.train.export import network_of
from speicher_training.train.league import League, Member, Snapshots

__all__ = ["LeagueCallback"]

Table = tuple[Member, ...]
"""The opponents in the other seats, clockwise from the learner's."""


class LeagueCallback(BaseCallback):
    """Draws opponents for every game row before each rollout; they sit down when the row's next game is dealt."""

    def __init__(
        self,
        league: League,
        snapshot_steps: int,
        snapshot_score: float = 0.0,
        on_snapshot: Callable[[str, Network], None] = lambda name, network: None,
        seated: Member | None = None,
    ) -> None:
        """Make the callback.

        Args:
            league: The opponents to draw from.
            snapshot_steps: Decisions of the learner between two snapshots.
            snapshot_score: Score against the last snapshot below which no new one is taken.
            on_snapshot: Called with the name and the network of each new snapshot.
            seated: The opponent in all other seats of the first games; None for one whose results do not count.
        """
        super().__init__()
        self.league = league
        self.snapshots = Snapshots(league, snapshot_steps, snapshot_score, on_snapshot)
        self._first = seated
        self.now: list[Table] = []
        """The opponents in each row."""
        self.next: list[Table] = []
        """The opponents from the row's next game on."""

    def _on_training_start(self) -> None:
        env = self.training_env.unwrapped
        if not isinstance(env, SpeicherVecEnv):
            raise ArgumentError(must_be("env", env, "a SpeicherVecEnv"))
        self.env = env
        if not self.now:
            table = () if self._first is None else (self._first,) * (env.batch.num_players - 1)
            self.now = [table] * env.num_envs
            self.next = list(self.now)

    def _on_rollout_start(self) -> None:
        network = network_of(self.model.policy)  # type: ignore[arg-type]
        self.snapshots.take(self.num_timesteps, network)
        self.league.newest.player.network = network  # type: ignore[union-attr]
        self._seat()

    def _seat(self) -> None:
        """Draw the opponents for the next games; rows with the same opponents are set together."""
        others = self.env.batch.num_players - 1
        drawn = self.league.draw(self.env.num_envs * others)
        self.next = [tuple(drawn[row * others : (row + 1) * others]) for row in range(self.env.num_envs)]
        rows_with: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row, table in enumerate(self.next):
            rows_with[tuple(member.name for member in table)].append(row)
        for rows in rows_with.values():
            self.env.set_opponents([member.player for member in self.next[rows[0]]], rows)

    def _on_step(self) -> bool:
        for row in np.flatnonzero(self.locals["dones"]).tolist():
            self._record(row)
        return True

    def _record(self, row: int) -> None:
        """Record the result of a game that has ended, and the opponents that play now."""
        results = self.env.batch.results([row])
        ranks = np.roll(results.ranks[0], -int(results.seats[0])).tolist()
        self.league.record(self.now[row], ranks)
        self.now[row] = self.next[row]

    def _on_rollout_end(self) -> None:
        for name, value in self.league.numbers().items():
            self.logger.record(name, value)
