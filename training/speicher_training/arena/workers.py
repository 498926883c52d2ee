"""Who plays the chunks, and what becomes of a chunk whose worker hung or died.

Compiled players play in threads; players asked through Python in processes, so that they can be ended; on a cluster all
play in processes. A worker reports
when it asks a player and when the player has answered. The chunk of a worker that is lost is played again without the
player that was being asked.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from speicher_env.errors import ArgumentError
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Seated, is_outside, one_line, seat
from speicher_training.arena.play import Chunk, ChunkPlayer, Task, decisions_in
from speicher_training.arena.settings import Work
from speicher_training.executor import Executor, Lost, Processes, Report, Size, Threads, WorkerError, executor_for
from speicher_training.executor.luggage import Luggage, pack_luggage

__all__ = ["OnActivity", "play_chunks"]

FIRST_CALL_SECONDS = 60.0
"""What a player's first call in a worker may take beyond the limit, because it may compile or load something."""
COMPILED_SECONDS = 600.0
"""What compiled code may take between two questions to players, its own compilation included."""
HANGS = 3
"""Chunks in which a player may hang before the run stops."""
AHEAD = 32
"""Chunks handed out or waiting to be written, for each core: until the loss of a node is noticed, others play on."""
_TICK = 0.2

OnActivity = Callable[[float, int], None]
"""Called with the deals played in chunks that are not yet yielded, fractions included, and with the decisions that
players have been asked for through Python in this run."""


class Asked(NamedTuple):
    """What a worker reports."""

    player: int | None
    """The player that is being asked; None when it has answered."""
    deals: float
    """Deals of the chunk that have been played, fractions included."""
    decisions: int
    """Decisions of the chunk that players have been asked for."""


@dataclass(frozen=True)
class _PlayChunks:
    """The work of a worker: seat the players, and play chunks."""

    plan: Plan
    strict: bool
    records: bool
    think: bool
    timeout: float
    first_call: float
    seated: list[Seated] | None
    """The players, if they are of this process; they do not travel."""
    luggage: Luggage
    """The files that the specs name."""

    def begin(self, report: Report) -> Callable[[Task], Chunk]:
        """See `Job.begin`."""
        asked: set[int] = set()

        def report_player(player: int | None, decisions: int) -> None:
            seconds = COMPILED_SECONDS
            if player is not None:
                seconds = self.timeout * decisions + self.first_call * (player not in asked)
                asked.add(player)
            report(Asked(player, players.deals_played, decisions_in(players.asked)), seconds)

        seated = self._made() if self.seated is None else self.seated
        players = ChunkPlayer(
            self.plan, seated, strict=self.strict, records=self.records, think=self.think, report=report_player
        )
        return players.play if self.seated is not None else _in_a_sentence(players.play)

    def _made(self) -> list[Seated]:
        """The players, made from their specs in a process that is not the caller's."""
        specs = [spec for spec in self.plan.specs if isinstance(spec, str)]
        here = self.luggage.unpacked(specs)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the caller has made the same players, and shown them
                return seat(here)
        except (ArenaError, ArgumentError) as error:
            text = str(error)
            for path, spec in zip(here, specs, strict=True):
                text = text.replace(path, spec)
            raise ArenaError(f"a worker of the arena failed: {text}") from error


def _in_a_sentence(play: Callable[[Task], Chunk]) -> Callable[[Task], Chunk]:
    """The function with its errors as errors of the arena."""

    def wrapped(task: Task) -> Chunk:
        try:
            return play(task)
        except ArenaError:
            raise
        except Exception as error:
            raise ArenaError(f"a worker of the arena failed: {one_line(error)}") from error

    return wrapped


def play_chunks(
    plan: Plan,
    seated: list[Seated],
    tasks: Iterator[Task],
    *,
    work: Work,
    records: bool = False,
    think: bool = False,
    interrupted: Callable[[], bool],
    on_cluster: Callable[[Size], None] = lambda size: None,
    on_activity: OnActivity = lambda deals, decisions: None,
) -> Generator[Chunk, None, None]:
    """Play chunks, several at a time, and yield them in their order.

    Args:
        plan: The run.
        seated: Its players, for workers of this process.
        tasks: The chunks in order.
        work: Workers, time limits, and what happens when a player fails.
        records: Whether the chunks have the records of their games.
        think: Whether the records have what players thought of their moves.
        interrupted: Asked a few times a second; True ends the work.
        on_cluster: Called a few times a second with the size of the cluster, if one does the work.
        on_activity: Called a few times a second with what has been played, if players are asked on this machine.
    """
    rules = _Rules(plan, work)
    again: deque[Task] = deque()
    order: deque[int] = deque()
    finished: dict[int, Chunk] = {}
    playing = decisions = 0
    try:
        executor, seated_here = _executor_for(plan, seated, work)
        with executor, executor.crew(_job(executor, plan, seated_here, work, records, think)) as crew:
            while True:
                if executor.remote:
                    on_cluster(crew.size)
                while crew.room > 0 and (again or len(order) < AHEAD * max(1, crew.size.cores)):
                    task = again.popleft() if again else next(tasks, None)
                    if task is None:
                        break
                    if not task.absent:
                        order.append(task.chunk)
                    playing += 1
                    crew.submit(task)
                if not playing:
                    return
                for event in crew.wait(_TICK):
                    playing -= 1
                    if isinstance(event, Lost):
                        again.append(rules.without_player(event))
                    else:
                        finished[event.task.chunk] = event.result
                        decisions += decisions_in(event.result.asked)
                at_work = [doing for doing in crew.doing if isinstance(doing, Asked)]
                if at_work:
                    waiting = sum(len(chunk.line["deals"]) for chunk in finished.values())
                    deals = waiting + sum(doing.deals for doing in at_work)
                    on_activity(deals, decisions + sum(doing.decisions for doing in at_work))
                if interrupted():
                    return
                while order and order[0] in finished:
                    yield finished.pop(order.popleft())
    except WorkerError as error:
        raise ArenaError(str(error)) from error


def _executor_for(plan: Plan, seated: list[Seated], work: Work) -> tuple[Executor, list[Seated] | None]:
    """Who plays, and the players unless workers make them from their specs."""
    jobs = work.jobs or 1
    if work.ray is not None:
        return executor_for(work.ray, work.jobs), None
    if not any(map(is_outside, seated)):
        return Threads(jobs), seated
    if plan.of_specs and (jobs > 1 or work.isolated):
        return Processes(jobs), None
    return Threads(1), seated  # the caller's objects cannot be in two places


def _job(
    executor: Executor, plan: Plan, seated: list[Seated] | None, work: Work, records: bool, think: bool
) -> _PlayChunks:
    specs = [spec for spec in plan.specs if isinstance(spec, str)]
    luggage = pack_luggage(executor, specs if seated is None else ())
    return _PlayChunks(plan, work.strict, records, think, work.timeout, FIRST_CALL_SECONDS, seated, luggage)


class _Rules:
    """What becomes of a chunk whose worker was lost, and when the run stops."""

    def __init__(self, plan: Plan, work: Work) -> None:
        self._plan, self._work = plan, work
        self._hangs: dict[int, int] = {}

    def without_player(self, lost: Lost[Task]) -> Task:
        """The chunk again without the player that was being asked."""
        player, why = lost.doing.player if isinstance(lost.doing, Asked) else None, lost.why
        if player is None:
            if lost.hung:
                why = f"has not finished its games in {COMPILED_SECONDS:g} s"
            players = ", ".join(self._plan.names)
            raise ArenaError(f"a worker {why} while no player was being asked; the players are {players}.")
        if lost.hung:
            why = f"has not answered in {self._work.timeout:g} s for each decision"
        name = self._plan.names[player]
        self._hangs[player] = self._hangs.get(player, 0) + 1
        if self._work.strict:
            raise ArenaError(f"player {name} {why}.")
        if self._hangs[player] == HANGS:
            raise ArenaError(f"player {name} {why}, in {HANGS} chunks of deals by now, so the run stops.")
        return replace(lost.task, absent=(*lost.task.absent, (player, why)))
