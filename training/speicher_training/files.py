"""Files and folders that survive crashes: written whole or not at all, locked while in use, checked before use.

Every write of the project goes through this file. A full disk, a missing permission or a name that is too long is a
`FileError` with one sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from speicher_env._jit import try_to_lock
from speicher_env.errors import FileError
from speicher_env.reading import parse_json, path_shown, read_bytes, reason

__all__ = [
    "LOCK",
    "FileError",
    "JsonLines",
    "check_manifest",
    "digest",
    "digest_of",
    "is_part",
    "locked",
    "make_folder",
    "manifest",
    "new_text_file",
    "remove_parts",
    "write_file",
    "write_files",
]

LOCK = ".lock"
"""The lock file in a folder. It stays there when the lock is released."""
_PART = re.compile(r"\.speicher-[0-9a-f]{16}\.part")
_DIGEST = re.compile(rb',"sha256":"([0-9a-f]{64})"\}\n')
_DIGEST_SIZE = len(',"sha256":""}\n') + 64

Line = dict[str, Any]


# Writing whole files


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: a reader finds the old content or the new one, whatever happens."""
    write_files({path: content})


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: none is replaced before all of them are on the disk."""
    parts: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in contents.items():
            path.exists()  # raises for a name that the system does not allow
            parts[path] = _part_of(path)
            with parts[path].open("xb") as stream:
                stream.write(content.encode("utf-8") if isinstance(content, str) else content)
                _flush(stream)
        for path, part in parts.items():
            os.replace(part, path)
    except (OSError, UnicodeError) as error:
        raise _cannot_write(path, error) from None
    finally:
        _remove(parts.values())


@contextmanager
def new_text_file(path: Path, *, private: bool = False, alone: bool = False) -> Iterator[TextIO]:
    """A text file to write piece by piece, which replaces `path` when the block ends and vanishes if the block fails.

    A link is followed, permissions are kept, and a device or a pipe is written to directly.

    Args:
        path: The file.
        private: Whether only the user can read the file.
        alone: Whether a second process that writes the same file meanwhile is refused in one sentence. Otherwise both
            write, and the last replaces the first.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        part = _only_part_of(target) if alone else _part_of(target)
        opened = _locked_part(part, path) if alone else part.open("x", encoding="utf-8", newline="\n")
        with opened as stream:
            try:
                if private:
                    part.chmod(0o600)
                yield stream
                _flush(stream)
                if target.exists() and not private:
                    shutil.copymode(target, part)
                if os.name == "posix":  # elsewhere an open file cannot be moved
                    os.replace(part, target)
            except BaseException:
                _remove([part])
                raise
        if os.name != "posix":
            os.replace(part, target)
    except BrokenPipeError:
        raise
    except (OSError, UnicodeError) as error:
        raise _cannot_write(path, error) from None


def _locked_part(part: Path, path: Path) -> TextIO:
    """The part of a file that only one process writes, empty and locked until it is closed."""
    while True:
        stream = part.open("a", encoding="utf-8", newline="\n")
        try:
            locked = try_to_lock(stream)
            same = locked and part.exists() and os.path.samestat(os.fstat(stream.fileno()), part.stat())
        except BaseException:
            stream.close()
            raise
        if same:
            stream.truncate(0)  # what a killed process has left
            return stream
        stream.close()
        if not locked:
            raise FileError(
                f"{path_shown(path)}: another process is writing this file; wait for it or choose another file."
            )
        # The part became the file, or was removed, between opening and locking it.


def remove_parts(folder: Path, older_than: float = 0.0) -> None:
    """Remove what writes that were killed have left in a folder, if it is older than so many seconds; nothing else."""
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                if is_part(path) and time.time() - path.stat().st_mtime >= older_than:
                    path.unlink()


def is_part(path: Path) -> bool:
    """Whether a file is what a killed write has left."""
    return _PART.fullmatch(path.name) is not None


def make_folder(folder: Path, room: int = 0) -> None:
    """Make a folder, and check that it can be written to and has `room` bytes free."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = _part_of(folder / "trial")
        trial.write_bytes(b"")
        trial.unlink()
        free = shutil.disk_usage(folder).free
    except (OSError, ValueError) as error:
        why = "it is a file" if isinstance(error, FileExistsError) else reason(error)
        raise FileError(f"{path_shown(folder)}: cannot be used as a folder: {why}.") from None
    if free < room:
        raise FileError(
            f"{path_shown(folder)}: the disk has {free >> 20} MB free; must have {(room >> 20) + 1} MB for this."
        )


# Locking


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; a second process or thread that asks for it is refused in one sentence.

    The system releases the lock when its holder ends, however it ends.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise FileError(
            f"{path_shown(folder)}: another process is using this folder; wait for it or choose another folder."
        ) from None
    except (OSError, NotImplementedError) as error:
        raise FileError(f"{path_shown(folder)}: cannot be locked: {reason(error)}.") from None
    try:
        yield
    finally:
        lock.release()


# Digests


def digest_of(content: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{path_shown(path)}: cannot be read: {reason(error)}.") from None


def manifest(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests of files in a folder, by name; to be kept beside them and given to `check_manifest`."""
    return {name: digest(folder / name) for name in names}


def check_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Refuse a folder in which a file of the manifest is missing or has changed."""
    for name, expected in digests.items():
        if digest(folder / name) != expected:
            raise FileError(f"{path_shown(folder / name)}: the file is damaged or was edited (its digest differs).")


# Lines of JSON


class JsonLines:
    """A file of JSON objects, one a line, that is only ever appended to and whose lines are checked before use.

    The last key of each line, "sha256", is the digest of the line and of the digest before it. So no line can be
    changed, removed or moved unnoticed, except by cutting the file after some line.
    """

    def __init__(self, path: Path, start: str = "") -> None:
        """Name the file; it need not exist.

        Args:
            path: The file.
            start: Stands for the digest before the first line: another file's digest ties the lines to that file.
        """
        self.path = path
        self._last = start
        self._start = start
        self._size = 0

    def read(self, most_bytes: int) -> list[Line]:
        """The objects of all lines, checked; the file is not changed.

        A last line that was cut short is left out, and `append` and `repair` cut it off.
        """
        self._last, self._size = self._start, 0
        if not self.path.exists():
            return []
        lines: list[Line] = []
        for text in read_bytes(self.path, most_bytes).splitlines(keepends=True):
            if not text.endswith(b"\n"):
                break
            found = _DIGEST.fullmatch(text, max(len(text) - _DIGEST_SIZE, 0))
            after = digest_of(self._last.encode() + text[:-_DIGEST_SIZE])
            if found is None or found[1].decode() != after:
                raise FileError(
                    f"{path_shown(self.path)}, line {len(lines) + 1}: the line is damaged or was edited "
                    "(its digest differs); cut the file before it to continue from there."
                )
            line = parse_json(text, f"{path_shown(self.path)}, line {len(lines) + 1}")
            line.pop("sha256")
            lines.append(line)
            self._last = after
            self._size += len(text)
        return lines

    def repair(self) -> None:
        """Cut off a last line that was cut short, as `read` found it."""
        try:
            if self.path.exists() and self.path.stat().st_size > self._size:
                with self.path.open("r+b") as stream:
                    stream.truncate(self._size)
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def append(self, value: Line) -> None:
        """Add a line, which must not be empty.

        It is on the disk when this returns. If it cannot be written, the file is as before.
        """
        text, after = self._line(value, self._last)
        self.repair()
        try:
            with self.path.open("ab") as stream:
                stream.write(text)
                _flush(stream)
        except OSError as error:
            with suppress(FileError):
                self.repair()
            raise _cannot_write(self.path, error) from None
        self._last = after
        self._size += len(text)

    def rewrite(self, values: Iterable[Line]) -> None:
        """Replace all lines, whole or not at all."""
        last, texts = self._start, []
        for value in values:
            text, last = self._line(value, last)
            texts.append(text)
        content = b"".join(texts)
        write_file(self.path, content)
        self._last, self._size = last, len(content)

    @staticmethod
    def _line(value: Line, before: str) -> tuple[bytes, str]:
        body = json.dumps(value, separators=(",", ":")).encode()[:-1]
        after = digest_of(before.encode() + body)
        return body + f',"sha256":"{after}"}}\n'.encode(), after


def _only_part_of(path: Path) -> Path:
    """The part of a file that all processes which write it share."""
    return path.with_name(f".speicher-{digest_of(os.fsencode(path.name))[:16]}.part")


def _part_of(path: Path) -> Path:
    return path.with_name(f".speicher-{secrets.token_hex(8)}.part")


def _flush(stream: IO[Any]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _remove(parts: Iterable[Path]) -> None:
    for part in parts:
        with suppress(OSError):  # whatever kept it from being written may keep it from being removed
            part.unlink(missing_ok=True)


def _cannot_write(path: Path, error: Exception) -> FileError:
    return FileError(f"{path_shown(path)}: cannot be written: {reason(error)}.")
