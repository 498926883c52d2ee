"""Files that are written whole or not at all, and a Ctrl-C that waits for the piece of work in hand."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TextIO

from speicher_apps.cli.errors import CommandError
from speicher_training.files import new_text_file

STANDARD_STREAM = "-"
"""What stands for stdin or stdout in place of a file's path."""


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """A text file that takes the place of `path` when the block ends, and leaves no trace if it fails.

    "-" is stdout; a device or a pipe is written to directly.
    """
    if path == STANDARD_STREAM:
        yield sys.stdout
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise CommandError(f"{path}: this is a directory, must be a file to write or - for stdout")
    if not target.parent.is_dir():
        raise CommandError(f"{path}: there is no directory {target.parent}, must be a file in one that exists")
    with new_text_file(target) as stream:
        yield stream


@contextmanager
def lines_of(path: str) -> Iterator[BinaryIO]:
    """A file to read, or stdin for "-"."""
    if path == STANDARD_STREAM:
        yield sys.stdin.buffer
        return
    right = "must be a file of game records or - for stdin"
    try:
        with open(path, "rb") as stream:
            yield stream
    except FileNotFoundError:
        raise CommandError(f"{path}: there is no such file, {right}") from None
    except IsADirectoryError:
        raise CommandError(f"{path}: this is a directory, {right}") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{path}: the file cannot be read ({error.strerror}), {right}") from None


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a note that the block asks for between two pieces of its work."""
    noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        noted = True

    if threading.current_thread() is not threading.main_thread():  # only there may signals be handled
        yield lambda: noted
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: noted
    finally:
        signal.signal(signal.SIGINT, before)
