"""The wording of messages: a wrong value and what is allowed, lists in words, and the nearest name.

`must_be` words the common error message, so that it reads the same everywhere.
"""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

__all__ = ["brief", "field_must_be", "listed", "must_be", "nearest", "one_of", "printable", "shown"]

LONGEST_SHOWN = 48
"""Letters of a text, or digits of a number, that a message shows; the text of every action is shorter."""
LONGEST_BRIEF = 200
"""Letters of a path, or of the message of somebody else's code, that a message shows."""
_FORMAT = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of Unicode that a terminal obeys and does not show: control, format, surrogate, separators of lines."""


def must_be(name: str, value: object, allowed: str, where: str = "") -> str:
    """The message for a value that is not allowed.

    Args:
        name: The argument, option or field, as the user knows it.
        value: What it was.
        allowed: What it must be, as the end of the sentence "must be ...".
        where: The file, card or game, if it is not clear from the name.

    >>> must_be("num_players", 7, "2, 3, 4 or 5")
    'num_players=7: must be 2, 3, 4 or 5.'
    """
    place = f"{where}: " if where else ""
    return f"{place}{brief(name)}={shown(value)}: must be {allowed}{'' if allowed.endswith('?') else '.'}"


def field_must_be(table: Mapping[str, object], field: str, allowed: str, where: str = "") -> str:
    """The message for a field that is not allowed, or that is missing from a table that must have it.

    >>> field_must_be({}, "seed", "a whole number")
    'seed is missing: must be a whole number.'
    """
    if field in table:
        return must_be(field, table[field], allowed, where)
    place = f"{where}: " if where else ""
    return f"{place}{brief(field)} is missing: must be {allowed}."


def one_of(value: object, options: Iterable[str]) -> str:
    """The allowed values for `must_be`: the options, and the one that a misspelt text is nearest to.

    >>> one_of("sampeld", ["standard", "sampled"])
    'standard or sampled, did you mean "sampled"?'
    """
    names = list(options)
    return listed(names, "or") + nearest(value, names)


def shown(value: object) -> str:
    """A value of any type in few words on one line."""
    if isinstance(value, np.integer):
        value = int(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "..."
        return printable(json.dumps(text, ensure_ascii=False))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**LONGEST_SHOWN else f"a number of more than {LONGEST_SHOWN} digits"
    if value is None or isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    return f"a value of type {type(value).__name__}"


def printable(text: str) -> str:
    """The text with everything escaped that a terminal would obey instead of showing; lines stay lines.

    This is the one place that escapes control characters.
    """
    if text.isprintable():
        return text
    return "".join(
        ascii(letter)[1:-1] if unicodedata.category(letter) in _FORMAT and letter != "\n" else letter for letter in text
    )


def brief(text: object) -> str:
    """A path, or the message of somebody else's code, on one line that is not too long."""
    line = printable(" ".join(str(text).split()))
    return line if len(line) <= LONGEST_BRIEF else f"{line[:LONGEST_BRIEF]}..."


def nearest(word: object, options: Iterable[str]) -> str:
    """The phrase that suggests the option nearest to a misspelt word; empty if none is close."""
    if not isinstance(word, str):
        return ""
    close = difflib.get_close_matches(word.lower()[:LONGEST_SHOWN], list(options), n=1)
    return f', did you mean "{close[0]}"?' if close else ""


def listed(things: Sequence[str], last: str = "and") -> str:
    """Things in words: 'a', 'a and b', 'a, b and c'."""
    if len(things) < 2:
        return "".join(things)
    return f"{', '.join(things[:-1])} {last} {things[-1]}"
