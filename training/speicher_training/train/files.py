"""Files of a run: written whole or not at all, in a folder that is known to be fit before training begins."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


class TrainingError(RuntimeError):
    """A run that cannot begin or go on; the message is one sentence."""


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, so that whoever reads it, at whatever moment, finds the old or the new one."""
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write files of one folder that belong together: none takes its place before there is room for all of them."""
    parts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    path = next(iter(contents))
    try:
        for path, content in contents.items():
            with parts[path].open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        for path, part in parts.items():
            os.replace(part, path)
    except OSError as error:
        raise TrainingError(f"{path}: the file cannot be written ({error.strerror})") from None
    finally:
        for part in parts.values():
            with suppress(OSError):  # whatever kept it from being written may keep it from being removed
                part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def make_folder(folder: Path, room: int) -> None:
    """Make a folder, and see that it can be written to and has so many bytes of room."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".{os.getpid()}.part"
        trial.write_bytes(b"")
        trial.unlink()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise TrainingError(f"{folder}: nothing can be written there ({error.strerror}), must be a folder") from None
    if free < room:
        raise TrainingError(f"{folder}: it has {free >> 20} MB of room, must have {(room >> 20) + 1} MB for the run")


def remove_parts(folder: Path) -> None:
    """Remove what writes that were cut short have left."""
    for path in folder.iterdir():
        if is_part(path):
            path.unlink(missing_ok=True)


def is_part(path: Path) -> bool:
    """Whether a file is what a write that was cut short has left."""
    return path.name.startswith(".") and path.name.endswith(".part")
