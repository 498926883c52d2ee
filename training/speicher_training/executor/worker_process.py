"""A worker in a process of its own, seen from both sides.

The process gets no Ctrl-C and leaves with its parent, whatever it is doing. Warnings and exceptions are sent to the
parent, which shows and raises them.
"""

from __future__ import annotations

import builtins
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from speicher_training.executor.interface import WorkerError
from speicher_training.executor.sharing import Packed, Sent, SharedBytes, unpack
from speicher_training.executor.supervision import Inbox, Worker

__all__ = ["WorkFailed", "WorkerProcess"]


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that libraries of matrix products read when they are loaded."""


class WorkFailed(Exception):
    """An exception of a worker, in a form that can be sent."""

    def __init__(self, pickled: bytes | None, sentence: str, trace: str) -> None:
        """Keep it as pickled bytes, None where that is impossible, and in words."""
        super().__init__(pickled, sentence, trace)
        self.pickled, self.sentence, self.trace = pickled, sentence, trace

    def original(self) -> Exception:
        """The exception that the worker raised, its traceback as a note; a `WorkerError` if it could not be sent."""
        error: Exception = WorkerError(f"a worker failed: {self.sentence}")
        if self.pickled is not None:
            with suppress(Exception):
                error = pickle.loads(self.pickled)
        error.add_note(f"In a worker:\n{self.trace}")
        return error


class _Parcel(NamedTuple):
    """What the parent sends: a job first, then tasks."""

    content: bytes
    added: dict[str, bytes]
    """Shared bytes that the process does not have yet, by digest."""
    dropped: list[str]
    """Those that are no longer needed."""


class WorkerProcess(Worker[Packed]):
    """A worker that is given packed tasks and gives pickled results."""

    def __init__(self, job: Packed, inbox: Inbox) -> None:
        """Start the process and send it the job."""
        context = multiprocessing.get_context("spawn")
        self._line, far_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(far_end, sys.path, os.getcwd()), daemon=True)
        self._sent = Sent()
        with _interrupts_stay_here(), _one_core():
            self._process.start()
        far_end.close()
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()
        self.send(job)

    def send(self, task: Packed) -> None:
        """Send a task, with the shared bytes that the process does not have yet."""
        added, dropped = self._sent.update(task.shared)
        contents = {digest: shared.get() for digest, shared in added.items()}
        with suppress(OSError):  # it has died; the listener says so
            self._line.send(_Parcel(task.content, contents, dropped))

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()

    def _listen(self, inbox: Inbox) -> None:
        with suppress(EOFError, OSError):
            while True:
                inbox.put((self, *self._line.recv()))
        self._process.join()
        inbox.put((self, "died", f"ended its process (exit code {self._process.exitcode})"))


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


@contextmanager
def _one_core() -> Iterator[None]:
    """A block whose new processes use one core each, unless the user says otherwise.

    A library of matrix products starts a thread for each core. In several processes such threads wait for each other:
    networks then play at a tenth of the speed.
    """
    added = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


# In the process


def _serve(line: Connection, path: list[str], folder: str) -> None:
    """The work of the process: do each task as it comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be kept away; the parent decides what ends
    sys.path[:] = path
    os.chdir(folder)
    parcels: queue.SimpleQueue[_Parcel] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(line, parcels), daemon=True).start()
    shared: dict[str, SharedBytes] = {}

    def send(kind: str, content: Any) -> None:
        line.send((kind, content))

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        send("warned", (str(message), next(kind for kind in category.__mro__ if kind.__module__ == builtins.__name__)))

    def take() -> Any:
        parcel = parcels.get()
        for digest in parcel.dropped:
            del shared[digest]
        shared.update({digest: SharedBytes(content) for digest, content in parcel.added.items()})
        return unpack(parcel.content, shared)

    warnings.showwarning = show
    with suppress(OSError):  # of the line: the parent has gone
        try:
            work = take().begin(lambda doing, seconds: send("doing", (doing, seconds)))
            while True:
                send("done", pickle.dumps(work(take()), pickle.HIGHEST_PROTOCOL))
        except Exception as error:
            send("failed", _failure_of(error))


def _receive(line: Connection, parcels: queue.SimpleQueue[_Parcel]) -> None:
    """Take what the parent sends also while a task is being done, and leave with the parent."""
    with suppress(EOFError, OSError):
        while True:
            parcels.put(line.recv())
    os._exit(1)


def _failure_of(error: Exception) -> WorkFailed:
    text = " ".join(str(error).split())
    sentence = f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
    trace = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:  # of a class that pickles badly, which somebody else may have written
        return WorkFailed(None, sentence, trace)
    return WorkFailed(pickled, sentence, trace)
