"""The files that commands read and write, and a Ctrl-C that waits for the current piece of work."""

from __future__ import annotations

import gzip
import os
import signal
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TextIO, cast

from speicher_apps.cli.errors import CommandError
from speicher_env.reading import path_shown, reason
from speicher_training.files import new_text_file, remove_parts

__all__ = ["FORCE", "STANDARD_STREAM", "check_new_file", "check_page", "input_file", "interruptible", "output_file"]

STANDARD_STREAM = "-"
"""Means stdin or stdout in place of a file's path."""
DAY = 24 * 3600.0
FORCE = "Replace a file that exists."
"""The help text of --force."""


def check_new_file(path: str, otherwise: str = "--force replaces it") -> None:
    """Refuse a path where a file exists that is not empty.

    Args:
        path: A file's path, or - for stdout.
        otherwise: What the user can do, as the end of the message.
    """
    target = Path(path)
    if path != STANDARD_STREAM and target.is_file() and target.stat().st_size:
        raise CommandError(f"{path_shown(path)}: the file exists; {otherwise}.")


def check_page(page: str, records: str, force: bool) -> None:
    """Refuse to write a page over the records that it shows, or over another file without --force.

    Args:
        page: The path of the page, or - for stdout.
        records: The path of the records, or - for stdin.
        force: Whether a file is replaced.
    """
    if STANDARD_STREAM not in (page, records) and os.path.exists(page) and os.path.samefile(page, records):
        raise CommandError(f"{path_shown(page)}: holds the records; must be another file.")
    if not force:
        check_new_file(page)


@contextmanager
def output_file(path: str) -> Iterator[TextIO]:
    """A text file that takes the place of `path` when the block ends, and leaves no trace if the block fails.

    "-" is stdout; a device or a pipe is written to directly. A second command that writes the same file is refused.
    """
    if path == STANDARD_STREAM:
        yield sys.stdout
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise CommandError(f"{path_shown(path)}: is a directory; must be a file to write, or - for stdout.")
    if not target.parent.is_dir():
        raise CommandError(f"{path_shown(path)}: there is no directory {path_shown(target.parent)}.")
    remove_parts(target.parent, older_than=DAY)  # no command writes at a file for so long without a sign
    with new_text_file(target, alone=True) as stream:
        yield stream


@contextmanager
def input_file(path: str) -> Iterator[BinaryIO]:
    """A file to read, decompressed if its name ends with .gz, or stdin for "-"."""
    if path == STANDARD_STREAM:
        yield sys.stdin.buffer
        return
    try:
        stream = open(path, "rb")  # noqa: SIM115  # an error within the block is not one of opening
    except OSError as error:
        why = reason(error)
        raise CommandError(f"{path_shown(path)}: {why}; must be a file of game records, or - for stdin.") from None
    with stream:
        if not path.endswith(".gz"):
            yield stream
            return
        try:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=stream))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise CommandError(f"{path_shown(path)}: is not a whole file of gzip, as its name says.") from None


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a flag that the block reads between two pieces of its work."""
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True

    if threading.current_thread() is not threading.main_thread():  # only there may signals be handled
        yield lambda: pressed
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
