"""The safetensors file format, as far as weights need it: arrays of float32 by name, and nothing that could run.

A file is the length of a header (8 bytes, little-endian), the header (JSON: type, shape and place of each array), and
the arrays one after the other. Read and written here with NumPy alone, so that playing needs no further package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

Tensors = dict[str, np.ndarray]

FLOAT32 = np.dtype("<f4")
_LENGTH = 8
"""Bytes that hold the length of the header."""
_MOST_HEADER = 1_000_000
"""Bytes; a longer header is no header."""
_MAIN = "__metadata__"


class BadTensors(ValueError):
    """Bytes that are not what they should be; the message says what is wrong, without the file's name."""


def read_tensors(content: bytes) -> Tensors:
    """The arrays in a file, each checked to lie where and be as long as its header says."""
    header, data = _split(content)
    tensors: Tensors = {}
    for name, told in header.items():
        if name == _MAIN:
            continue
        start, stop, shape = _place(name, told)
        if not 0 <= start <= stop <= len(data) or stop - start != FLOAT32.itemsize * prod(shape):
            raise BadTensors(f"{name} does not lie where the header says, it is cut off or damaged")
        tensors[name] = np.frombuffer(data[start:stop], dtype=FLOAT32).reshape(shape).astype(np.float32)
        if not np.isfinite(tensors[name]).all():
            raise BadTensors(f"{name} holds numbers that are not finite")
    if sum(array.nbytes for array in tensors.values()) != len(data):
        raise BadTensors("it is longer than the header says")
    return tensors


def write_tensors(tensors: Mapping[str, np.ndarray]) -> bytes:
    """A file with these arrays, in the order of their names."""
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    start = 0
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name], dtype=FLOAT32)
        parts.append(array.tobytes())
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, start + array.nbytes]}
        start += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)  # the arrays begin at a multiple of 8 bytes
    return len(text).to_bytes(_LENGTH, "little") + text + b"".join(parts)


def _split(content: bytes) -> tuple[dict[str, Any], memoryview]:
    length = int.from_bytes(content[:_LENGTH], "little")
    if len(content) < _LENGTH or length > min(_MOST_HEADER, len(content) - _LENGTH):
        raise BadTensors("it is no safetensors file, or cut off")
    try:
        header = json.loads(content[_LENGTH : _LENGTH + length])
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise BadTensors("its header is no JSON, it is damaged or no safetensors file") from None
    if not isinstance(header, dict):
        raise BadTensors("its header is no table of arrays, it is damaged or no safetensors file")
    return header, memoryview(content)[_LENGTH + length :]


def _place(name: str, told: Any) -> tuple[int, int, tuple[int, ...]]:
    """Where an array begins and ends, and its shape."""
    try:
        kind, shape, (start, stop) = told["dtype"], tuple(told["shape"]), told["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise BadTensors(f"the header does not say what and where {name} is") from None
    if kind != "F32":
        raise BadTensors(f"{name} has the type {kind!r}, must be F32")
    if not all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
        raise BadTensors(f"the shape or the place of {name} is no list of whole numbers")
    return start, stop, shape
