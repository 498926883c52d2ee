"""Files are written whole or not at all, folders are locked, and lines are checked before they are used."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from speicher_training import files
from speicher_training.files import FileError, JsonLines


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


# Writing


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, full_disk: None) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(FileError, match=r"file: cannot be written: the disk is full\."):
        files.write_file(path, "after")
    with pytest.raises(FileError, match="the disk is full"), files.new_text_file(path) as stream:
        stream.write("after")
    assert path.read_text() == "before" and names(tmp_path) == {"file"}


def test_files_that_belong_together_are_replaced_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")
    with pytest.raises(FileError, match="cannot be written: the name is too long"):
        files.write_files({tmp_path / "a": "after", tmp_path / ("b" * 300): "after"})
    assert (tmp_path / "a").read_text() == "before" and names(tmp_path) == {"a"}


def test_files_that_belong_together_are_kept_together_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights without their card are no baseline: without room for the second file the first stays as it was."""
    weights, card = tmp_path / "weights", tmp_path / "card"
    files.write_files({weights: b"old", card: b"old"})
    room = [None]

    def fail(number: int) -> None:
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        room.pop()

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="card: cannot be written: the disk is full"):
        files.write_files({weights: b"new", card: b"new"})
    assert (weights.read_bytes(), card.read_bytes()) == (b"old", b"old")
    assert names(tmp_path) == {"weights", "card"}


WRITER = """
import sys
from pathlib import Path
from speicher_training.files import write_file
for number in range(10**9):
    write_file(Path(sys.argv[1]), bytes([number % 251]) * 400_000)
"""


def test_a_process_killed_while_it_writes_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    draw = random.Random(1)
    for _ in range(4):
        path.unlink(missing_ok=True)  # or the wait below would be over before the process has begun to write
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)])
        limit = time.monotonic() + 300
        while not path.exists():
            assert process.poll() is None and time.monotonic() < limit
            time.sleep(0.01)
        time.sleep(draw.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        content = path.read_bytes()
        assert len(content) == 400_000 and len(set(content)) == 1


def test_a_new_file_vanishes_if_its_block_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError), files.new_text_file(tmp_path / "file") as stream:
        stream.write("half")
        raise KeyError
    assert names(tmp_path) == set()


def test_a_new_file_follows_links_and_keeps_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    with files.new_text_file(link) as stream:
        stream.write("after")
    assert link.is_symlink() and target.read_text() == "after" and target.stat().st_mode & 0o777 == 0o640
    with files.new_text_file(tmp_path / "secret", private=True) as stream:
        stream.write("x")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_the_longest_name_that_the_system_allows_can_be_written(tmp_path: Path) -> None:
    files.write_file(tmp_path / ("n" * 255), "x")
    assert names(tmp_path) == {"n" * 255}


def test_the_leavings_of_killed_writes_are_removed_and_no_file_of_others(tmp_path: Path) -> None:
    part = ".speicher-0123456789abcdef.part"
    others = {"part", ".download.part", ".speicher-0123.part", f"x{part}", f"{part}x"}
    for name in (part, *others):
        (tmp_path / name).write_text("half")
    files.remove_parts(tmp_path, older_than=3600)
    assert names(tmp_path) == {part, *others}
    files.remove_parts(tmp_path)
    assert names(tmp_path) == others


def test_a_write_that_is_killed_leaves_what_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_remove", lambda parts: None)
    with pytest.raises(KeyError), files.new_text_file(tmp_path / "file"):
        raise KeyError
    assert len(names(tmp_path)) == 1
    files.remove_parts(tmp_path)
    assert names(tmp_path) == set()


def test_a_folder_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder, why in (("file", "it is a file"), ("file/x", "a part of the path is a file"), ("a\0b", "embedded")):
        with pytest.raises(FileError, match=f"cannot be used as a folder: {why}"):
            files.make_folder(tmp_path / folder)
    with pytest.raises(FileError, match=r"the disk has \d+ MB free; must have"):
        files.make_folder(tmp_path / "new", room=1 << 60)


WRITE_ALONE = """
import sys
from pathlib import Path
from speicher_training.files import new_text_file
with new_text_file(Path(sys.argv[1]), alone=True) as stream:
    stream.write("half a game of the first")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_a_file_is_written_by_one_process_until_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_ALONE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout and first.stdout.readline() == "writing\n"
        with (
            pytest.raises(FileError, match=r"file: another process is writing this file; wait for it or choose"),
            files.new_text_file(path, alone=True),
        ):
            pass
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert len(names(tmp_path)) == 1
    with pytest.raises(KeyError), files.new_text_file(path, alone=True):
        raise KeyError
    assert names(tmp_path) == set()
    for text in ("second", "third"):
        with files.new_text_file(path, alone=True) as stream:
            stream.write(text)
        assert path.read_text() == text and names(tmp_path) == {"file"}


# Locks

HOLD = """
import sys
from pathlib import Path
from speicher_training.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_held_by_one_process_until_it_dies(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(FileError, match="another process is using this folder"), files.locked(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    second = pytest.raises(FileError, match="another process is using this folder")
    with files.locked(tmp_path), second, files.locked(tmp_path):
        pass
    with files.locked(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot be locked: "), files.locked(tmp_path / "file"):
        pass


# Digests


def test_a_manifest_finds_what_changed_or_is_missing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    digests = files.manifest(tmp_path, ["a", "b"])
    files.check_manifest(tmp_path, digests)
    (tmp_path / "a").write_text("c")
    with pytest.raises(FileError, match="a: the file is damaged or was edited"):
        files.check_manifest(tmp_path, digests)
    (tmp_path / "a").unlink()
    with pytest.raises(FileError, match="a: cannot be read: there is no such file"):
        files.check_manifest(tmp_path, digests)


# Lines


def values(count: int) -> list[dict[str, Any]]:
    return [{"number": number, "text": "ä\n"} for number in range(count)]


def written(path: Path, count: int) -> bytes:
    lines = JsonLines(path, "start")
    for value in values(count):
        lines.append(value)
    return path.read_bytes()


def test_lines_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    written(path, 3)
    assert JsonLines(path, "start").read(10_000) == values(3)
    before = path.read_bytes()
    JsonLines(path, "start").rewrite(values(3))
    assert path.read_bytes() == before
    JsonLines(path, "start").rewrite(values(2))
    lines = JsonLines(path, "start")
    lines.read(10_000)
    lines.append(values(3)[2])
    assert path.read_bytes() == before


def test_every_changed_byte_is_found_or_cuts_the_last_line_short(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    content = written(path, 3)
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            found = JsonLines(path, "start").read(10_000)
        except FileError as error:
            assert "the line is damaged or was edited" in str(error)
        else:
            assert place == len(content) - 1 and found == values(2), place
    for changed in (content[last:], content[:last] + content[last:] * 2, content.replace(b"\n", b"\n\n", 1)):
        path.write_bytes(changed)
        with pytest.raises(FileError, match="the line is damaged or was edited"):
            JsonLines(path, "start").read(10_000)
    path.write_bytes(content)
    with pytest.raises(FileError, match="line 1: the line is damaged"):
        JsonLines(path, "another start").read(10_000)
    with pytest.raises(FileError, match="is larger than 100 bytes"):
        JsonLines(path, "start").read(100)


def test_a_last_line_that_was_cut_short_is_left_out_and_repaired(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    content = written(path, 3)
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for size in range(last, len(content)):
        path.write_bytes(content[:size])
        lines = JsonLines(path, "start")
        assert lines.read(10_000) == values(2)
        assert path.read_bytes() == content[:size], "reading changed the file"
        lines.append(values(3)[2])
        assert path.read_bytes() == content


def test_a_line_that_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, full_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as repaired:
        repaired.setattr(os, "fsync", lambda number: None)
        content = written(tmp_path / "lines", 2)
    lines = JsonLines(tmp_path / "lines", "start")
    lines.read(10_000)
    with pytest.raises(FileError, match="lines: cannot be written: the disk is full"):
        lines.append(values(3)[2])
    assert (tmp_path / "lines").read_bytes() == content
