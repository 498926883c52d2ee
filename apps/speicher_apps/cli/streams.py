"""Standard streams that are safe to print on, whatever they are connected to and whatever the text is.

A closed stream is replaced. A terminal that knows only ASCII gets plain letters. Text from records, files and
arguments goes through `printable` on its way to the terminal.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import unicodedata
from collections.abc import Sequence

from speicher_env.messages import printable

__all__ = ["discard_output", "prepare_streams", "print_columns", "print_text", "printable", "say"]

LONGEST_SENTENCE = 1000
"""Characters of a message on stderr."""
_REPLACE = "speicher_plain"
_PLAIN = {"█": "#", "·": ".", "×": "x", "−": "-", "–": "-", "─": "-", "═": "=", "…": "~", "µ": "u"}
"""Characters of the tables as one plain letter each, so that columns stay in line."""


def prepare_streams() -> None:
    """Make standard input, output and error usable, also where they are closed or know only ASCII."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # else the next file that is opened would get this number, and what is printed
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    codecs.register_error(_REPLACE, _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_REPLACE)


class _Closed(io.TextIOBase):
    """Standard output where there is none: writing fails as on a full disk."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def writable(self) -> bool:
        return True


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """The characters that cannot be encoded, in ASCII; an error handler of `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_plain(letter) for letter in error.object[error.start : error.end]), error.end


def _plain(letter: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    if not letter.isprintable():
        return ascii(letter)[1:-1]
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()[:1] or "?"


def print_text(text: str) -> None:
    """Print lines that may contain text of a record or a file."""
    print(printable(text))


def print_columns(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows as columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        print_text("  ".join([f"{first:{widths[0]}}", *cells]).rstrip())


def say(sentence: str) -> None:
    """Print one line on stderr in the command's name."""
    line = printable(" ".join(sentence.splitlines()))
    if len(line) > LONGEST_SENTENCE:
        line = line[: LONGEST_SENTENCE // 2] + " ... " + line[-LONGEST_SENTENCE // 2 :]
    print(f"speicher: {line}", file=sys.stderr, flush=True)


def discard_output() -> None:
    """Send what is still buffered for stdout nowhere, so that Python's last flush does not fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is no file
        sys.stdout = io.StringIO()
