"""Whatever is handed to the command: one sentence, exit code 2, nothing lost, and no control character printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.cli import streams
from speicher_apps.cli.errors import run
from speicher_env import Game
from speicher_env.record import LONGEST_LINE
from tests.support.command import speicher
from tests.support.games import random_game

PROGRAM = [sys.executable, "-c", "from speicher_apps.cli import main; main()"]
FINISHED = random_game(2, seed=1).to_record()
EVIL = "\x1b]0;owned\x07\x9b31m\r\u202e"
CONTROL = {letter for letter in EVIL if not letter.isprintable()}


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, timeout=120, check=False, **more)


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert err.startswith("speicher: ") and err.count("\n") == 1 and "Traceback" not in out + err
    assert len(err) < 1200 and err.isascii()
    return err


# Records


def changed(path: tuple[str | int, ...], value: Any) -> Callable[[], bytes]:
    """The finished record with another value at a path."""

    def text() -> bytes:
        record = json.loads(json.dumps({**FINISHED, "think": [None] * len(FINISHED["moves"])}))
        place = record
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return json.dumps(record).encode()

    return text


def thought(**entry: Any) -> Callable[[], bytes]:
    return changed(("think", 0), {"player": "x", **entry})


THOUGHTS: dict[str, Callable[[], bytes]] = {
    "a line of lists": thought(line=[[]]),
    "a line of tables": thought(line=[{}]),
    "a line that is a number": thought(line=7),
    "probabilities of lists": thought(probabilities={"buy": []}),
    "values of lists": thought(values=[[], []]),
    "a player that is a list": thought(player=[]),
    "a thought that is a text": changed(("think", 0), "hm"),
}
RECORDS: dict[str, Callable[[], bytes]] = {
    "half a surrogate pair": changed(("deck",), "\ud800"),
    "half a surrogate pair in a key": changed(("\ud800",), 1),
    "half a surrogate pair in an action": changed(("moves", 0, "action"), "\udfff"),
    "a NUL in an action": changed(("moves", 0, "action"), "\0"),
    "control characters in an action": changed(("moves", 0, "action"), EVIL),
    "control characters as a card": changed(("pile", 0), EVIL),
    "an action that is a list": changed(("moves", 0, "action"), [[]]),
    "moves in a list": changed(("moves", 0), []),
    "a pile of lists": changed(("pile", 0), [[]]),
    "cards that are a list": changed(("cards",), [[]]),
    "a huge number": lambda: changed(("seed",), 0)().replace(b'"seed": 0', b'"seed": ' + b"9" * 5000),
    "a deep nest": lambda: b'{"a": ' + b"[" * 60_000 + b"]" * 60_000 + b"}",
    "an endless line": lambda: b'{"a": "' + b"x" * LONGEST_LINE + b'"}',
    "bytes": lambda: bytes(range(256)),
}


@pytest.mark.parametrize("name", [*RECORDS, *THOUGHTS])
@pytest.mark.parametrize("options", [["--check"], ["--html", "page.html"], []], ids=["check", "page", "show"])
def test_a_wrong_record_is_one_sentence_wherever_it_is_read(
    name: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_bytes({**RECORDS, **THOUGHTS}[name]())
    code = speicher("replay", "game.jsonl", *options)
    out, err = capsys.readouterr()
    assert "Traceback" not in err and not CONTROL & set(out + err)
    if options == ["--check"] and code == 1:
        assert out.startswith("game.jsonl, line 1: ") and err == ""
    elif name in RECORDS or options:
        assert (code, err.count("\n")) == (2, 1) and err.startswith("speicher: game.jsonl, line 1: ")
    else:
        assert (code, err) == (0, ""), "a game is shown without its thoughts"
    assert not Path("page.html").exists()


def test_names_in_a_record_reach_the_terminal_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps({**FINISHED, "deck": f"my{EVIL}deck"}))
    speicher("replay", str(path), "--move", "0")
    speicher("replay", str(path))
    out, err = capsys.readouterr()
    assert not CONTROL & set(out + err)


def test_printable_text_is_left_alone_and_everything_else_is_escaped() -> None:
    plain = "Säcke, 日本, ×, −\nand a second line"
    assert streams.printable(plain) == plain
    for code in [*range(0x3000), *range(0xD800, 0xE000), 0xFEFF, 0xFFF9, 0xE0001]:
        letter = chr(code)
        if not letter.isprintable() and letter != "\n":
            shown = streams.printable(f"a{letter}b")
            assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert streams.printable("\x1b[2J") == "\\x1b[2J" and streams.printable("\u202e") == "\\u202e"


# Arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", "x" * 5000],
        ["replay", "a\0b"],
        ["replay", "\ud800"],
        ["record", "-o", "x" * 5000],
        ["record", "--with", "mcts:" + "9" * 5000],
        ["record", "--with", "\ud800"],
        ["record", "--deck", "x" * 5000],
        ["record", "--deck", EVIL + ".toml"],
        ["record", "--players", "9" * 5000],
        ["record", "--seed", "9" * 5000],
        ["play", "--seat", "9" * 5000],
        ["play", "--continue", "x" * 5000],
        ["play", "--record", "x" * 5000],
        ["play", "--web", "--no-browser", "--host", "x" * 300],
        ["play", "--web", "--no-browser", "--host", "a..b"],
        ["play", "--web", "--no-browser", "--port", "9" * 30],
        ["bench", "--players", "9" * 5000],
        ["bench", "--json", "x" * 5000],
        ["arena", "random", "human"],
        ["arena", "random", "frugal", "--budget", "9" * 5000],
        ["arena"],
        [EVIL],
        ["recipes", "x" * 5000 + ".toml"],
        ["train", "\ud800"],
    ],
    ids=lambda arguments: "-".join(arguments)[:40].encode("unicode_escape").decode(),
)
def test_a_wrong_argument_is_one_sentence(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert speicher(*arguments) == 2
    assert not CONTROL & set(one_sentence(capsys))


# Files that exist


def test_no_command_replaces_a_file_without_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(json.dumps(FINISHED))
    Path("other").write_text("precious")
    for command in (
        ["record", "-o", "other"],
        ["replay", "game.jsonl", "--html", "other"],
        ["bench", "--quick", "--json", "other"],
        ["play", "--record", "other"],
    ):
        assert speicher(*command) == 2
        assert "other: the file exists; --" in one_sentence(capsys)
    assert Path("other").read_text() == "precious"
    assert speicher("replay", "game.jsonl", "--html", "other", "--force") == 0
    assert Path("other").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("link", [False, True])
def test_a_page_never_takes_the_place_of_its_records(
    link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(json.dumps(FINISHED))
    if link:
        os.link("game.jsonl", "page.html")
    target = "page.html" if link else "./game.jsonl"
    assert speicher("replay", "game.jsonl", "--html", target, "--force") == 2
    assert "holds the records; must be another file." in one_sentence(capsys)
    assert json.loads(Path("game.jsonl").read_text()) == FINISHED


def test_what_a_killed_command_left_is_removed_a_day_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = (Path(f".speicher-{number:016x}.part") for number in range(2))
    old.write_text("half a game")
    new.write_text("half a game")
    os.utime(old, (0, 0))
    assert speicher("record", "--seed", "1", "-o", "games.jsonl") == 0
    assert {path.name for path in Path().iterdir()} == {"games.jsonl", new.name}


# Streams


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["players"]])
def test_a_full_device_is_one_sentence(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run([*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == b"speicher: the output cannot be written: the disk is full."
    assert b"Traceback" not in result.stderr and b"Exception ignored" not in result.stderr


def test_closed_streams_are_one_sentence_or_nothing(tmp_path: Path) -> None:
    script = f'"{sys.executable}" -c "from speicher_apps.cli import main; main()"'

    def shell(arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", f"{script} {arguments}"], capture_output=True, timeout=120, check=False, cwd=tmp_path
        )

    closed_out = shell("players >&-")
    assert closed_out.returncode == 2 and closed_out.stderr.startswith(b"speicher: the output cannot be written")
    closed_in = shell("replay - <&-")
    assert (closed_in.returncode, closed_in.stdout) == (2, b"")
    assert closed_in.stderr.startswith(b"speicher: stdin: has no game") and closed_in.stderr.count(b"\n") == 1
    all_closed = shell("record --seed 1 -o games.jsonl <&- >&- 2>&-")
    assert all_closed.returncode == 0 and json.loads((tmp_path / "games.jsonl").read_text())["seed"] == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_unicode_gets_plain_letters(encoding: str, tmp_path: Path) -> None:
    game = Game(2, seed=1)
    record = {**game.to_record(), "deck": "Säcke 日本"}
    (tmp_path / "game.jsonl").write_text(json.dumps(record))
    result = process(
        "replay", "game.jsonl", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    )
    assert (result.returncode, result.stderr) == (0, b"")
    text = result.stdout.decode(encoding)
    assert "cke ?? deck, seed 1" in text and "Round 1 of 16" in text
    lines = text.splitlines()[2 : 2 + len(str(game).splitlines())]
    assert [len(line) for line in lines] == [len(line) for line in str(game).splitlines()], "columns stay in line"


# Ctrl-C


@pytest.mark.parametrize("module", ["numpy", "typer", "speicher_env"])
def test_ctrl_c_during_the_imports_ends_quietly(module: str) -> None:
    """A finder of modules presses Ctrl-C, so no clock is needed."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have it ignored
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from speicher_apps.cli import main\n"
        "main(['players'])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")


def test_ctrl_c_before_the_first_deal_of_an_arena_exits_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from speicher_training.arena import run as arena_run

    begun = arena_run.__dict__["arena"]

    def pressed(*arguments: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return begun(*arguments, **more)

    monkeypatch.setattr("speicher_training.arena.arena", pressed)
    assert speicher("arena", "random", "frugal", "--deals", "50", "--jobs", "1") == 130
    assert "Traceback" not in "".join(capsys.readouterr())


# Bugs


def test_a_bug_is_reported_with_its_traceback_and_a_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(**options: Any) -> None:
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        run(app, [])  # type: ignore[arg-type]
    assert "this is a bug in speicher-env: please report it" in capsys.readouterr().err
