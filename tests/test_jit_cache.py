"""Compiled code kept on disk is never stale, is compiled by one process for all, and may be lost."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from numba.core.registry import cpu_target
from numba.extending import overload

import speicher_env
from speicher_env import _jit

PACKAGE = Path(speicher_env.__file__).parent

# Each rule is in another module than what is edited: a constant that it reads, a function that it calls.
PROGRAM = """
from speicher_env.rules.loading import capacity
from speicher_env.rules.setup import sample_deck
from speicher_env.rules.state import blank_states
import speicher_env

states = blank_states(1)
states["owner"] = 0
states["fire_value"] = 1
print(speicher_env.__path__[0])
print(capacity(states[0], 0))
sample_deck(states[0])
print(states["fireman_value"][0].tolist())
print(sum(sum(function.stats.cache_misses.values()) for function in (capacity, sample_deck)))
"""
FUNCTIONS = 2

NO_ROOM = """
import errno, os
def replace(source, target):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
os.replace = replace
"""
READ_ONLY = """
import builtins, errno, os, tempfile
def refuse(*arguments, **options):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
tempfile.TemporaryFile = os.replace = os.unlink = os.mkdir = refuse
open_file = builtins.open
builtins.open = lambda path, mode="r", *rest, **options: (
    refuse() if set(mode) & set("wxa+") else open_file(path, mode, *rest, **options)
)
"""


class Outcome(NamedTuple):
    """What a process found."""

    capacity: int
    firemen: str
    compiled: int
    """Functions that it had to compile itself."""
    messages: str


class Copy:
    """A copy of the package to edit, with a cache folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.cache = folder / "cache"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, self.source / "speicher_env", ignore=ignore)

    def edit(self, module: str, before: str, after: str) -> None:
        path = self.source / "speicher_env" / module
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1
        path.write_text(text.replace(before, after), encoding="utf-8")

    def start(self, program: str = PROGRAM, **variables: str) -> subprocess.Popen[str]:
        """A fresh process that runs a program."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NUMBA_", "COV_", "PYTHON", "SPEICHER_"))
        }
        environment |= {"PYTHONPATH": str(self.source), "NUMBA_CACHE_DIR": str(self.cache), **variables}
        return subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=self.source,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def outcome(self, process: subprocess.Popen[str]) -> Outcome:
        """What a process that runs PROGRAM gives."""
        output, messages = process.communicate(timeout=300)
        assert process.returncode == 0, messages
        where, capacity, firemen, compiled = output.splitlines()
        assert Path(where) == self.source / "speicher_env"
        return Outcome(int(capacity), firemen, int(compiled), messages)

    def run(self, before: str = "", **variables: str) -> Outcome:
        """What the two rules give in a fresh process."""
        return self.outcome(self.start(before + PROGRAM, **variables))

    def compiled(self) -> set[Path]:
        """The files of compiled code in the cache."""
        return set(self.cache.rglob("*.nbc"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("jit_cache"))


def test_compiled_code_is_kept_and_an_edit_elsewhere_compiles_it_again(copy: Copy, tmp_path: Path) -> None:
    first = copy.run()
    assert (first.capacity, first.compiled) == (5, FUNCTIONS)
    kept = copy.compiled()
    assert kept, "nothing was cached, so nothing could be stale"

    # Unchanged sources: the same results from the same files.
    assert copy.run()[:3] == (5, first.firemen, 0)
    assert copy.compiled() == kept

    # The same sources in another folder.
    elsewhere = Copy(tmp_path)
    elsewhere.cache = copy.cache
    assert elsewhere.run()[:3] == (5, first.firemen, 0)

    copy.edit("rules/state.py", "\nWAREHOUSE_SPACE = 4\n", "\nWAREHOUSE_SPACE = 6\n")
    assert copy.run()[:2] == (7, first.firemen)
    assert copy.compiled() > kept

    copy.edit("rules/stream.py", "\nWARM_UP = 12\n", "\nWARM_UP = 13\n")
    later = copy.run()
    assert later.capacity == 7
    assert later.firemen != first.firemen

    # Back to the first sources: their code is still there, and right.
    copy.edit("rules/state.py", "\nWAREHOUSE_SPACE = 6\n", "\nWAREHOUSE_SPACE = 4\n")
    copy.edit("rules/stream.py", "\nWARM_UP = 13\n", "\nWARM_UP = 12\n")
    now = copy.compiled()
    assert copy.run()[:3] == (5, first.firemen, 0)
    assert copy.compiled() == now


def test_work_is_announced_in_one_line_and_only_when_there_is_any(copy: Copy) -> None:
    shutil.rmtree(copy.cache, ignore_errors=True)
    quiet = copy.run(SPEICHER_QUIET="1")
    assert (quiet.compiled, quiet.messages) == (FUNCTIONS, "")
    shutil.rmtree(copy.cache)
    loud = copy.run()
    assert loud.compiled == FUNCTIONS
    assert re.fullmatch(r"speicher_env: compiling the rules of the game, about \d+ seconds .*\n", loud.messages)
    assert copy.run().messages == ""


def test_processes_that_need_the_same_code_wait_for_one_of_them(copy: Copy) -> None:
    shutil.rmtree(copy.cache, ignore_errors=True)
    outcomes = [copy.outcome(process) for process in [copy.start() for _ in range(3)]]
    assert sum(outcome.compiled for outcome in outcomes) == FUNCTIONS
    assert len({outcome[:2] for outcome in outcomes}) == 1


HOLDER = """
from speicher_env.rules.loading import capacity
lock = capacity._cache.lock
with lock.released_at_the_end():
    assert lock.acquire(lambda: None)
    print("held", flush=True)
    input()
"""
OTHER_FUNCTION = """
from speicher_env.rules.setup import sample_deck
from speicher_env.rules.state import blank_states
sample_deck(blank_states(1)[0])
"""


def test_a_process_holds_up_only_those_that_need_its_function_and_nobody_once_it_dies(copy: Copy) -> None:
    shutil.rmtree(copy.cache, ignore_errors=True)
    holder = copy.start(HOLDER)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    waiting = copy.start()
    assert waiting.stderr is not None
    assert "waiting for another process that is compiling the rules" in waiting.stderr.readline()
    other = copy.start(OTHER_FUNCTION)  # which nobody compiles
    assert "waiting" not in other.communicate(timeout=300)[1] and waiting.poll() is None
    holder.kill()
    holder.communicate()
    assert copy.outcome(waiting).compiled == FUNCTIONS - 1


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def one_bit_off(content: bytes) -> bytes:
    place = len(content) * 2 // 3
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


@pytest.mark.parametrize(("ending", "damage"), [(".nbc", one_bit_off), (".nbi", truncated)])
def test_a_damaged_entry_is_dropped_and_made_again(copy: Copy, ending: str, damage: Callable[[bytes], bytes]) -> None:
    sound = copy.run()
    for path in copy.cache.rglob(f"*{ending}"):
        path.write_bytes(damage(path.read_bytes()))
    mended = copy.run()
    assert mended[:3] == (sound.capacity, sound.firemen, FUNCTIONS)
    assert copy.run()[:3] == (sound.capacity, sound.firemen, 0)


def test_where_nothing_can_be_kept_each_process_compiles_for_itself(copy: Copy) -> None:
    sound = copy.run()
    shutil.rmtree(copy.cache)
    full = copy.run(before=NO_ROOM)
    assert full[:3] == (sound.capacity, sound.firemen, FUNCTIONS)
    assert "(No space left on device): every process compiles it again" in full.messages
    assert not copy.compiled()
    shutil.rmtree(copy.cache)
    read_only = copy.run(before=READ_ONLY)
    assert read_only[:3] == (sound.capacity, sound.firemen, FUNCTIONS)
    assert "in every process, as no folder can keep it" in read_only.messages
    assert not copy.cache.exists()


def test_a_folder_that_can_only_be_read_serves_what_is_in_it(copy: Copy) -> None:
    sound = copy.run()
    assert copy.run(before=READ_ONLY)[:3] == (sound.capacity, sound.firemen, 0)


def test_new_code_evicts_old_code_of_the_same_kind_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "source.py"

    def folder(what: str, version: int) -> Path:
        source.write_text(f"VERSION = {version}\n")
        made = _jit.cache_folder(what, [source])
        assert made is not None
        os.utime(made, (version, version))
        return made

    rules = folder("the rules", 0)
    players = [folder("the players", version) for version in range(1, 8)]
    assert rules.is_dir()
    assert [each.is_dir() for each in players] == [False] * 2 + [True] * (_jit.KEPT_GENERATIONS + 1)


def test_checked_indices_are_compiled_apart(copy: Copy) -> None:
    """Code compiled with and without NUMBA_BOUNDSCHECK never stands in for the other."""
    program = "from speicher_env._jit import jit; print(jit.folder)"
    folders = set()
    for checked in ("0", "1"):
        environment = os.environ | {
            "PYTHONPATH": str(copy.source),
            "NUMBA_CACHE_DIR": str(copy.cache),
            "NUMBA_BOUNDSCHECK": checked,
            "NUMBA_DISABLE_JIT": "0",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=copy.source,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        folders.add(done.stdout.strip())
    assert len(folders) == 2


# Ctrl-C


@pytest.fixture
def handled() -> Iterator[Callable[[], Any]]:
    """The current handler of Ctrl-C, which is Python's own at first and at the end the one before the test."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0)  # where Python looks for signals


def test_ctrl_c_is_put_off_to_the_end_of_a_function_that_is_compiled(handled: Callable[[], Any]) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), _jit._interrupts.put_off():
        with pytest.raises(KeyboardInterrupt), _jit._interrupts.put_off():
            press()
            done.append("inner")
        done.append("outer")
        press()
        done.append("end")
    assert done == ["inner", "outer", "end"] and handled() is signal.default_int_handler
    with _jit._interrupts.put_off():
        pass


def test_a_second_ctrl_c_and_one_while_waiting_are_at_once(handled: Callable[[], Any]) -> None:
    for block, last in ((contextlib.nullcontext(), 1), (_jit._interrupts.at_once(), 0)):
        presses = []
        with pytest.raises(KeyboardInterrupt), _jit._interrupts.put_off(), block:
            for number in range(3):
                presses.append(number)
                press()
        assert presses[-1] == last and handled() is signal.default_int_handler


def test_ctrl_c_in_the_middle_of_compiling_loses_nothing(
    handled: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiler = _jit.Compiler(Path(__file__), what="a test", seconds=1)
    pressed = []

    def one() -> int:
        raise NotImplementedError

    @overload(one)
    def _one() -> Callable[[], int]:
        pressed.append(True)
        press()
        return lambda: 1

    @compiler
    def two() -> int:
        return one() + 1  # type: ignore[no-any-return]

    with pytest.raises(KeyboardInterrupt):
        two()
    assert pressed == [True] and handled() is signal.default_int_handler
    assert two() == 2 and len(list(tmp_path.rglob("*.nbc"))) == 1 and pressed == [True]


def test_a_second_ctrl_c_while_llvm_calls_back_loses_nothing(
    handled: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    engine = cpu_target.target_context.codegen()._engine._ee
    called_back = engine._object_cache_notify
    pressed = []

    def press_twice(*arguments: Any) -> None:
        pressed.append(True)
        press()
        press()
        called_back(*arguments)

    monkeypatch.setattr(engine, "_object_cache_notify", press_twice)

    @_jit.Compiler(Path(__file__), what="a test", seconds=1)
    def three() -> int:
        return 3

    with pytest.raises(KeyboardInterrupt):
        three()
    assert pressed and handled() is signal.default_int_handler
    assert three() == 3 and len(list(tmp_path.rglob("*.nbc"))) == 1
