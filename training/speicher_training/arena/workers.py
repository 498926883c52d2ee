"""The workers that play the chunks: threads for compiled players, processes for players asked through Python.

A worker reports when it asks a player and when the player has answered. A worker that is silent for too long is
abandoned, or ended if it is a process, and the chunk is played again without the player that was being asked.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Seated, is_outside, one_line, seat
from speicher_training.arena.play import Chunk, ChunkPlayer, Report, Task
from speicher_training.arena.records import RecordSettings
from speicher_training.arena.settings import Work

__all__ = ["play_chunks"]

FIRST_CALL_SECONDS = 60.0
"""What a player's first call in a worker may take beyond the limit, because it may compile or load something."""
COMPILED_SECONDS = 600.0
"""What compiled code may take for a chunk, its own compilation included."""
HANGS = 3
"""Chunks in which a player may hang before the run stops."""
AHEAD = 4
"""Chunks handed out or waiting to be written, for each worker."""
_TICK = 0.2

Message = tuple[str, Any]


class _Worker:
    """A worker's task, and the time by which it must report."""

    def __init__(self, inbox: queue.Queue[tuple[_Worker, Message]]) -> None:
        self.inbox = inbox
        self.task: Task | None = None
        self.asking: int | None = None
        self.known: set[int] = set()
        self.deadline = float("inf")

    def hand(self, task: Task) -> None:
        """Give it a chunk to play."""
        self.task, self.asking = task, None
        self.deadline = time.monotonic() + COMPILED_SECONDS
        self.send(task)

    def heard(self, player: int | None, decisions: int, limit: float) -> None:
        """Note that it asks a player, or (None) has the answer."""
        seconds = COMPILED_SECONDS
        if player is not None:
            seconds = limit * decisions + FIRST_CALL_SECONDS * (player not in self.known)
            self.known.add(player)
        self.asking, self.deadline = player, time.monotonic() + seconds

    def send(self, task: Task | None) -> None:
        """Hand it a task; None ends it after its work."""
        raise NotImplementedError

    def end(self) -> None:
        """End it at once."""
        raise NotImplementedError


class _Thread(_Worker):
    """A worker in this process. If it hangs, it cannot be ended, only abandoned."""

    def __init__(self, inbox: queue.Queue[tuple[_Worker, Message]], make: Callable[[Report], ChunkPlayer]) -> None:
        super().__init__(inbox)
        self.tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        arguments = (make, self.tasks.get, lambda message: inbox.put((self, message)))
        threading.Thread(target=_serve, args=arguments, daemon=True).start()

    def send(self, task: Task | None) -> None:
        self.tasks.put(task)

    def end(self) -> None:
        self.tasks.put(None)


class _Process(_Worker):
    """A worker in a process of its own."""

    def __init__(self, inbox: queue.Queue[tuple[_Worker, Message]], arguments: tuple[Any, ...]) -> None:
        super().__init__(inbox)
        context = multiprocessing.get_context("spawn")
        self.line, far_end = context.Pipe()
        self.process = context.Process(target=_serve_in_process, args=(far_end, *arguments), daemon=True)
        with _interrupts_stay_here():
            self.process.start()
        far_end.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self.inbox.put((self, self.line.recv()))
        self.process.join()
        self.inbox.put((self, ("died", self.process.exitcode)))

    def send(self, task: Task | None) -> None:
        with suppress(OSError):  # it has died; the listener says so
            self.line.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()


@contextmanager
def _interrupts_stay_here() -> Iterator[None]:
    """A block whose new processes get no Ctrl-C, not even while they import: it reaches the whole group."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start, with that of the first process, would end the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    make: Callable[[Report], ChunkPlayer], receive: Callable[[], Task | None], send: Callable[[Message], None]
) -> None:
    """The work of a worker: play each task until there are no more."""
    try:
        player = make(lambda number, decisions: send(("asking", (number, decisions))))
        while (task := receive()) is not None:
            send(("done", player.play(task)))
    except ArenaError as error:
        send(("stopped", str(error)))
    except Exception as error:
        send(("broken", error))


def _serve_in_process(
    line: Connection, plan: Plan, strict: bool, records: RecordSettings | None, path: list[str], folder: str
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be kept away; the parent decides what ends
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    sys.path[:] = path
    os.chdir(folder)

    def send(message: Message) -> None:
        if message[0] == "broken":
            message = ("stopped", f"a worker of the arena failed: {one_line(message[1])}")
        line.send(message)

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        send(("warned", (str(message), category)))

    warnings.showwarning = show

    def make(report: Report) -> ChunkPlayer:
        return ChunkPlayer(plan, seat(plan.specs), strict=strict, records=records, report=report)

    with suppress(EOFError, OSError):
        _serve(make, line.recv, send)


def _leave_with(parent: int) -> None:
    """End this process soon after its parent, whatever a player is doing."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def play_chunks(
    plan: Plan,
    seated: list[Seated],
    tasks: Iterator[Task],
    *,
    work: Work,
    records: RecordSettings | None,
    interrupted: Callable[[], bool],
) -> Generator[Chunk, None, None]:
    """Play chunks, several at a time, and yield them in their order.

    Args:
        plan: The run.
        seated: Its players, for workers of this process.
        tasks: The chunks in order.
        work: Workers, time limits, and what happens when a player fails.
        records: Where game records go, None for nowhere.
        interrupted: Asked a few times a second; True ends the work.
    """
    inbox: queue.Queue[tuple[_Worker, Message]] = queue.Queue()
    jobs = work.jobs
    outside = any(map(is_outside, seated))
    in_processes = outside and plan.of_specs and (jobs > 1 or work.isolated)
    if outside and not in_processes:
        jobs = 1  # the caller's objects cannot be in two places

    def make(report: Report) -> ChunkPlayer:
        return ChunkPlayer(plan, seated, strict=work.strict, records=records, report=report)

    def hire() -> _Worker:
        if in_processes:
            return _Process(inbox, (plan, work.strict, records, sys.path, os.getcwd()))
        return _Thread(inbox, make)

    waiting: deque[Task] = deque()
    finished: dict[int, Chunk] = {}
    hangs: dict[int, int] = {}
    workers: list[_Worker] = []
    due = handed = 0  # chunks given on, chunks taken from `tasks`; the first may be any number
    first: int | None = None

    def next_task() -> Task | None:
        nonlocal handed, first
        if waiting:
            return waiting.popleft()
        if handed - due >= AHEAD * jobs:
            return None
        task = next(tasks, None)
        if task is not None:
            first = task.chunk if first is None else first
            handed += 1
        return task

    def give_work() -> None:
        for worker in workers:
            if worker.task is None and (task := next_task()) is not None:
                worker.hand(task)
        while len(workers) < jobs and (task := next_task()) is not None:
            workers.append(hire())
            workers[-1].hand(task)

    def lose(worker: _Worker, what: str) -> None:
        """A worker is gone for good: play its chunk again without the player that was being asked."""
        workers.remove(worker)
        worker.end()
        player, task = worker.asking, worker.task
        if player is None or task is None:
            players = ", ".join(plan.names)
            raise ArenaError(f"a worker {what} while no player was being asked; the players are {players}.")
        name = plan.names[player]
        hangs[player] = hangs.get(player, 0) + 1
        if work.strict:
            raise ArenaError(f"player {name} {what}.")
        if hangs[player] == HANGS:
            raise ArenaError(f"player {name} {what}, in {HANGS} chunks of deals by now, so the run stops.")
        waiting.appendleft(replace(task, absent=(*task.absent, (player, what))))

    try:
        give_work()
        while any(worker.task for worker in workers) or waiting:
            with suppress(queue.Empty):
                nearest = min((worker.deadline for worker in workers if worker.task), default=0.0) - time.monotonic()
                worker, (kind, content) = inbox.get(timeout=min(_TICK, max(nearest, 0.001)))
                if worker not in workers:
                    continue  # an abandoned thread, or the end of a process that was ended
                if kind == "asking":
                    player, decisions = content
                    worker.heard(player, decisions, work.timeout)
                    continue
                if kind == "warned":
                    text, category = content
                    warnings.warn(text, category, stacklevel=2)  # the same words from several workers are shown once
                    continue
                if kind == "stopped":
                    raise ArenaError(content)
                if kind == "broken":
                    raise content
                if kind == "died":
                    lose(worker, f"ended its process (exit code {content})")
                elif worker.task is not None:
                    finished[worker.task.chunk] = content
                    worker.task = None
            if interrupted():
                return
            for worker in [each for each in workers if each.task and time.monotonic() > each.deadline]:
                lose(worker, _silence(worker, work.timeout))
            while first is not None and first + due in finished:
                due += 1
                yield finished.pop(first + due - 1)
            give_work()
    finally:
        for worker in workers:
            worker.end()


def _silence(worker: _Worker, timeout: float) -> str:
    if worker.asking is None:
        return f"has not finished its games in {COMPILED_SECONDS:g} s"
    return f"has not answered in {timeout:g} s for each decision"
