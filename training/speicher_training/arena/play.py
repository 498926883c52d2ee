"""Playing a chunk of deals: many games at once, in which a player's failure ends its own game and no other."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from speicher_agents import load_agent
from speicher_agents.thought import Thought
from speicher_env.batch import Batch
from speicher_env.batch.lane import NOBODY, OUTSIDE
from speicher_env.batch.step import answer_lanes, find_illegal, forfeit
from speicher_env.errors import ArgumentError
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.state import EMPTY, PHASES, blank_states
from speicher_env.rules.turn import deal
from speicher_env.views import CompiledPlayer, Player
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Seated, is_outside, one_line, player_seed
from speicher_training.arena.records import Keep, Move, write_records

Tell = Callable[[int | None, int], None]
"""Called before a player is asked (its number, decisions) and after it has answered (None, 0)."""


@dataclass(frozen=True)
class Task:
    """A chunk to play."""

    chunk: int
    deals: int
    absent: tuple[tuple[int, str], ...] = ()
    """Players that lose whenever they are asked, by number, and why: they hung in this chunk."""


@dataclass
class Chunk:
    """What came of a chunk: everything that goes into the results, and apart from it how long players took."""

    line: dict[str, Any]
    """One line of the file of finished deals."""
    asked: dict[str, list[float]] = field(default_factory=dict)
    """Decisions and seconds of each player that was asked through Python."""


class Table:
    """The place where one worker plays, with players of its own."""

    def __init__(
        self, plan: Plan, seated: list[Seated], *, strict: bool, keep: Keep | None, tell: Tell = lambda *_: None
    ) -> None:
        self.plan = plan
        self.seated = seated
        self.keep = keep
        self.batch = _GuardedBatch(plan, seated, strict=strict, keep=keep, tell=tell)
        self._scratch = blank_states(1)

    def play(self, task: Task) -> Chunk:
        """Play all games of a chunk."""
        plan, games = self.plan, self.plan.schedule.games
        first = task.chunk * plan.deals_per_chunk
        seeds = np.uint64(plan.first_seed + first) + np.arange(task.deals, dtype=np.uint64)
        for name, player in zip(plan.names, self.seated, strict=True):
            reset = getattr(player, "reset", None)
            if is_outside(player) and callable(reset):
                reset(player_seed(int(seeds[0]), name))
        self.batch.begin(task)
        numbers = np.arange(task.deals * games)
        points = np.zeros((numbers.size, plan.num_players), dtype=np.int64)
        coins = np.zeros_like(points)
        forfeits: dict[int, dict[str, Any]] = {}
        kept: list[dict[str, Any]] = []
        for start in range(0, numbers.size, self.batch.num_games):
            wave = numbers[start : start + self.batch.num_games]
            seatings = plan.schedule.seatings[wave % games]
            self.batch.play(seeds[wave // games], seatings)
            lanes = self.batch.arrays.lanes[: wave.size]
            points[wave] = lanes["points"][:, : plan.num_players].sum(axis=2)
            coins[wave] = lanes["coins"][:, : plan.num_players]
            lost = {int(wave[lane]): loss for lane, loss in self.batch.forfeits.items()}
            forfeits |= lost
            if self.keep is not None:
                kept += [
                    {"seed": int(seeds[number // games]), "deal": first + int(number) // games,
                     "game": int(number) % games, "moves": self.batch.moves[lane], "forfeit": lost.get(int(number))}
                    for lane, number in enumerate(wave)
                ]  # fmt: skip
        if self.keep is not None:
            write_records(self.keep, f"chunk-{task.chunk:06}.jsonl", plan, self.seated, kept)
        shape = (task.deals, games, plan.num_players)
        deals = []
        for index, (deal_points, deal_coins) in enumerate(
            zip(points.reshape(shape).tolist(), coins.reshape(shape).tolist(), strict=True)
        ):
            seed = int(seeds[index])
            line: dict[str, Any] = {"deal": first + index, "seed": seed, "first_player": self._first_player(seed)}
            line |= {"points": deal_points, "coins": deal_coins}
            lost_here = [
                {"game": number % games, **loss}
                for number, loss in sorted(forfeits.items())
                if number // games == index
            ]
            if lost_here:
                line["forfeits"] = lost_here
            deals.append(line)
        return Chunk({"chunk": task.chunk, "deals": deals}, self.batch.asked)

    def _first_player(self, seed: int) -> int:
        deal(self._scratch, 0, self.batch.arrays.templates, 0, np.uint64(seed), EMPTY)
        return int(self._scratch["first_player"][0])


class _GuardedBatch(Batch):
    """A batch that plays whole games and outlives its players' failures."""

    def __init__(self, plan: Plan, seated: list[Seated], *, strict: bool, keep: Keep | None, tell: Tell) -> None:
        lanes = min(plan.lanes, plan.deals_per_chunk * plan.schedule.games)
        super().__init__(lanes, plan.num_players, plan.deck, seat="none", autoreset="disabled")
        self._plan = plan
        self._strict = strict
        self._keep = keep
        self._tell = tell
        self._absent: dict[int, str] = {}
        self._asked_players: list[tuple[int, Player]] = []  # those outside, with their numbers in the plan
        self._codes = np.array([self._code_of(number, player) for number, player in enumerate(seated)])
        self._seatings = np.zeros((lanes, plan.num_players), dtype=np.int64)
        self.forfeits: dict[int, dict[str, Any]] = {}
        self.moves: dict[int, list[Move]] = {}
        self.asked: dict[str, list[float]] = {}

    def _code_of(self, number: int, player: Seated) -> int:
        if player is None or isinstance(player, CompiledPlayer):
            return self._code(player, self._plan.specs[number])
        self._asked_players.append((number, player))  # the same object twice is two players
        return OUTSIDE - (len(self._asked_players) - 1)

    def begin(self, task: Task) -> None:
        """Begin a chunk."""
        self._absent = dict(task.absent)
        self.asked = {}

    def play(self, seeds: np.ndarray, seatings: np.ndarray) -> None:
        """Play a game to its end in each of the first lanes."""
        lanes = np.arange(len(seeds))
        self.forfeits, self.moves = {}, defaultdict(list)
        self._seatings[lanes] = seatings
        self.arrays.waiting[:] = NOBODY
        self.arrays.lanes["opponents"][: len(seeds), : self.num_players] = self._codes[seatings]
        self.reset(seeds, lanes)

    def _ask_players(self) -> None:
        waiting = self.arrays.waiting
        while (pending := np.flatnonzero(waiting != NOBODY)).size:
            codes = waiting[pending]
            for code in np.unique(codes):
                lanes = pending[codes == code]
                if code <= OUTSIDE:
                    self._ask(int(OUTSIDE - code), lanes)
                else:  # a compiled player's illegal choice, at which the lane has stopped
                    for lane in lanes.tolist():
                        player = self._seatings[lane, self.arrays.states["player"][lane]]
                        self._forfeit(player, lane, self._illegal_choice(lane, self.arrays.lanes["refused"][lane]))
        self._unfinished = False

    def _ask(self, which: int, lanes: np.ndarray) -> None:
        """Ask a player for its decisions in some lanes, and carry out those that are legal."""
        number, _ = self._asked_players[which]
        if number in self._absent:
            for lane in lanes:
                self._forfeit(number, int(lane), self._absent[number])
            return
        try:
            actions, thoughts = self._answer(which, number, lanes)
        except (Exception, SystemExit) as error:  # a player may raise anything
            what = str(error) if isinstance(error, _WrongAnswer) else f"raised {one_line(error)}"
            if len(lanes) == 1 or self._strict:
                self._forfeit(number, int(lanes[0]), what)
                return
            for place in range(len(lanes)):  # who fails on one of them does not lose all of them
                self._ask(which, lanes[place : place + 1])
            return
        while (fault := find_illegal(self.arrays.states, self.arrays.waiting, lanes, actions)) >= 0:
            self._forfeit(number, int(lanes[fault]), self._illegal_choice(lanes[fault], actions[fault]))
            lanes, actions = np.delete(lanes, fault), np.delete(actions, fault)
            del thoughts[fault]
        if self._keep is not None:
            for lane, action, thought in zip(lanes.tolist(), actions.tolist(), thoughts, strict=True):
                self.moves[lane].append((action, thought))
        answer_lanes(self.arrays, self._options, lanes, actions, self._compiled)

    def _answer(self, which: int, number: int, lanes: np.ndarray) -> tuple[np.ndarray, list[Thought | None]]:
        """What a player does in some lanes, and what it thought where that is to be kept."""
        player = self._asked_players[which][1]
        views = self.views(lanes)
        thoughts: list[Thought | None] = [None] * len(lanes)
        self._tell(number, len(lanes))
        began = time.perf_counter()
        try:
            if self._keep is not None and self._keep.think:
                answer, thoughts = load_agent(player).act_and_think(views)
            else:
                answer = np.asarray(player.act(views))
        finally:
            asked = self.asked.setdefault(self._plan.names[number], [0, 0.0])
            asked[0] += len(lanes)
            asked[1] += time.perf_counter() - began
            self._tell(None, 0)
        if answer.shape != (len(lanes),) or answer.dtype.kind not in "iu":
            raise _WrongAnswer(
                f"returned {answer.dtype} of shape {answer.shape}, must be one action id for each of {len(lanes)} rows"
            )
        return answer.astype(np.int64), thoughts

    def _illegal_choice(self, lane: int, action: int) -> str:
        text = ACTION_TEXTS[action] if 0 <= action < N_ACTIONS else str(action)
        return f"chose {text!r}, which is illegal in {PHASES[self.arrays.states['phase'][lane]]}"

    def _forfeit(self, number: int, lane: int, what: str) -> None:
        state = self.arrays.states[lane]
        seat, seed = int(state["player"]), int(state["seed"])
        if self._strict:
            raise ArenaError(f"player {self._plan.names[number]} {what} (deal of seed {seed}, seat {seat})")
        forfeit(state, self.arrays.lanes[lane], self._options.scheme)
        self.arrays.waiting[lane] = NOBODY
        self.forfeits[lane] = {"seat": seat, "why": what}


class _WrongAnswer(ArgumentError):
    """An answer of the wrong shape or type."""
