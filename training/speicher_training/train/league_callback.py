"""The league as a callback of stable-baselines3: it seats opponents, records results and takes snapshots.

It works with any algorithm of stable-baselines3 or sb3-contrib whose policy `network_of` can read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Network
from speicher_training.train.environment import parts_of, rows_of
from speicher_training.train.export import network_of
from speicher_training.train.league import League, Member

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
        self.snapshot_steps = snapshot_steps
        self.snapshot_score = snapshot_score
        self.on_snapshot = on_snapshot
        self.last_snapshot = 0
        """Decisions of the learner when a snapshot was last due."""
        self._first = seated
        self.now: list[list[Table | None]] = []
        """The opponents in each row of each part."""
        self.next: list[list[Table | None]] = []
        """The opponents from the row's next game on."""
        self.games = 0
        self.won = 0.0
        """Games that ended in this rollout, and the learner's shares of the win in them."""

    def _on_training_start(self) -> None:
        self.parts = parts_of(self.training_env)
        self.rows = rows_of(self.parts)
        if not self.now:
            tables: list[Table | None] = [
                None if self._first is None else (self._first,) * (part.batch.num_players - 1) for part in self.parts
            ]
            self.now = [[table] * part.num_envs for table, part in zip(tables, self.parts, strict=True)]
            self.next = [list(rows) for rows in self.now]

    def _on_rollout_start(self) -> None:
        network = network_of(self.model.policy)  # type: ignore[arg-type]
        if self.num_timesteps - self.last_snapshot >= self.snapshot_steps:
            self.last_snapshot = self.num_timesteps
            past = self.league.past
            if not past or past[-1].score >= self.snapshot_score:
                name = f"steps-{self.num_timesteps}"
                self.league.add_snapshot(name, network)
                self.on_snapshot(name, network)
        self.league.newest.player.network = network  # type: ignore[union-attr]
        self.games, self.won = 0, 0.0
        for number in range(len(self.parts)):
            self._seat(number)

    def _seat(self, number: int) -> None:
        """Draw the opponents for the next games of a part; rows with the same opponents are set together."""
        part = self.parts[number]
        others = part.batch.num_players - 1
        drawn = self.league.draw(part.num_envs * others)
        tables = [tuple(drawn[row * others : (row + 1) * others]) for row in range(part.num_envs)]
        self.next[number] = list(tables)
        rows_with: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row, table in enumerate(tables):
            rows_with[tuple(member.name for member in table)].append(row)
        for rows in rows_with.values():
            part.set_opponents([member.player for member in tables[rows[0]]], rows)

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        for number, (begin, end) in enumerate(self.rows):
            for row in (ended[(ended >= begin) & (ended < end)] - begin).tolist():
                self._record(number, row)
        return True

    def _record(self, number: int, row: int) -> None:
        """Record the result of a game that has ended, and the opponents that play now."""
        batch = self.parts[number].batch
        lane = batch.arrays.lanes[row]
        learner, ranks = int(lane["ended_seat"]), lane["rank"][: batch.num_players].tolist()
        own = ranks[learner]
        if lane["lost_illegally"]:
            own, ranks = batch.num_players + 1, [1] * batch.num_players
        win = 1.0 / ranks.count(1) if own == 1 else 0.0
        self.games += 1
        self.won += win
        for place, member in enumerate(self.now[number][row] or ()):
            other = ranks[(learner + 1 + place) % batch.num_players]
            member.record((own < other) + 0.5 * (own == other), win, self.league.memory)
        self.now[number][row] = self.next[number][row]

    def _on_rollout_end(self) -> None:
        if self.games:
            self.logger.record("league/win_share", self.won / self.games)
        self.logger.record("league/snapshots", len(self.league.past))
        for member in (self.league.newest, *self.league.anchors, *self.league.past[-1:]):
            if member.win_share is not None:
                name = "last snapshot" if member in self.league.past else member.name
                self.logger.record(f"win_share/{name}", member.win_share)

    # For checkpoints

    def state(self) -> dict[str, Any]:
        """The opponents in all rows, by name."""
        named = [
            [[None if table is None else [member.name for member in table] for table in rows] for rows in tables]
            for tables in (self.now, self.next)
        ]
        return {"now": named[0], "next": named[1], "last_snapshot": self.last_snapshot}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state of a league that was restored before.

        Results against snapshots that are gone do not count.
        """
        known = {member.name: member for member in self.league.members}
        gone = Member("gone", "past", "random")

        def tables(named: list[list[list[str] | None]]) -> list[list[Table | None]]:
            return [[None if names is None else tuple(known.get(name, gone) for name in names) for names in rows]
                    for rows in named]  # fmt: skip

        self.now, self.next = tables(state["now"]), tables(state["next"])
        self.last_snapshot = state["last_snapshot"]
