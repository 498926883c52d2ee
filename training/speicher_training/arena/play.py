"""Playing a chunk of deals: many games at once, in which a player's failure ends its own game and no other."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from speicher_agents import load_agent
from speicher_env import Game
from speicher_env.batch import Batch, Failure
from speicher_env.render.words import seat_name
from speicher_env.thoughts import Thought
from speicher_env.views import CompiledPlayer, Player, Views
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Seated, is_outside, player_seed
from speicher_training.arena.records import PlayedGame, lines_of_records
from speicher_training.arena.store import Line, Times, Usage

__all__ = ["Chunk", "ChunkPlayer", "Report", "Task", "decisions_in"]

Report = Callable[[int | None, int], None]
"""Called before a player is asked (its number, decisions) and after it has answered (None, 0)."""


@dataclass(frozen=True)
class Task:
    """A chunk to play."""

    chunk: int
    deals: int
    absent: tuple[tuple[int, str], ...] = ()
    """Players that forfeit whenever they are asked, by number, and why: they hung in this chunk before."""


@dataclass
class Chunk:
    """A finished chunk."""

    line: Line
    """Everything that goes into the results."""
    asked: Times = field(default_factory=dict)
    """How long players took."""
    usage: Usage = field(default_factory=dict)
    """What players used, such as tokens of a language model."""
    records: str = ""
    """The lines of the records of its games, if they are wanted."""


class ChunkPlayer:
    """Plays chunks, one at a time, with players of its own: the work of one worker."""

    def __init__(
        self,
        plan: Plan,
        seated: list[Seated],
        *,
        strict: bool,
        records: bool = False,
        think: bool = False,
        report: Report = lambda *_: None,
    ) -> None:
        """Seat the players.

        Args:
            plan: The run.
            seated: Its players.
            strict: Whether a player's failure stops the run.
            records: Whether chunks have the records of their games.
            think: Whether the records have what players thought of their moves.
            report: Told when a player is asked and when it has answered.
        """
        self.plan = plan
        self.think = records and think
        self.report = report
        self.absent: dict[int, str] = {}
        self.asked: Times = {}
        self._finished = self._playing = 0
        """Games of the chunk: those of finished waves, and those of the wave that is played."""
        self.thoughts: dict[int, list[Thought | None]] = defaultdict(list)
        """By lane, what players asked through Python thought of their moves, if the records are to hold it."""
        self._records = records
        self._strict = strict
        self._seated = seated
        self._players = [self._for_batch(number, player) for number, player in enumerate(seated)]
        self._seatings = np.empty((0, plan.num_players), dtype=np.int64)
        self._forfeits: dict[int, dict[str, Any]] = {}
        self.batch = Batch(
            min(plan.lanes, plan.deals_per_chunk * plan.schedule.games), plan.num_players, plan.deck, seat="none",
            autoreset="disabled", on_failure=self._forfeit, log_moves=records,
        )  # fmt: skip

    def _for_batch(self, number: int, player: Seated) -> Player | CompiledPlayer | str:
        if player is None:
            return "random"
        return player if isinstance(player, CompiledPlayer) else _AskedPlayer(self, number, player)

    def play(self, task: Task) -> Chunk:
        """Play all games of a chunk."""
        plan, games = self.plan, self.plan.schedule.games
        first = task.chunk * plan.deals_per_chunk
        seeds = np.uint64(plan.first_seed + first) + np.arange(task.deals, dtype=np.uint64)
        self.absent, self.asked = dict(task.absent), {}
        self._reset_players(int(seeds[0]))
        before = self._usage()
        numbers = np.arange(task.deals * games)
        self._finished = 0
        shape = (numbers.size, plan.num_players)
        points, coins, ranks = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        forfeits: dict[int, dict[str, Any]] = {}
        played: list[PlayedGame] = []
        for start in range(0, numbers.size, self.batch.num_games):
            wave = numbers[start : start + self.batch.num_games]
            lanes = np.arange(wave.size)
            self._playing = wave.size
            self._play_wave(seeds[wave // games], plan.schedule.seatings[wave % games])
            self._finished, self._playing = self._finished + wave.size, 0
            results = self.batch.results(lanes)
            points[wave], coins[wave], ranks[wave] = results.totals, results.coins, results.ranks
            forfeits |= {int(wave[lane]): forfeit for lane, forfeit in self._forfeits.items()}
            if self._records:
                played += [
                    PlayedGame(int(seeds[number // games]), first + number // games, number % games,
                               results.moves[lane], self.thoughts[lane], forfeits.get(number))
                    for lane, number in enumerate(wave.tolist())
                ]  # fmt: skip
        deals = []
        for place in range(task.deals):
            here = slice(place * games, (place + 1) * games)
            deal = {
                "deal": first + place,
                "seed": int(seeds[place]),
                "first_player": Game(plan.num_players, plan.deck, int(seeds[place])).first_player,
                "points": points[here].tolist(),
                "coins": coins[here].tolist(),
                "ranks": ranks[here].tolist(),
            }
            lost = [
                {"game": number % games, **forfeit}
                for number, forfeit in sorted(forfeits.items())
                if number // games == place
            ]
            deals.append({**deal, "forfeits": lost} if lost else deal)
        line = {"chunk": task.chunk, "deals": deals}
        records = lines_of_records(plan, self._seated, played, think=self.think)
        return Chunk(line, self.asked, _more(before, self._usage()), records)

    @property
    def deals_played(self) -> float:
        """Deals of the chunk that have been played; a game counts by the cards of its pile that have been drawn."""
        states = self.batch.arrays.states[: self._playing]
        begun = float((states["pile_next"] / states["pile_size"]).sum()) if self._playing else 0.0
        return (self._finished + begun) / self.plan.schedule.games

    def _usage(self) -> Usage:
        """What the players that are asked through Python have used so far."""
        outside = {
            name: load_agent(player)
            for name, player in zip(self.plan.names, self._seated, strict=True)
            if player is not None and is_outside(player)
        }
        return {name: usage for name, agent in outside.items() if (usage := agent.usage())}

    def _reset_players(self, seed: int) -> None:
        """Give the players that are asked through Python their seeds for the chunk that begins with a deal's seed."""
        for name, player in zip(self.plan.names, self._seated, strict=True):
            reset = getattr(player, "reset", None)
            if is_outside(player) and callable(reset):
                reset(player_seed(seed, name))

    def _play_wave(self, seeds: np.ndarray, seatings: np.ndarray) -> None:
        """Play a game to its end in each of the first lanes."""
        lanes = np.arange(len(seeds))
        self._seatings, self._forfeits = seatings, {}
        self.thoughts = defaultdict(list)
        self.batch.set_opponents(self._players, lanes, seatings)
        self.batch.reset(seeds, lanes)

    def _forfeit(self, failure: Failure) -> None:
        """Note that a player forfeits its game, or stop the run."""
        if self._strict:
            name = self.plan.names[self._seatings[failure.lane, failure.seat]]
            seed = int(self.batch.arrays.states["seed"][failure.lane])
            raise ArenaError(f"player {name} {failure.reason} (deal of seed {seed}, {seat_name(failure.seat)}).")
        why = str(failure.error) if isinstance(failure.error, _Absent) else failure.reason
        self._forfeits[failure.lane] = {"seat": failure.seat, "why": why}


def decisions_in(asked: Times) -> int:
    """The decisions that players were asked for."""
    return int(sum(decisions for decisions, _ in asked.values()))


class _AskedPlayer:
    """A player in Python as the batch asks it: timed, with what it thinks kept for the records."""

    def __init__(self, table: ChunkPlayer, number: int, player: Player) -> None:
        self._table, self._number, self._player = table, number, player
        self._name = table.plan.names[number]

    def act(self, views: Views) -> np.ndarray:
        """The player's actions."""
        table = self._table
        if self._number in table.absent:
            raise _Absent(table.absent[self._number])
        thoughts: list[Thought | None] | None = None
        table.report(self._number, len(views))
        began = time.perf_counter()
        try:
            if table.think:
                actions, thoughts = load_agent(self._player).act_and_think(views)
            else:
                actions = np.asarray(self._player.act(views))
        finally:
            asked = table.asked.setdefault(self._name, [0, 0.0])
            asked[0] += len(views)
            asked[1] += time.perf_counter() - began
            table.report(None, 0)
        if thoughts is not None and actions.shape == (len(views),):  # otherwise it fails, and is asked again
            for lane, thought in zip(table.batch.asked_lanes.tolist(), thoughts, strict=True):
                table.thoughts[lane].append(thought)
        return actions


def _more(before: Usage, after: Usage) -> Usage:
    """What has been added to counts."""
    more = {
        name: {key: amount - before.get(name, {}).get(key, 0) for key, amount in counts.items()}
        for name, counts in after.items()
    }
    return {name: added for name, counts in more.items() if (added := {k: v for k, v in counts.items() if v > 0})}


class _Absent(Exception):
    """A player that hung in this chunk is not asked again."""
