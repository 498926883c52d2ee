"""Random damage: of bytes, of lines of text, and of values in JSON and TOML."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

NUMBERS = (
    "0", "-0", "-1", "1", "2", "5", "6", "255", "256", "32768", "2147483648", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "9" * 30, "9" * 5000, "1e400", "-1e400",
    "1e-400", "0.1", "1.0", "NaN", "Infinity", "nan", "inf", "0x7f", "1_000", "true", "null", "",
)  # fmt: skip
TEXTS = (
    "", " ", "x", "\0", "\x1b]0;owned\x07\x9b31m\r", "\u202e", "\ud800", "\udfff", "\ufeff", "\u2028", "é", "日本",
    "a/b", "../../x", "-", "--", "$HOME", "%s%n", "{}", "<script>alert(1)</script>", "own.py:Mine", "own:Mine", "human",
    "random", "standard", "sampled", "null", "true", "NaN", "x" * 300, "x" * 5000,
)  # fmt: skip
TOKENS = (
    b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\\ud800", b"\\u0000", b'"', b"'",
    b"\\", b"{", b"}", b"[", b"]", b",", b":", b"=", b".", b"#", b"//", b"\x1b[31m", b'"""', b"'''", b"[[x]]\n",
    b"a.b.c = 1\n", b"[" * 200, b"{" * 200, b'{"a":' * 200, b"a." * 300, b"9" * 5000, b"\xe2\x80\xa8",
)  # fmt: skip
MOST_STEPS = 4


def steps(rng: random.Random) -> int:
    """How many times an input is damaged: mostly once."""
    return rng.choice((1, 1, 1, 1, 2, 2, 3, MOST_STEPS))


# Bytes


def damaged(content: bytes, rng: random.Random, other: bytes = b"") -> bytes:
    """Bytes with random damage; `other` is a sound input of the same form, whose parts may be taken."""
    data = bytearray(content)
    for _ in range(steps(rng)):
        _damage(data, rng, other or content)
    return bytes(data)


def _damage(data: bytearray, rng: random.Random, other: bytes) -> None:
    place = rng.randrange(len(data) + 1)
    kind = rng.randrange(12)
    if kind == 0 and data:
        data[place - 1] ^= 1 << rng.randrange(8)
    elif kind == 1 and data:
        data[place - 1] = rng.randrange(256)
    elif kind == 2:
        del data[place : place + rng.choice((1, 1, 2, 8, 64, 1000))]
    elif kind == 3:
        data[place:place] = rng.choice(TOKENS)
    elif kind == 4:
        data[place:place] = rng.randbytes(rng.choice((1, 2, 8, 64)))
    elif kind == 5:
        data[place:place] = data[place : place + rng.choice((1, 8, 64, 1000))]
    elif kind == 6:
        del data[place:]
    elif kind == 7:
        start = rng.randrange(len(other) + 1)
        data[place : place + rng.choice((0, 8, 64))] = other[start : start + rng.choice((8, 64, 1000))]
    elif kind == 8:
        _replace_number(data, rng)
    elif kind == 9:
        _edit_lines(data, rng)
    elif kind == 10 and data:
        data[place - 1] = (data[place - 1] + rng.choice((-1, 1))) % 256
    else:
        _replace_word(data, rng)


def _replace_number(data: bytearray, rng: random.Random) -> None:
    _replace_run(data, rng, b"0123456789", rng.choice(NUMBERS).encode())


def _replace_word(data: bytearray, rng: random.Random) -> None:
    word = rng.choice(TEXTS).encode("utf-8", "surrogatepass")
    _replace_run(data, rng, b"abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ", word)


def _replace_run(data: bytearray, rng: random.Random, letters: bytes, new: bytes) -> None:
    """Replace a run of such letters, the first after a random place."""
    start = rng.randrange(len(data) + 1)
    while start < len(data) and data[start] not in letters:
        start += 1
    while start > 0 and data[start - 1] in letters:
        start -= 1
    stop = start
    while stop < len(data) and data[stop] in letters:
        stop += 1
    data[start:stop] = new


def _edit_lines(data: bytearray, rng: random.Random) -> None:
    lines = bytes(data).splitlines(keepends=True)
    if not lines:
        return
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[first]
    elif kind == 1:
        lines.insert(second, lines[first])
    elif kind == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines[first] = lines[first].rstrip(b"\n")
    data[:] = b"".join(lines)


# Values


def odd_value(rng: random.Random, near: Any = None) -> Any:
    """A value that a reader may not expect; `near` is the one in its place."""
    if isinstance(near, bool):
        return rng.choice((not near, int(near), str(near)))
    if isinstance(near, int) and rng.random() < 0.5:
        return near + rng.choice((-1, 1, 1 << 32, -(1 << 63), 10**30, 0.5))
    if isinstance(near, float) and rng.random() < 0.5:
        return rng.choice((-near, near * 1e300, near + 1e-9, int(near) if abs(near) < 1e18 else 0))
    if isinstance(near, str) and rng.random() < 0.5:
        return rng.choice((near + " ", near.upper(), near[:-1], near * 2, near + "\0", near + "\ud800"))
    return rng.choice(
        (
            None, True, False, 0, 1, -1, 2, 5, 6, 7, 184, 2**31, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**25, 0.5,
            -0.0, 1e308, float("inf"), float("nan"), "", [], {}, [[]], [None], {"": None}, [0] * 100,
            _deep(rng.choice((3, 60))), rng.choice(TEXTS), rng.choice(TEXTS),
        )
    )  # fmt: skip


def _deep(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def damaged_value(value: Any, rng: random.Random) -> Any:
    """A copy of a JSON value with random changes inside."""
    value = json.loads(json.dumps(value))
    for _ in range(steps(rng)):
        value = _change(value, rng)
    return value


def _change(value: Any, rng: random.Random) -> Any:
    places = list(_places(value, rng))
    if not places:
        return odd_value(rng, value)
    parent, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        other, other_key = rng.choice(places)
        parent[key] = deepcopy(other[other_key])
    elif kind == 2 and isinstance(parent, list):
        parent.insert(key, parent[rng.randrange(len(parent))])
    elif kind == 2:
        parent[rng.choice(TEXTS)] = odd_value(rng)
    elif kind == 3 and isinstance(parent, list):
        rng.shuffle(parent)
    else:
        parent[key] = odd_value(rng, parent[key])
    return value


MOST_PLACES = 400


def _places(value: Any, rng: random.Random) -> list[tuple[Any, Any]]:
    """Places inside a value, as container and key: all of the outer ones, and some of the inner ones."""
    places: list[tuple[Any, Any]] = []
    level = [value] if isinstance(value, dict | list) else []
    while level and len(places) < MOST_PLACES:
        inner = []
        for container in level:
            keys = list(container) if isinstance(container, dict) else range(len(container))
            for key in keys:
                places.append((container, key))
                if isinstance(container[key], dict | list):
                    inner.append(container[key])
        level = rng.sample(inner, min(len(inner), 20))
    return places


def json_text(value: Any, rng: random.Random) -> bytes:
    """A JSON value as text, as programs write it."""
    separators = rng.choice(((",", ":"), (", ", ": ")))
    text = json.dumps(value, separators=separators, ensure_ascii=rng.random() < 0.8)
    return text.encode("utf-8", "surrogatepass")


def damaged_json(value: Any, rng: random.Random, other: bytes = b"") -> bytes:
    """A JSON value with changes inside, or damage of its text, or both."""
    kind = rng.random()
    if kind < 0.6:
        return json_text(damaged_value(value, rng), rng)
    text = json_text(damaged_value(value, rng) if kind < 0.7 else value, rng)
    return damaged(text, rng, other)


def toml_value(rng: random.Random) -> bytes:
    """A value of TOML that a reader may not expect."""
    value = odd_value(rng)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value).encode()
    if value is None:
        return rng.choice((b"2010-10-01", b"07:32:00", b"0xff", b"'''\nx\n'''", b"1979-05-27T07:32:00Z", b"nan"))
    if isinstance(value, dict):
        return b"{ a = 1 }"
    return json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def damaged_toml(text: bytes, rng: random.Random, settings: list[bytes]) -> bytes:
    """TOML with other values, lines of `settings` in odd places, or damaged text."""
    kind = rng.random()
    if kind < 0.4:
        return damaged(text, rng)
    lines = text.splitlines()
    for _ in range(steps(rng)):
        place = rng.randrange(len(lines) + 1)
        with_values = [number for number, line in enumerate(lines) if b"=" in line and not line.startswith(b"#")]
        if kind < 0.8 and with_values:
            number = rng.choice(with_values)
            name = lines[number].partition(b"=")[0]
            lines[number] = name + b"= " + toml_value(rng)
        else:
            name = rng.choice(settings) if settings else b"x = 1"
            lines.insert(place, rng.choice((name, name.partition(b"=")[0] + b"= " + toml_value(rng))))
    return b"\n".join(lines) + b"\n"
