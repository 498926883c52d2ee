"""The safetensors file format, as far as weights need it: arrays of floats by name, and nothing that could run.

A file is the length of a header (8 bytes, little-endian), the header (JSON: type, shape and place of each array), and
the arrays one after the other. Read and written here with NumPy alone, so that playing needs no further package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from speicher_env.messages import must_be, shown
from speicher_env.reading import parse_json

__all__ = ["BadTensors", "Tensors", "halved", "read_tensors", "write_tensors"]

Tensors = dict[str, np.ndarray]

FLOATS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
"""What arrays in a file may consist of, by the name in its header."""
_LENGTH = 8
"""Bytes that hold the length of the header."""
_MOST_HEADER = 1_000_000
"""Bytes; anything longer is not a header."""
_MOST_ARRAYS, _MOST_DIMENSIONS, _MOST_NUMBERS = 1000, 8, 1 << 30
"""Limits of what a header may say."""
_MAIN = "__metadata__"


class BadTensors(ValueError):
    """Bytes that are not what they should be; the message says what is wrong, without the file's name."""


def read_tensors(content: bytes) -> Tensors:
    """The arrays in a file as float32, each checked to lie where and be as long as its header says."""
    header, data = _split(content)
    places = {name: _place(name, entry) for name, entry in header.items() if name != _MAIN}
    tensors: Tensors = {}
    end = 0
    for name, (start, stop, shape, floats) in sorted(places.items(), key=lambda item: item[1][:2]):
        if start != end or not start <= stop <= len(data) or stop - start != floats.itemsize * prod(shape):
            raise BadTensors(f"{shown(name)} does not lie where the header says: the file is cut off or damaged")
        tensors[name] = np.frombuffer(data[start:stop], dtype=floats).reshape(shape).astype(np.float32)
        if not np.isfinite(tensors[name]).all():
            raise BadTensors(f"{shown(name)} holds numbers that are not finite")
        end = stop
    if end != len(data):
        raise BadTensors("it is longer than the header says")
    return tensors


def write_tensors(tensors: Mapping[str, np.ndarray]) -> bytes:
    """A file with these arrays, in the order of their names: float16 as it is, all others as float32."""
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    start = 0
    for name in sorted(tensors):
        kind = "F16" if tensors[name].dtype == np.float16 else "F32"
        array = np.ascontiguousarray(tensors[name], dtype=FLOATS[kind])
        parts.append(array.tobytes())
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [start, start + array.nbytes]}
        start += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)  # the arrays begin at a multiple of 8 bytes
    return len(text).to_bytes(_LENGTH, "little") + text + b"".join(parts)


def halved(tensors: Mapping[str, np.ndarray]) -> Tensors:
    """The arrays as float16, for files of half the size; an array with a number too large for that stays as it is."""
    most = np.finfo(np.float16).max
    return {
        name: array.astype(np.float16) if (np.abs(array) <= most).all() else array for name, array in tensors.items()
    }


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    length = int.from_bytes(content[:_LENGTH], "little")
    if len(content) < _LENGTH or length > min(_MOST_HEADER, len(content) - _LENGTH):
        raise BadTensors("it is not a safetensors file, or cut off")
    header = parse_json(
        content[_LENGTH : _LENGTH + length], "its header", "a table of arrays", BadTensors, unique_keys=True
    )
    if len(header) > _MOST_ARRAYS:
        raise BadTensors(f"its header names {len(header):,} arrays; must name at most {_MOST_ARRAYS:,}")
    return header, memoryview(content)[_LENGTH + length :]


def _place(name: str, entry: Any) -> tuple[int, int, tuple[int, ...], np.dtype[Any]]:
    """Where an array begins and ends, its shape, and what it consists of."""
    try:
        kind, shape, (start, stop) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise BadTensors(f"the header does not say what and where {shown(name)} is") from None
    if not isinstance(kind, str) or kind not in FLOATS:
        raise BadTensors(must_be("dtype", kind, " or ".join(FLOATS), name))
    if len(shape) > _MOST_DIMENSIONS:
        raise BadTensors(f"{shown(name)} has {len(shape)} dimensions; must have at most {_MOST_DIMENSIONS}")
    if not all(type(number) is int and 0 <= number <= _MOST_NUMBERS for number in (*shape, start, stop)):
        raise BadTensors(f"the shape or the place of {shown(name)} is not a list of whole numbers 0..{_MOST_NUMBERS}")
    return start, stop, shape, FLOATS[kind]
