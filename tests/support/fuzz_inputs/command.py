"""The form of the command line: damaged arguments, files and standard input of `speicher`.

Most cases call the command in the worker, some as a process of its own with odd streams. A command that works for long
is stopped by Ctrl-C after a while, and must then end with code 130.
"""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from speicher_apps.cli import streams
from speicher_env.messages import printable
from speicher_env.record import line_of
from tests.support.fuzz_inputs.folders import SMALLEST
from tests.support.fuzz_inputs.forms import ACCEPTED, REFUSED, Form, Parts, Unclear, check_sentence, expect
from tests.support.fuzz_inputs.mutations import NUMBERS, TEXTS, damaged, damaged_json, steps
from tests.support.games import random_game

OK, FAULTS_FOUND, WRONG_INPUT, INTERRUPTED, READER_GONE = 0, 1, 2, 130, 141
PATIENCE = 1.5
"""Seconds of processor time until Ctrl-C."""
AS_PROCESS = 60
"""One case in this many runs in a process of its own."""
PROGRAM = [sys.executable, "-c", "from speicher_apps.cli import main; main()"]
PROCESS_SECONDS = 120

TEMPLATES: tuple[tuple[str, int], ...] = (
    ("record --games 2 --seed 7 -o new.jsonl", 8),
    ("record --players 3 --deck sampled --legal --seed 1", 4),
    ("record --with merchant,random --think --seed 3 -o -", 4),
    ("record --with mcts:5,merchant --seed 3 --force -o game.jsonl", 2),
    ("record --deck deck.toml --seed 3", 3),
    ("replay game.jsonl --check", 8),
    ("replay game.jsonl --check --json --game 1", 4),
    ("replay game.jsonl --move 5", 4),
    ("replay game.jsonl", 2),
    ("replay damaged.jsonl", 4),
    ("replay game.jsonl --html new.html --game 1 --force", 3),
    ("replay - --check", 3),
    ("play --players 2 --seed 3 --record new.jsonl", 5),
    ("play --against merchant,frugal --seat 1 --seed 3 --hints frugal --record new.jsonl", 3),
    ("play --continue part.jsonl", 4),
    ("play --continue damaged.jsonl --against random", 4),
    ("play --seat none --players 2 --against random --seed 1 --record new.jsonl", 2),
    ("players --json", 2),
    ("recipes --json", 2),
    ("recipes mine.toml", 4),
    ("compile --players 2 --agents random", 1),
    ("bench --quick --players 2 --seconds 0.01 --rounds 1 --json new.json", 1),
    ("arena random frugal --deals 2 --jobs 1 --seed 1 --no-plots -o run", 3),
    ("arena random merchant --budget 8 --jobs 1 --json --lanes 8 --no-mirrors", 2),
    ("arena random --panel 2p --jobs 1 --timeout 5", 1),
    ("arena random frugal --until-decided --alpha 0.1 --indifference 0.2 --deals 4 --jobs 1 --records kept", 2),
    ("train smallest.toml --steps 32 --seed 1 --no-plots -o run --anchors random", 1),
    ("play --web --no-browser --port 0 --against merchant", 1),
    ("--version", 1),
    ("--help", 1),
    ("record --help", 1),
)
_DRAWN = [template for template, weight in TEMPLATES for _ in range(weight)]
_OPTIONS = sorted({word for template, _ in TEMPLATES for word in template.split() if word.startswith("-")})
_WORDS = sorted({word for template, _ in TEMPLATES for word in template.split() if not word.startswith("-")})
_PLACES = (".", "..", "folder", "folder/x", "none/x", "/dev/null", "/dev/full", "game.jsonl", "mine.toml", "deck.toml")
_ANSWERS = (
    "",
    "q\n",
    "?\nm\nl\nhint\nw pass\nu\nq\n",
    "1\n1\n1\nq\n",
    "place 0\n" * 30,
    "hint mcts:9\nhint own:Mine\nq\n",
    "\0\n",
)


def _files() -> dict[str, bytes]:
    """The files that a case finds in its folder, besides a damaged one."""
    import speicher_env.deck as package

    standard = (Path(package.__file__).parent / "standard.toml").read_bytes()
    game, part = random_game(2, seed=1).to_record(), random_game(2, seed=1, decisions=20).to_record()
    return {
        "game.jsonl": line_of(game).encode() * 2,
        "part.jsonl": line_of(part | {"seats": ["human", "merchant"]}).encode(),
        "deck.toml": b'name = "mine"\n' + standard,
        "mine.toml": b"[ppo]\ngames = 4\n",
        "smallest.toml": _smallest(),
    }


def _smallest() -> bytes:
    from speicher_training.train.recipe import recipe_from

    return recipe_from(SMALLEST, "smallest").text().encode()


def _damaged_arguments(rng: random.Random, files: dict[str, bytes]) -> Parts:
    words = rng.choice(_DRAWN).split()
    for _ in range(steps(rng) if rng.random() < 0.9 else 0):
        _change(words, rng)
    record = random_game(2, seed=1, decisions=rng.choice((0, 20, None))).to_record() | {"seats": ["human", "merchant"]}
    return {
        "arguments": [_safe(word) for word in words],
        "damaged.jsonl": damaged_json(record, rng),
        "stdin": damaged(rng.choice((*_ANSWERS, line_of(record))).encode(), rng)
        if rng.random() < 0.3
        else rng.choice(_ANSWERS).encode(),
        "process": rng.choice(("usual", "full", "closed", "ascii")) if rng.randrange(AS_PROCESS) == 0 else None,
    }


def _change(words: list[str], rng: random.Random) -> None:
    place = rng.randrange(len(words) + 1)
    kind = rng.randrange(8)
    if kind == 0 and len(words) > 1:
        del words[place - 1]
    elif kind == 1:
        words.insert(place, rng.choice(_OPTIONS))
    elif kind == 2:
        words.insert(place, rng.choice((*_WORDS, *_PLACES)))
    elif kind == 3 and words:
        words[place - 1] = rng.choice(NUMBERS)
    elif kind == 4 and words:
        words[place - 1] = rng.choice(TEXTS)
    elif kind == 5 and words:
        words[place - 1] = rng.choice((*_PLACES, "x" * 300, "x" * 5000))
    elif kind == 6 and words:
        word = words[place - 1].encode("utf-8", "surrogatepass")
        words[place - 1] = damaged(word, rng).decode("utf-8", "surrogateescape")
    elif words:
        words[place - 1] = rng.choice((*_OPTIONS, *_WORDS))


def _safe(word: str) -> str:
    """A word that reaches no file of others, starts no demo and serves no other machine."""
    word = re.sub(r"^demo$", "recipes", word)
    if word in _PLACES:
        return word
    word = re.sub(r"(^|=)[/~]+", r"\1x/", word).replace("..", "._")
    return word if word in ("127.0.0.1", "localhost") else re.sub(r"^0\.0\.0\.0$|^::$", "127.0.0.1", word)


def _read_arguments(parts: Parts, files: dict[str, bytes], place: Path) -> str:
    for name, content in {**files, "damaged.jsonl": parts["damaged.jsonl"]}.items():
        Path(name).write_bytes(content)
    Path("folder").mkdir()
    arguments = parts["arguments"]
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        os.environ[name] = str(place / "state")
    if parts["process"]:
        code, out, err = _in_a_process(arguments, parts["stdin"], parts["process"])
    else:
        code, out, err = _here(arguments, parts["stdin"])
    for name in ("part.jsonl", "damaged.jsonl", "deck.toml", "mine.toml"):
        kept = Path(name).is_file() and Path(name).read_bytes() == {**files, **parts}.get(name)
        expect(kept or "--force" in arguments or name == "part.jsonl" or name in arguments, f"{name} was replaced")
    return _judged(code, out, err)


def _judged(code: int, out: str, err: str) -> str:
    """The outcome by the exit code and what was printed."""
    if "Traceback" in err or "bug in speicher-env" in err:
        raise Unclear(f"exit code {code}, and a traceback:\n{err}")
    for text in (out, err):
        plain = text.replace("\r", "").replace("\t", "")
        if printable(plain) != plain:
            raise Unclear(f"a control character was printed: {text[-2000:]!r}")
    if code not in (OK, FAULTS_FOUND, WRONG_INPUT, INTERRUPTED, READER_GONE):
        raise Unclear(f"exit code {code}: {err[-2000:]}")
    if code == WRONG_INPUT:
        last = err.rstrip("\n").rpartition("\n")[2]
        if not last.startswith("speicher: "):
            raise Unclear(f"exit code 2 without a sentence: {err[-2000:]!r}")
        check_sentence(last)
        return REFUSED
    return ACCEPTED


# In this process


def _here(arguments: list[str], stdin: bytes) -> tuple[int, str, str]:
    """Call the command in this process; its exit code and what it printed."""
    from speicher_apps.cli.app import app
    from speicher_apps.cli.errors import run

    streams_before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8", errors="surrogateescape")
    wrapped = [io.TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in (out, err)]
    sys.stdout, sys.stderr = wrapped
    code: int | None = None
    try:
        with _ctrl_c_after_a_while(served="--web" in arguments) as armed, warnings.catch_warnings():
            try:
                streams.prepare_streams()
                try:
                    code = run(app, arguments)
                except SystemExit as error:
                    code = error.code if isinstance(error.code, int) else 0
                armed.clear()
            except KeyboardInterrupt:
                code = INTERRUPTED if code is None else code
        with suppress(ValueError):
            sys.stdout.flush()
        texts = [stream.getvalue().decode("utf-8", "replace") for stream in (out, err) if not stream.closed]
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams_before
    expect(len(texts) == len(wrapped), "the command has closed a stream")
    return code, texts[0], texts[1]


@contextmanager
def _ctrl_c_after_a_while(*, served: bool) -> Iterator[threading.Event]:
    """Press Ctrl-C after some processor time, and again until the event is cleared or the block ends."""
    armed, over = threading.Event(), threading.Event()
    armed.set()

    def interrupt(*_: object) -> None:
        if armed.is_set():
            raise KeyboardInterrupt

    def press() -> None:
        begin, worked = time.monotonic(), time.process_time()
        while not over.wait(0.05):
            waited = time.monotonic() - begin
            if time.process_time() - worked > PATIENCE or waited > (PATIENCE if served else 20 * PATIENCE):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                over.wait(PATIENCE)

    before = signal.signal(signal.SIGINT, interrupt)
    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    try:
        yield armed
    finally:
        armed.clear()
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


# As a process of its own


def _in_a_process(arguments: list[str], stdin: bytes, how: str) -> tuple[int, str, str]:
    """Run the command as a process, with odd streams; its exit code and what it printed."""
    encoded = [argument.encode("utf-8", "surrogateescape") for argument in map(_encodable, arguments)]
    environment = dict(os.environ)
    if how == "ascii":
        environment |= {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    full = open("/dev/full", "wb") if how == "full" and os.path.exists("/dev/full") else None  # noqa: SIM115
    command = (
        [*PROGRAM, *encoded]
        if how != "closed"
        else [shutil.which("sh") or "sh", "-c", '"$@" <&-', "sh", *PROGRAM, *encoded]
    )
    process = subprocess.Popen(
        [word.replace(b"\0", b"") if isinstance(word, bytes) else word for word in command],
        stdin=subprocess.PIPE, stdout=full or subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        start_new_session=True,
    )  # fmt: skip
    try:
        try:
            out, err = process.communicate(stdin, timeout=PROCESS_SECONDS / 4)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PROCESS_SECONDS)
    finally:
        if full is not None:
            full.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, (out or b"").decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _encodable(argument: str) -> str:
    return argument.encode("utf-8", "replace").decode()


def _prepared(own: Path, shared: Path) -> Any:
    import webbrowser

    webbrowser.open = lambda *arguments, **options: True  # type: ignore[assignment]
    return _files()


ARGUMENTS = Form("arguments", _prepared, _damaged_arguments, _read_arguments, seconds=60.0)
