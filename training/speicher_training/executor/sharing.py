"""Shared bytes, and the pickling of jobs and tasks without them, so that they travel once to each worker."""

from __future__ import annotations

import hashlib
import io
import pickle
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["Packed", "Sent", "SharedBytes", "pack", "unpack"]


class SharedBytes:
    """Bytes that are in this process."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.digest = hashlib.sha256(content).hexdigest()
        """By which workers know the bytes."""

    def get(self) -> bytes:
        """The bytes."""
        return self._content


class Packed(NamedTuple):
    """Something pickled, and the shared bytes that it needs besides, by digest."""

    content: bytes
    shared: dict[str, SharedBytes]


def pack(value: object) -> Packed:
    """Pickle a value without the shared bytes in it."""
    stream, shared = io.BytesIO(), dict[str, SharedBytes]()

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: object) -> str | None:
            if not isinstance(obj, SharedBytes):
                return None
            shared[obj.digest] = obj
            return obj.digest

    Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return Packed(stream.getvalue(), shared)


def unpack(content: bytes, shared: Mapping[str, SharedBytes]) -> Any:
    """A value with the shared bytes put back."""

    class Unpickler(pickle.Unpickler):
        persistent_load: Callable[[Any], Any] = staticmethod(shared.__getitem__)

    return Unpickler(io.BytesIO(content)).load()


class Sent:
    """The shared bytes that a worker has."""

    def __init__(self) -> None:
        """Begin with none."""
        self._handles: dict[str, weakref.ref[SharedBytes]] = {}

    def update(self, needed: Mapping[str, SharedBytes]) -> tuple[dict[str, SharedBytes], list[str]]:
        """Note that the worker is sent what it needs and does not have.

        Returns:
            That, and the digests of what it no longer needs because nobody here has it any more.
        """
        added = {digest: shared for digest, shared in needed.items() if digest not in self._handles}
        self._handles.update({digest: weakref.ref(shared) for digest, shared in needed.items()})
        dropped = [digest for digest, handle in self._handles.items() if handle() is None]
        for digest in dropped:
            del self._handles[digest]
        return added, dropped
