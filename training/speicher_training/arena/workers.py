"""Who plays the chunks, and what becomes of a chunk whose worker hung or died.

Compiled players play in threads; players asked through Python in processes, so that they can be ended. A worker reports
when it asks a player and when the player has answered. The chunk of a worker that is lost is played again without the
player that was being asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Seated, is_outside, one_line, seat
from speicher_training.arena.play import Chunk, ChunkPlayer, Task
from speicher_training.arena.settings import Work
from speicher_training.executor import Executor, Lost, Processes, Report, Threads, WorkerError

__all__ = ["play_chunks"]

FIRST_CALL_SECONDS = 60.0
"""What a player's first call in a worker may take beyond the limit, because it may compile or load something."""
COMPILED_SECONDS = 600.0
"""What compiled code may take between two questions to players, its own compilation included."""
HANGS = 3
"""Chunks in which a player may hang before the run stops."""
AHEAD = 4
"""Chunks handed out or waiting to be written, for each core."""
_TICK = 0.2


@dataclass(frozen=True)
class _PlayChunks:
    """The work of a worker: seat the players, and play chunks."""

    plan: Plan
    strict: bool
    records: bool
    think: bool
    timeout: float
    first_call: float = 0.0
    seated: list[Seated] | None = None
    """The players, if they are of this process; they do not travel."""

    def begin(self, report: Report) -> Callable[[Task], Chunk]:
        """See `Job.begin`."""
        asked: set[int] = set()

        def report_player(player: int | None, decisions: int) -> None:
            seconds = COMPILED_SECONDS
            if player is not None:
                seconds = self.timeout * decisions + self.first_call * (player not in asked)
                asked.add(player)
            report(player, seconds)

        seated = seat(self.plan.specs) if self.seated is None else self.seated
        players = ChunkPlayer(
            self.plan, seated, strict=self.strict, records=self.records, think=self.think, report=report_player
        )
        return players.play if self.seated is not None else _in_a_sentence(players.play)


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
    """
    executor, travels = _executor_for(plan, seated, work)
    job = _PlayChunks(
        plan, work.strict, records, think, work.timeout, FIRST_CALL_SECONDS, None if travels else seated
    )  # fmt: skip
    rules = _Rules(plan, work)
    again: deque[Task] = deque()
    order: deque[int] = deque()
    finished: dict[int, Chunk] = {}
    playing = 0
    try:
        with executor, executor.crew(job) as crew:
            while True:
                while crew.room > 0 and (again or len(order) < AHEAD * crew.size.cores):
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
                if interrupted():
                    return
                while order and order[0] in finished:
                    yield finished.pop(order.popleft())
    except WorkerError as error:
        raise ArenaError(str(error)) from error


def _executor_for(plan: Plan, seated: list[Seated], work: Work) -> tuple[Executor, bool]:
    """Who plays, and whether the players are made there from their specs."""
    if not any(map(is_outside, seated)):
        return Threads(work.jobs), False
    if plan.of_specs and (work.jobs > 1 or work.isolated):
        return Processes(work.jobs), True
    return Threads(1), False  # the caller's objects cannot be in two places


class _Rules:
    """What becomes of a chunk whose worker was lost, and when the run stops."""

    def __init__(self, plan: Plan, work: Work) -> None:
        self._plan, self._work = plan, work
        self._hangs: dict[int, int] = {}

    def without_player(self, lost: Lost[Task]) -> Task:
        """The chunk again without the player that was being asked."""
        player, why = lost.doing, lost.why
        if not isinstance(player, int):
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
