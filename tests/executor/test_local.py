"""Work on this machine is done by every executor alike, and what hangs, dies or fails in a worker is reported."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from speicher_training.executor import (
    Crew,
    Done,
    Executor,
    InProcess,
    Lost,
    Processes,
    Threads,
    WorkerError,
    in_order,
    worker_process,
)
from speicher_training.executor.sharing import Packed, Sent, SharedBytes
from speicher_training.executor.supervision import Inbox
from tests.support.jobs import Obedient, Task

EXECUTORS: dict[str, Executor] = {"here": InProcess(), "threads": Threads(2), "processes": Processes(2)}
PATIENCE = 60.0


def end_of(crew: Crew[Task, Any], *tasks: Task) -> list[Done[Task, Any] | Lost[Task]]:
    """How tasks end, in the order of their numbers."""
    waiting, events = list(tasks), list[Done[Task, Any] | Lost[Task]]()
    while len(events) < len(tasks):
        while waiting and crew.room > 0:
            crew.submit(waiting.pop(0))
        events += crew.wait(PATIENCE)
    return sorted(events, key=lambda event: event.task.number)


@pytest.mark.parametrize("executor", EXECUTORS.values(), ids=EXECUTORS)
def test_every_executor_gives_each_task_its_result(executor: Executor) -> None:
    shared = executor.share(b"weights")
    tasks = [Task(number, shared=(shared, shared)) for number in range(5)]
    with executor, executor.crew(Obedient()) as crew:
        events = end_of(crew, *tasks)
        assert [event.task for event in events] == tasks
        assert all(event.task is task for event, task in zip(events, tasks, strict=True))
        assert [event.result for event in events if isinstance(event, Done)] == [
            (number**2, [b"weights"] * 2) for number in range(5)
        ]
        with pytest.raises(WorkerError, match="no more work"):
            end_of(crew, Task(5, "raise"))


def test_a_process_that_hangs_or_dies_loses_its_task_alone_and_is_replaced(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with Processes(2).crew(Obedient()) as crew:
        one, hung, died, four = end_of(crew, Task(1), Task(2, "hang", marks=marks), Task(3, "die"), Task(4))
        assert isinstance(one, Done) and isinstance(four, Done)
        assert isinstance(hung, Lost) and (hung.doing, hung.hung) == ("hang 2", True)
        assert died == Lost(died.task, "die 3", "ended its process (exit code 3)", False)
        assert not is_running(int(marks.read_text()))
    with crew:
        crew.submit(Task(5, "hang", marks=marks))
        assert wait_for(lambda: len(marks.read_text().split()) == 2)
    assert not is_running(int(marks.read_text().split()[-1])), "a crew that is closed has ended its workers"


@pytest.mark.parametrize(
    ("do", "error", "words"),
    [
        ("raise file", FileNotFoundError, "no such file"),
        ("raise unsendable", WorkerError, "a worker failed: Unsendable: a b"),
    ],
)
def test_an_exception_of_a_job_in_a_process_is_raised_with_its_traceback(
    do: str, error: type[Exception], words: str
) -> None:
    with Processes(1).crew(Obedient()) as crew, pytest.raises(error, match=words) as raised:
        end_of(crew, Task(1, do))
    assert "in work" in raised.value.__notes__[0]


def test_a_warning_in_several_processes_is_shown_once() -> None:
    with warnings.catch_warnings(record=True) as shown, Processes(2).crew(Obedient()) as crew:
        warnings.simplefilter("default")
        end_of(crew, *[Task(number, "warn") for number in range(4)])
    assert [(str(warning.message), warning.category) for warning in shown] == [("this job is old", FutureWarning)]


def test_shared_bytes_are_sent_once_and_dropped_when_nobody_has_them() -> None:
    sent, weights, more = Sent(), SharedBytes(b"weights"), SharedBytes(b"more")
    assert sent.update({weights.digest: weights}) == ({weights.digest: weights}, [])
    assert sent.update({more.digest: more, weights.digest: weights}) == ({more.digest: more}, [])
    assert sent.update({}) == ({}, [])
    digest = more.digest
    del more
    gc.collect()
    assert sent.update({}) == ({}, [digest])


def test_a_process_forgets_shared_bytes_and_gets_them_again() -> None:
    executor = Processes(1)
    with executor.crew(Obedient()) as crew:
        for number in range(3):
            (event,) = end_of(crew, Task(number, shared=(executor.share(b"weights"),)))
            assert isinstance(event, Done) and event.result[1] == [b"weights"]
            del event
            gc.collect()
            end_of(crew, Task(9))


def test_results_come_in_order_and_a_task_that_kills_its_worker_is_given_up() -> None:
    with Processes(2).crew(Obedient()) as crew:
        results = in_order(crew, (Task(number) for number in range(6)), limit=4)
        assert [result[0] for result in results] == [0, 1, 4, 9, 16, 25]
        with pytest.raises(WorkerError, match=r"^a worker ended its process \(exit code 3\), 3 times with die 2"):
            list(in_order(crew, [Task(1), Task(2, "die")], limit=4))


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("3", "3")])
def test_each_process_uses_one_core_unless_the_user_says_otherwise(
    given: str | None, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    with Processes(1).crew(Obedient()) as crew:
        assert end_of(crew, Task(1, "threads")) == [Done(Task(1, "threads"), used)]
    assert os.environ.get("OMP_NUM_THREADS") == given


def test_an_interruption_ends_the_results() -> None:
    def endless() -> Iterable[Task]:
        number = 0
        while True:
            yield Task(number := number + 1)

    with InProcess().crew(Obedient()) as crew:
        seen: list[Any] = []
        for result in in_order(crew, endless(), limit=2, interrupted=lambda: len(seen) == 3):
            seen.append(result)
    assert len(seen) == 3


def press_ctrl_c(line: Connection, *_: object) -> None:
    """In place of the work of a worker."""
    signal.raise_signal(signal.SIGINT)
    line.send(("done", "alive"))


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs masks of signals")
def test_ctrl_c_while_a_worker_starts_is_for_its_parent_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "_serve", press_ctrl_c)
    inbox = Inbox()
    worker = worker_process.WorkerProcess(Packed(b"", {}), inbox)
    assert inbox.get() == (worker, "done", "alive")
    assert inbox.get() == (worker, "died", "ended its process (exit code 0)")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    worker.end()


def test_no_worker_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    program = (
        "from pathlib import Path\nfrom speicher_training.executor import Processes\n"
        "from tests.support.jobs import Obedient, Task\n"
        f"crew = Processes(1).crew(Obedient(3600))\ncrew.submit(Task(1, 'hang', marks=Path({str(marks)!r})))\n"
        "crew.wait(3600)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as parent:
        assert wait_for(lambda: marks.exists() and marks.read_text().endswith("\n"))
        parent.kill()
    assert wait_for(lambda: not is_running(int(marks.read_text())))


def wait_for(condition: Any) -> bool:
    """Whether a condition holds within a minute."""
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
