"""Workers: processes with limits that try cases, watched and replaced by their owner when they crash or hang."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.fuzz_inputs.cases import Result, form_named, form_of, parts_of, result_of, unpacked
from tests.support.fuzz_inputs.forms import CRASH, HANG, OUTCOMES, TRACEBACK

MEMORY = 1 << 30
"""Bytes that a worker may take beyond what it has when it begins."""
IDLE = 30.0
"""A case also hangs if it has run at least `LONGEST` seconds, and this many times as long as its processor time."""
LONGEST = 300.0
TICK = 0.2


class Task(NamedTuple):
    """Cases to try: `count` numbers from `first` on, or one saved input."""

    first: int
    count: int
    seed: int
    forms: tuple[str, ...]
    kept: Any = None


class Done(NamedTuple):
    """A task that is done: the outcome of each case, and what the faults are."""

    task: Task
    outcomes: list[str]
    faults: dict[int, str]


def serve(line: Connection, clock: Any, scratch: str) -> None:
    """The work of a worker: try the cases of each task that comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, which lets the tasks under way end
    folder = Path(scratch)
    printed = folder / "stderr"
    descriptor = os.open(printed, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(descriptor, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    os.environ["SPEICHER_QUIET"] = "1"
    bases: dict[str, Any] = {}
    limited = False
    while (task := line.recv()) is not None:
        for place in range(task.count):
            number = task.first + place
            form = form_named(form_of(number, task.forms))
            if form.name not in bases:
                _limit_memory(None)
                (folder / form.name).mkdir(exist_ok=True)
                bases[form.name] = form.prepare(folder / form.name, shared_folder(folder.parent))
                limited = False
            if not limited:
                _limit_memory(MEMORY)
                limited = True
            base, case = bases[form.name], folder / "case"
            parts = parts_of(number, task.seed, form, base) if task.kept is None else unpacked(task.kept)
            case.mkdir()
            size = printed.stat().st_size
            clock[1] = time.process_time_ns()
            clock[2] = time.monotonic_ns()
            clock[0] = number + 1
            result = result_of(parts, form, base, case)
            clock[0] = 0
            os.chdir(folder)
            if result.outcome != TRACEBACK and printed.stat().st_size > size:
                result = _with_what_was_printed(result, printed, size)
            line.send((number, result))
            shutil.rmtree(case, ignore_errors=True)
            if case.exists():  # a case may take its own rights away
                os.system(f"chmod -R u+rwx {case!s} && rm -rf {case!s}")
        line.send(None)
        if printed.stat().st_size > 1 << 24:
            os.ftruncate(descriptor, 0)


def _with_what_was_printed(result: Result, printed: Path, size: int) -> Result:
    with printed.open("rb") as stream:
        stream.seek(size)
        text = stream.read(1 << 20).decode("utf-8", "replace")
    return Result(TRACEBACK, f"printed on stderr:\n{text}") if "Traceback" in text else result


def _limit_memory(more: int | None) -> None:
    """Limit the memory of this process to so much more than it has; None for no limit."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = hard
    if more is not None:
        with suppress(OSError, StopIteration):
            status = Path("/proc/self/status").read_text().splitlines()
            has = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
            limit = has + more
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def shared_folder(scratch: Path) -> Path:
    """The folder for what all workers share."""
    (scratch / "shared").mkdir(exist_ok=True)
    return scratch / "shared"


class Worker:
    """A worker, as its owner sees it."""

    def __init__(self, scratch: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.scratch = Path(tempfile.mkdtemp(dir=scratch))
        self.clock = context.RawArray("q", 3)
        """The number of the case under way and 1, or 0; the processor time and the time when it began."""
        self.line, far_end = context.Pipe()
        self.process = context.Process(target=serve, args=(far_end, self.clock, str(self.scratch)), daemon=True)
        self.process.start()
        far_end.close()
        self.task: Task | None = None
        self.results: dict[int, Result] = {}

    def hand(self, task: Task) -> None:
        """Give it a task."""
        self.task, self.results = task, {}
        self.line.send(task)

    def hanging(self) -> bool:
        """Whether the case under way takes too long."""
        number, worked, begun = self.clock
        if not number or self.task is None:
            return False
        limit = form_named(form_of(number - 1, self.task.forms)).seconds
        waited = (time.monotonic_ns() - begun) / 1e9
        if waited < limit:
            return False
        now = _processor_time(self.process.pid)
        return waited > max(IDLE * limit, LONGEST) or (now is not None and now - worked / 1e9 > limit)

    def end(self, *, look: bool = False) -> str:
        """End it, and give what it printed last; with `look` also where it is."""
        if look and self.process.pid is not None:
            with suppress(OSError):
                os.kill(self.process.pid, signal.SIGUSR1)
                time.sleep(0.5)
        self.process.kill()
        self.process.join()
        text = ""
        with suppress(OSError):
            text = (self.scratch / "stderr").read_bytes()[-8000:].decode("utf-8", "replace")
        shutil.rmtree(self.scratch, ignore_errors=True)
        return text


def _processor_time(pid: int | None) -> float | None:
    """Seconds of processor time of a process; None if the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def try_all(tasks: Sequence[Task], jobs: int, scratch: Path) -> Iterator[Done]:
    """Try the cases of all tasks; they come as they are done, in any order."""
    waiting = deque(tasks)
    finished: dict[int, dict[int, Result]] = {task.first: {} for task in tasks}
    workers: list[Worker] = []
    lost_at_once = 0
    try:
        while waiting or any(worker.task for worker in workers):
            for worker in workers:
                if worker.task is None and waiting:
                    worker.hand(waiting.popleft())
            while waiting and len(workers) < jobs:
                workers.append(Worker(scratch))
                workers[-1].hand(waiting.popleft())
            busy = {worker.line: worker for worker in workers if worker.task is not None}
            ready = [busy[line] for line in wait(list(busy), timeout=TICK)]  # type: ignore[index]
            for worker in ready:
                task = worker.task
                assert task is not None
                try:
                    message = worker.line.recv()
                except (EOFError, OSError):
                    workers.remove(worker)
                    message = _lost(worker, task)
                    lost_at_once = lost_at_once + 1 if message is None else 0
                    if message is None:
                        if lost_at_once > 3:
                            raise RuntimeError(f"workers cannot begin:\n{worker.end()}") from None
                        waiting.appendleft(task)
                        continue
                    rest = _rest(task, message[0])
                    if rest is not None:
                        finished.setdefault(rest.first, finished[task.first])
                        waiting.appendleft(rest)
                else:
                    rest = task if message is not None else None
                results = finished[task.first]
                if message is not None:
                    results[message[0]] = message[1]
                if rest is None:
                    worker.task = None
                    yield from _whole(task, tasks, results)
            for worker in [worker for worker in workers if worker.task is not None and worker.hanging()]:
                task, number = worker.task, worker.clock[0] - 1
                assert task is not None
                if number < 0:
                    continue
                workers.remove(worker)
                results = finished[task.first]
                results[number] = Result(HANG, f"a case that hangs:\n{worker.end(look=True)}")
                rest = _rest(task, number)
                if rest is None:
                    yield from _whole(task, tasks, results)
                else:
                    finished.setdefault(rest.first, results)
                    waiting.appendleft(rest)
    finally:
        for worker in workers:
            worker.end()


def _lost(worker: Worker, task: Task) -> tuple[int, Result] | None:
    """The case that has ended its worker, and how; None if the worker ended by itself."""
    number = worker.clock[0] - 1
    worker.process.join()
    code = worker.process.exitcode or 0
    if number < 0:
        return None
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return number, Result(CRASH, f"the process ended with {name}:\n{worker.end()}")


def _rest(task: Task, number: int) -> Task | None:
    """What is left of a task after a case."""
    left = task.first + task.count - number - 1
    return task._replace(first=number + 1, count=left) if left else None


def _whole(task: Task, tasks: Sequence[Task], results: dict[int, Result]) -> Iterator[Done]:
    """The task that a part belonged to, if all its cases are done."""
    last = task.first + task.count
    whole = next(one for one in tasks if one.first <= task.first and last <= one.first + one.count)
    if len(results) == whole.count:
        outcomes = [results[whole.first + place].outcome for place in range(whole.count)]
        faults = {number: result.fault for number, result in sorted(results.items()) if result.fault}
        assert set(outcomes) <= set(OUTCOMES)
        yield Done(whole, outcomes, faults)
