"""The one way this package compiles: Numba's `njit` with a cache on disk that is never stale and may be lost.

Numba keeps compiled code beside each file and looks at that file's time stamp only. After an edit in an imported module
(a constant, a rule called from another rule) it would use old machine code. Here the name of the cache folder is a
fingerprint of every source file that is compiled together, of the versions of Python, Numba and NumPy, and of the
flags: any change starts a new folder.

Processes that need the same function wait until one of them has compiled it, and compile different ones side by side.
A damaged entry is compiled again, and where nothing can be written the code is compiled in each process.
`SPEICHER_QUIET=1` hides the lines that say so.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, FunctionType
from typing import IO, Any, TypeVar

import numba
import numpy as np
from llvmlite.binding import ExecutionEngine
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
    UserProvidedCacheLocator,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["COMPILED", "Compiler", "compile_all", "jit", "jit_inlined", "jit_parallel", "sources_in", "try_to_lock"]

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
QUIET = "SPEICHER_QUIET"
"""The environment variable that hides messages about compilation, if it is set to anything but 0."""
KEPT_GENERATIONS = 4
"""Cache folders of a compiler that are kept beside its current one, so that two installed versions do not evict each
other."""
DIGEST_BYTES = 16


# The folder


def _fingerprint(sources: list[Path]) -> str:
    digest = hashlib.sha256()
    flags = (numba.config.BOUNDSCHECK, numba.config.CPU_NAME, numba.config.CPU_FEATURES, numba.config.OPT)
    digest.update(repr((sys.version_info, numba.__version__, np.__version__, flags)).encode())
    for source in sources:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _places() -> list[Path]:
    """Where cache folders may be: where the user says, or beside the package and then in the user's cache."""
    home_cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return [Path(chosen)] if chosen else [PACKAGE / "__pycache__", Path(home_cache) / "speicher_env"]


def _drop_old(place: Path, name: str, current: Path) -> None:
    """Delete all but the newest few cache folders of one compiler; another process may be doing the same."""
    try:
        others = [folder for folder in place.glob(f"{name}-*") if folder != current]
        others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in others[KEPT_GENERATIONS:]:
        shutil.rmtree(folder, ignore_errors=True)


def cache_folder(what: str, sources: list[Path]) -> Path | None:
    """The cache folder for code compiled from these sources, or None if no place can be written to.

    A folder that is there already is used even where it cannot be written to, such as in an image of a container.

    Args:
        what: What messages call the compiled code; it is part of the name.
        sources: All files that it is compiled from.
    """
    name = f"speicher-jit-{what.removeprefix('the ').replace(' ', '-')}"
    for place in _places():
        folder = place / f"{name}-{_fingerprint(sources)}"
        with suppress(OSError):
            if not folder.is_dir():
                if not _writable(place):
                    continue
                folder.mkdir(exist_ok=True)
                _drop_old(place, name, folder)
            return folder
    return None


def sources_in(*places: Path) -> list[Path]:
    """The given Python files, and every Python file in the given folders, in a fixed order."""
    return [source for place in places for source in ([place] if place.is_file() else sorted(place.rglob("*.py")))]


# Compiling


class Compiler:
    """Compiles functions into one cache folder; a package makes one for itself."""

    def __init__(self, *places: Path, what: str = "the rules of the game", seconds: int = 20) -> None:
        """Fingerprint the files and folders that hold all that the compiled functions call and read.

        Args:
            places: These files and folders.
            what: What messages and the folder call the compiled code; each compiler has a name of its own.
            seconds: About how long one core compiles all that a common use of it needs.
        """
        self.what = what
        self.seconds = seconds
        self.folder = None if numba.config.DISABLE_JIT else cache_folder(what, sources_in(*places))
        self._reported: set[str] = set()

    def __call__(self, function: F, **options: bool) -> F:
        """Compile `function` on its first call, releasing the GIL while it runs; `options` are Numba's."""
        compiled: F = numba.njit(nogil=True, error_model="numpy", **options)(function)
        if not numba.config.DISABLE_JIT:
            self._keep(compiled, function)
        return compiled

    def _keep(self, compiled: Any, function: Callable[..., Any]) -> None:
        """Give a compiled function our cache, and let it hold its lock as long as it compiles."""
        compiled._cache = cache = self._cache_of(function)
        compile_signature = compiled.compile

        def compile_locked(signature: Any) -> Any:
            with _interrupts.put_off(), cache.lock.released_at_the_end():
                return compile_signature(signature)

        compiled.compile = compile_locked

    def _cache_of(self, function: Callable[..., Any]) -> _NoCache | _Cache:
        if self.folder is None:
            return _NoCache(self)
        # Numba's locator reads the folder from this setting alone.
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)
        try:
            return _Cache(function, self)
        except (OSError, RuntimeError):  # the folder is gone, or cannot be written to
            return _NoCache(self)
        finally:
            numba.config.CACHE_DIR = before

    def report_work(self) -> None:
        """Say what is going to be compiled and how long it takes, once in a process."""
        again = "" if self.folder is not None else " in every process, as no folder can keep it"
        self.report(f"compiling {self.what}, about {self.seconds} seconds of one core, once for this version{again}")

    def report(self, message: str) -> None:
        """Write a line to stderr, each once in a process."""
        if message in self._reported or os.environ.get(QUIET, "0") not in ("", "0"):
            return
        self._reported.add(message)
        with suppress(OSError, ValueError, AttributeError):  # a stderr that is full, closed or not there
            sys.stderr.write(f"speicher_env: {message} ({QUIET}=1 hides this line)\n")
            sys.stderr.flush()


class _Interrupts:
    """Ctrl-C while code is compiled, put off until the function is done; a second one is at once.

    LLVM calls back into Python, where the exception would be lost and the compiled code with it. So not even a second
    Ctrl-C is delivered there.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._pressed = 0
        self._at_once = False
        self._handler: Callable[[int, FrameType | None], Any] | None = None

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """A block at whose end Ctrl-C is delivered; blocks may be nested."""
        if threading.current_thread() is not threading.main_thread():  # where no signal arrives
            yield
            return
        if self._depth == 0:
            handler = signal.getsignal(signal.SIGINT)
            if not callable(handler):  # ignored, or it ends the process
                yield
                return
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                signal.signal(signal.SIGINT, self._handler)
            if self._pressed:
                self._deliver(None)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A block within `put_off` that Ctrl-C ends."""
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._pressed += 1
        if self._at_once or (self._pressed > 1 and not _called_by_llvm(frame)):
            self._deliver(frame)

    def _deliver(self, frame: FrameType | None) -> None:
        self._pressed = 0
        if self._handler is not None:
            self._handler(signal.SIGINT, frame)


def _called_by_llvm(frame: FrameType | None) -> bool:
    """Whether a frame is of a function that LLVM has called, or is called by one."""
    while frame is not None:
        if frame.f_code in _CALLBACKS:
            return True
        frame = frame.f_back
    return False


_CALLBACKS = tuple(
    function.__code__
    for name, function in vars(ExecutionEngine).items()
    if name.startswith("_raw_object_cache") and isinstance(function, FunctionType)
)
"""The code of the functions that LLVM calls."""
_interrupts = _Interrupts()


class _Lock:
    """A lock between processes on one function; the system releases it when its holder ends, however it ends.

    A process that compiles a function holds its lock and, one after the other, those of the functions that it calls.
    These never call back, as compiled code that calls itself cannot be kept, so no two processes wait for each other.
    Threads of one process share its locks: Numba lets one of them compile at a time.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._depth = 0
        self._guard = threading.Lock()

    @contextmanager
    def released_at_the_end(self) -> Iterator[None]:
        """A block in which the lock may be acquired; it is released when the outermost of such blocks ends."""
        with self._guard:
            self._depth += 1
        try:
            yield
        finally:
            with self._guard:
                self._depth -= 1
                if self._depth == 0 and self._file is not None:
                    self._file.close()
                    self._file = None

    def acquire(self, waiting: Callable[[], None]) -> bool:
        """Acquire the lock; False if this process has it already.

        Where nothing can be locked, False as well: then processes may do the same work twice, which harms nobody.

        Args:
            waiting: Called once if another process has the lock.
        """
        if self._path is None or self._file is not None:
            return False
        file = None
        try:
            self._path.parent.mkdir(exist_ok=True)
            file = open(self._path, "ab")  # noqa: SIM115  # closing it releases the lock
            if not try_to_lock(file):
                waiting()
                with _interrupts.at_once():
                    _wait_for_lock(file)
        except OSError:
            if file is not None:
                file.close()
            return False
        except BaseException:  # Ctrl-C while waiting
            if file is not None:
                file.close()
            raise
        self._file = file
        return True


if fcntl is not None:

    def try_to_lock(file: IO[Any]) -> bool:
        """Lock an open file until it is closed; False if another process has locked it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait_for_lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

else:
    import msvcrt

    def try_to_lock(file: IO[Any]) -> bool:
        """Lock an open file until it is closed; False if another process has locked it."""
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _wait_for_lock(file: IO[bytes]) -> None:
        while True:  # LK_LOCK gives up after ten seconds
            file.seek(0)
            with suppress(OSError):
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                return


# Numba's cache, made safe. `load_overload` and `save_overload` are called while Numba holds its own lock on compiling.


class _NoCache(NullCache):  # type: ignore[misc]
    """No cache, which says so."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self.lock = _Lock(None)

    def load_overload(self, sig: Any, target_context: Any) -> None:
        self._compiler.report_work()


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """The folder of our choice, even if it can only be read, and in it a folder for each module.

    Numba's own locator also hashes where the source is; the fingerprint says what it holds, so copies share their code.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = os.path.join(numba.config.CACHE_DIR, function.__module__)

    def ensure_cache_path(self) -> None:
        os.makedirs(self.get_cache_path(), exist_ok=True)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function's cache, each behind a digest of its content: damaged machine code would crash."""

    def _load_index(self) -> dict[Any, str]:
        content = self._read(self._index_path)
        if content is None:
            return {}
        version, stamp, overloads = pickle.loads(content)
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        content = self._read(self._data_path(name))
        if content is None:
            raise FileNotFoundError(name)  # which Numba takes for an entry that is not there
        return pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(path) as file:
            file.write(_digest(content) + content)

    @staticmethod
    def _read(path: str) -> bytes | None:
        """The content of a file; None, and the file deleted, if it is not what was written."""
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            return None
        if content[:DIGEST_BYTES] == _digest(content[DIGEST_BYTES:]):
            return content[DIGEST_BYTES:]
        with suppress(OSError):
            os.unlink(path)
        return None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


class _Cache(FunctionCache):  # type: ignore[misc]
    """A function's cache on disk: locked while it is filled, and done without where it fails."""

    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any], compiler: Compiler) -> None:
        super().__init__(function)
        self._compiler = compiler
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)
        self.lock = _Lock(Path(self._cache_path, f"{self._impl.filename_base}.lock"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature, from disk or from the process that is compiling it; None to compile it."""
        code = self._load(sig, target_context)
        if code is None and self.lock.acquire(self._report_waiting):
            code = self._load(sig, target_context)  # another process may have compiled it in the meantime
        if code is None:
            self._compiler.report_work()
        return code

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever is wrong with it, it can be compiled again
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; without a place for it, each process compiles for itself."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._compiler.report(
                f"compiled code cannot be kept in {self._compiler.folder} ({reason}): every process compiles it again"
            )

    def _report_waiting(self) -> None:
        self._compiler.report(f"waiting for another process that is compiling {self._compiler.what}")


COMPILED = tuple(PACKAGE / part for part in ("_jit.py", "_machine.py", "rules", "observation", "rewards.py", "batch"))
"""Where this package's compiled code lives; it takes no constant from anywhere else."""

jit = Compiler(*COMPILED)


def jit_parallel(function: F) -> F:
    """`jit` for functions that spread their work over cores with `numba.prange`."""
    return jit(function, parallel=True)


def jit_inlined(function: F) -> F:
    """`jit` for functions that are compiled into each of their callers.

    For those that take many arrays: handing them over costs seven words for each, more than a rule.
    """
    return jit(function, forceinline=True)


def compile_all(num_players: Sequence[int] = (2, 3, 4, 5)) -> None:
    """Compile what games, environments and batches need, so that later processes find it in the cache.

    Args:
        num_players: The player counts of the games that are played for it. The compiled code is the same for all.
    """
    from speicher_env import Game, speicherstadt_v0  # they are written in terms of what is compiled here
    from speicher_env.batch import Batch

    for players in num_players:
        game = Game.deal(players, supply=Game.first_supply(players).sample(1))
        game.play(game.legal_ids()[0])
        game.redealt(1).copy().start().points()
        Game.from_state(game.state).ranks()
        Game(players, "sampled", seed=1)
        env = speicherstadt_v0.env(num_players=players)
        env.reset(seed=1)
        env.step(int(np.argmax(env.last()[4]["action_mask"])))
        env.state()
        for threads in (1, os.cpu_count() or 1):
            batch = Batch(2, players, seat=0, threads=threads)
            batch.reset(seeds=np.arange(2))
            batch.step(np.argmax(batch.action_masks, axis=1))
            batch.set_states(batch.arrays.states.copy())
