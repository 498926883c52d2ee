"""Reading files that others wrote: bounded in size, depth and digits, with one sentence for whatever is wrong.

Every reader takes the exception to raise, so that a deck that cannot be read is a `DeckError` and a card a `CardError`.
"""

from __future__ import annotations

import errno
import json
import re
import tomllib
from collections import Counter
from os import PathLike
from pathlib import Path
from typing import IO, Any

from speicher_env.errors import FileError
from speicher_env.messages import shown

__all__ = [
    "MOST_DIGITS", "decoded", "parse_json", "parse_toml", "path_shown", "read_bytes", "read_json", "read_stream",
    "read_text", "read_toml", "reason",
]  # fmt: skip

MOST_DEPTH = 50
"""Levels of nesting in JSON or TOML."""
MOST_DIGITS = 20
"""Digits of a whole number: enough for 2**64 - 1."""
MOST_DOTS = 200
"""Dots in a line of TOML; lines that are surely comments may have more."""
LARGEST_PIECE = 1 << 26
"""Bytes that are read at a time."""
LONGEST_PATH_SHOWN = 200
"""Letters of a path that a message shows."""

_MANY_DIGITS = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MANY_DIGITS_IN_TOML = re.compile(rf"(?<![.\d])\d{{{MOST_DIGITS + 1}}}")  # not the decimals of a float

Error = type[Exception]


def path_shown(path: str | PathLike[str]) -> str:
    """A path as a message shows it: printable and not too long."""
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(path))
    return (text if len(text) <= LONGEST_PATH_SHOWN else text[:LONGEST_PATH_SHOWN] + "...") or '""'


def reason(error: BaseException) -> str:
    """Why a file cannot be used, in plain words and without a path."""
    if isinstance(error, OSError):
        words = {
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the disk quota is used up",
            errno.EACCES: "permission denied",
            errno.EPERM: "permission denied",
            errno.EROFS: "the file system is read-only",
            errno.ENAMETOOLONG: "the name is too long",
            errno.ENOENT: "there is no such file",
            errno.ENOTDIR: "a part of the path is a file, not a folder",
            errno.EISDIR: "it is a folder",
        }
        return words.get(error.errno or 0, (error.strerror or type(error).__name__).lower())
    if isinstance(error, UnicodeError):
        return "a letter in the name or the text cannot be encoded"
    return str(error) or type(error).__name__


def read_bytes(path: str | PathLike[str], most_bytes: int, allowed: str = "a file", error: Error = FileError) -> bytes:
    """The content of a file.

    Args:
        path: The file.
        most_bytes: The most that is read; a larger file is refused.
        allowed: What the file must be, for the message: "must be ...".
        error: The exception to raise.
    """
    try:
        with Path(path).open("rb") as stream:
            return read_stream(stream, most_bytes, path_shown(path), allowed, error)
    except (OSError, ValueError) as fault:
        if isinstance(fault, error):
            raise
        raise error(f"{path_shown(path)}: cannot be read: {reason(fault)}; must be {allowed}.") from None


def read_stream(stream: IO[bytes], most_bytes: int, where: str, allowed: str, error: Error = FileError) -> bytes:
    """The content of an open file, refused if it is larger than `most_bytes`."""
    content = b""  # in pieces, as `read` sets aside all of the memory that it is asked for
    while piece := stream.read(min(most_bytes + 1 - len(content), LARGEST_PIECE)):
        content += piece
    if len(content) > most_bytes:
        raise error(f"{where}: is larger than {_size(most_bytes)}; must be {allowed}.")
    return content


def read_text(
    path: str | PathLike[str], most_bytes: int, allowed: str = "a text file", error: Error = FileError
) -> str:
    """The text of a UTF-8 file; see `read_bytes` for the arguments."""
    return decoded(read_bytes(path, most_bytes, allowed, error), path_shown(path), allowed, error)


def read_json(
    path: str | PathLike[str], most_bytes: int, allowed: str = "a JSON object", error: Error = FileError
) -> dict[str, Any]:
    """The JSON object in a file; see `read_bytes` for the arguments."""
    return parse_json(read_text(path, most_bytes, allowed, error), path_shown(path), allowed, error)


def read_toml(
    path: str | PathLike[str], most_bytes: int, allowed: str = "a TOML file", error: Error = FileError
) -> dict[str, Any]:
    """The table in a TOML file; see `read_bytes` for the arguments."""
    return parse_toml(read_text(path, most_bytes, allowed, error), path_shown(path), allowed, error)


def decoded(content: bytes, where: str, allowed: str, error: Error = FileError) -> str:
    """The text that bytes are in UTF-8. A byte order mark, as some editors write it, is left out."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line, byte = content.count(b"\n", 0, fault.start) + 1, content[fault.start]
        raise error(f"{where}: is not UTF-8 text: byte 0x{byte:02x} in line {line}; must be {allowed}.") from None


def parse_json(
    text: str | bytes,
    where: str,
    allowed: str = "a JSON object",
    error: Error = FileError,
    *,
    unique_keys: bool = False,
) -> dict[str, Any]:
    """The JSON object of a text whose size is bounded already.

    Refused are nesting deeper than `MOST_DEPTH`, whole numbers of more than `MOST_DIGITS` digits, NaN and infinity, and
    text that is not Unicode (half of a surrogate pair); with `unique_keys` also a key that an object has twice.
    """
    if isinstance(text, bytes):
        text = decoded(text, where, allowed, error)
    fault = ""
    try:
        whole = _short_integer if _MANY_DIGITS.search(text) else int
        value = json.loads(
            text, parse_int=whole, parse_constant=_refuse_constant, object_pairs_hook=_unique if unique_keys else None
        )
        if _LONE_SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as found:
        fault = f"is not JSON: {found.msg} at line {found.lineno}, column {found.colno}"
    except RecursionError:
        fault = f"is nested more than {MOST_DEPTH} levels deep"
    except UnicodeEncodeError:
        fault = "holds half of a surrogate pair, which is not text"
    except ValueError as found:
        fault = str(found)
    else:
        if not isinstance(value, dict):
            fault = f"is not a JSON object but {_kind(value)}"
        elif not _is_shallow(value):
            fault = f"is nested more than {MOST_DEPTH} levels deep"
        else:
            return value
    raise error(f"{where}: {fault}; must be {allowed}.")


def parse_toml(text: str, where: str, allowed: str = "a TOML file", error: Error = FileError) -> dict[str, Any]:
    """The table of a TOML text whose size is bounded already; the limits are those of `parse_json`."""
    fault = ""
    if _has_many_dots(text):
        fault = f"has more than {MOST_DOTS} dots in a line"
    elif _MANY_DIGITS_IN_TOML.search(text):
        fault = f"holds a number of more than {MOST_DIGITS} digits"
    else:
        try:
            value = tomllib.loads(text)
        except tomllib.TOMLDecodeError as found:
            fault = f"is not TOML: {found}"
        except RecursionError:
            fault = f"is nested more than {MOST_DEPTH} levels deep"
        except ValueError as found:
            fault = str(found)
        else:
            if _is_shallow(value):
                return value
            fault = f"is nested more than {MOST_DEPTH} levels deep"
    raise error(f"{where}: {fault}; must be {allowed}.")


def _has_many_dots(text: str) -> bool:
    """Whether a line may hold a dotted key so long that tomllib, which takes quadratic time over it, never ends.

    Only in a text without strings of several lines is a line that begins with # a comment for sure.
    """
    may_skip = '"""' not in text and "'''" not in text
    return any(
        line.count(".") > MOST_DOTS and not (may_skip and line.lstrip().startswith("#")) for line in text.split("\n")
    )


def _short_integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS + 1:
        raise ValueError(f"holds a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        double = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"holds the key {shown(double)} twice in one object")
    return table


def _refuse_constant(name: str) -> float:
    raise ValueError(f"holds {name}, which is not a number of JSON")


def _is_shallow(value: object) -> bool:
    """Whether nesting ends within `MOST_DEPTH` levels."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)  # type: ignore[attr-defined]
            if isinstance(child, dict | list)
        ]
        if not level:
            return True
    return False


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count >> 10} kB" if count >= 1 << 10 else f"{count} bytes"
