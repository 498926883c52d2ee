"""The files that specs of players name, by content, so that workers on other machines can make the same players.

A worker writes the files into a folder of its own and has specs with paths in that folder. Results, cards and messages
name the specs as the user wrote them.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from speicher_agents.baselines.files import CARD, WEIGHTS, files_of
from speicher_env.reading import reason
from speicher_training.executor.interface import Executor, Shared, WorkerError

__all__ = ["Luggage", "pack_luggage"]

_SIGNS = re.compile("([:,=])")
"""What separates the parts of a spec."""


@dataclass(frozen=True)
class _Files:
    """Files that must be in one folder, in place of a part of a spec."""

    main: str
    """The name of the file that the part of the spec means."""
    contents: tuple[tuple[str, Shared], ...]
    """By name."""


@dataclass(frozen=True)
class Luggage:
    """Specs with the files that they name; without files where nothing has to travel."""

    parts: dict[str, tuple[str | _Files, ...]]
    """The parts of the specs that name files; joined, they are the spec."""

    def unpacked(self, specs: Iterable[str]) -> list[str]:
        """Specs that can be used on this machine; the files are written."""
        return ["".join(map(_written, self.parts.get(spec, (spec,)))) for spec in specs]


def pack_luggage(executor: Executor, specs: Iterable[str]) -> Luggage:
    """The files that specs name, if workers may be on other machines.

    Taken along are: a file of one's own players (`mine.py:Class`), a module in the current folder (`mine:Class`), the
    card and the weights of a network, and other files that parameters name.

    Raises:
        WorkerError: If one of the files cannot be read.
    """
    if not executor.remote:
        return Luggage({})
    parts = {spec: tuple(_packed(executor, part) for part in _split(spec)) for spec in specs}
    return Luggage({spec: all for spec, all in parts.items() if any(isinstance(part, _Files) for part in all)})


def _split(spec: str) -> list[str]:
    text = spec.strip()
    if text.endswith((CARD, WEIGHTS)) and os.path.isfile(text):
        return [text]
    place, colon, rest = text.partition(":")
    module = sys.modules.get(place)
    file = getattr(module, "__file__", None)
    if colon and file is not None and Path(file).resolve() == Path(f"{place}.py").resolve():
        return [f"{place}.py", colon, *_SIGNS.split(rest)]
    return _SIGNS.split(text)


def _packed(executor: Executor, part: str) -> str | _Files:
    is_path = "." in part or os.sep in part or "/" in part
    if not is_path or not os.path.exists(part):
        return part
    baseline = files_of(part) if part.endswith((CARD, WEIGHTS)) or os.path.isdir(part) else None
    if baseline is None and not os.path.isfile(part):
        return part
    files = baseline or (Path(part),)
    try:
        contents = tuple((file.name, executor.share(file.read_bytes())) for file in files)
    except OSError as error:
        raise WorkerError(f"{part}: cannot be read: {reason(error)}.") from None
    return _Files(files[0].name, contents)


def _written(part: str | _Files) -> str:
    if isinstance(part, str):
        return part
    folder = Path(tempfile.mkdtemp(prefix="speicher-files-"))
    for name, content in part.contents:
        (folder / name).write_bytes(content.get())
    return str(folder / part.main)
