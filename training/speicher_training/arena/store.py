"""The folder of a run: what the run is, and its finished deals, chunk by chunk, so that the same command resumes it.

A folder is locked while a run uses it, and everything in it is checked before anything is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from speicher_env.messages import must_be
from speicher_env.reading import path_shown, read_json, reason
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import FORMAT, Plan
from speicher_training.files import (
    LOCK,
    JsonLines,
    digest_of,
    is_part,
    locked,
    make_folder,
    remove_parts,
    write_file,
)

__all__ = [
    "DEALS", "MOST_LINES_BYTES", "MOST_RUN_BYTES", "RUN", "Line", "Store", "Times", "Usage", "claimed", "open_store",
]  # fmt: skip

RUN, DEALS, TIMES = "run.json", "deals.jsonl", "times.jsonl"
MOST_RUN_BYTES = 1 << 22
MOST_LINES_BYTES = 1 << 31
_NUMBERS = np.iinfo(np.int16)
"""Points and coins fit into this type."""

Line = dict[str, Any]
"""A chunk of finished deals, as a line of `deals.jsonl` holds it."""
Times = dict[str, list[float]]
"""Decisions and seconds of each player that was asked through Python."""
Usage = dict[str, dict[str, float]]
"""What players have used in a chunk, see `Agent.usage`; only those that count something."""


class Store:
    """The finished deals of a run, in memory and, with a folder, on the disk.

    Attributes:
        lines: The chunks, in order.
        times: How long players took, by chunk.
        usage: What players used, by chunk, such as tokens of a language model.
    """

    def __init__(self, plan: Plan, folder: Path | None = None) -> None:
        """Read and check what the folder holds of the run; nothing is changed."""
        self.plan = plan
        self.folder = folder
        self.lines: list[Line] = []
        self.times: dict[int, Times] = {}
        self.usage: dict[int, Usage] = {}
        if folder is None:
            return
        tie = digest_of(json.dumps(plan.identity(), sort_keys=True).encode())
        self._deals, self._times = JsonLines(folder / DEALS, tie), JsonLines(folder / TIMES, tie)
        for number, line in enumerate(self._deals.read(MOST_LINES_BYTES)):
            if not _is_chunk(line, number, plan) or (self.lines and not self._last_is_full()):
                raise ArenaError(
                    f"{path_shown(folder / DEALS)}, line {number + 1}: must be chunk {number} of this run."
                )
            self.lines.append(line)
        for number, line in enumerate(self._times.read(MOST_LINES_BYTES)):
            if not _is_times(line, plan):
                raise ArenaError(
                    f"{path_shown(folder / TIMES)}, line {number + 1}: must be the times of a chunk of this run."
                )
            if line["chunk"] < len(self.lines):  # a chunk that was not finished is played and timed again
                self.times[line["chunk"]] = line["asked"]
                self.usage[line["chunk"]] = line.get("usage", {})

    @property
    def deals(self) -> int:
        """Finished deals."""
        return sum(len(line["deals"]) for line in self.lines)

    def make_room(self, deals: int) -> None:
        """Drop a last chunk that is not full if more deals are needed than there are: it is played again as a whole."""
        if self.lines and self.deals < deals and not self._last_is_full():
            self.lines.pop()
            self.times.pop(len(self.lines), None)
            self.usage.pop(len(self.lines), None)
            if self.folder is not None:
                self._deals.rewrite(self.lines)

    def add(self, line: Line, asked: Times, usage: Usage) -> None:
        """Keep a finished chunk; it is on the disk when this returns."""
        if self.folder is not None:
            if asked:
                self._times.append({"chunk": line["chunk"], "asked": asked, **({"usage": usage} if usage else {})})
            self._deals.append(line)
        self.lines.append(line)
        self.times[line["chunk"]] = asked
        self.usage[line["chunk"]] = usage

    def _last_is_full(self) -> bool:
        return len(self.lines[-1]["deals"]) == self.plan.deals_per_chunk


@contextmanager
def open_store(folder: Path | None, plan: Plan) -> Iterator[Store]:
    """Lock the folder of a run, and find what is finished in it or begin the run there.

    Raises:
        ArenaError: For a folder that is not of this run; it is not changed then.
        FileError: For a folder in use, a file that is damaged or was edited, or one that cannot be read or written.
    """
    if folder is None:
        yield Store(plan)
        return
    with claimed(folder, plan):
        store = Store(plan, folder)
        yield store


@contextmanager
def claimed(folder: Path, plan: Plan) -> Iterator[None]:
    """Hold the lock of a folder that is new, empty or of this run, and mark it as of this run."""
    check_folder(folder, plan)
    make_folder(folder)
    with locked(folder):
        check_folder(folder, plan)
        remove_parts(folder)
        if not (folder / RUN).exists():
            write_file(folder / RUN, json.dumps(plan.identity(), indent=2) + "\n")
        yield


def check_folder(folder: Path, plan: Plan) -> None:
    """Refuse a folder that holds another run, or other files and no run; nothing is changed."""
    try:
        if (folder / RUN).exists():
            _check_same(folder / RUN, plan)
        elif folder.is_dir() and not all(is_part(path) or path.name == LOCK for path in folder.iterdir()):
            raise ArenaError(
                f"{path_shown(folder)}: it holds other files and no {RUN}; must be a new folder, an empty one or that "
                "of this run."
            )
    except (OSError, ValueError) as error:
        raise ArenaError(f"{path_shown(folder)}: cannot be used as a folder: {reason(error)}.") from None


def _check_same(path: Path, plan: Plan) -> None:
    there = read_json(path, MOST_RUN_BYTES, "the run.json of an arena", ArenaError)
    if there.get("format") != FORMAT:
        raise ArenaError(must_be("format", there.get("format"), f'"{FORMAT}"', path_shown(path)))
    for key, value in json.loads(json.dumps(plan.identity())).items():
        if there.get(key) != value:
            raise ArenaError(
                f"{path_shown(path)}: it is of another run, whose {key} is {_short(there.get(key))} and not "
                f"{_short(value)}; choose another folder."
            )


def _is_chunk(line: Line, number: int, plan: Plan) -> bool:
    """Whether a line is a chunk of this run, full or the last one so far."""
    deals = line.get("deals")
    if line.get("chunk") != number or not isinstance(deals, list) or not 0 < len(deals) <= plan.deals_per_chunk:
        return False
    return all(_is_deal(deal, number * plan.deals_per_chunk + place, plan) for place, deal in enumerate(deals))


def _is_deal(deal: object, number: int, plan: Plan) -> bool:
    games, seats = plan.schedule.games, plan.num_players
    if not isinstance(deal, dict) or deal.get("deal") != number or deal.get("seed") != plan.first_seed + number:
        return False
    if not _is_place(deal.get("first_player"), seats):
        return False
    for key, least, most in (("points", _NUMBERS.min, _NUMBERS.max), ("coins", 0, _NUMBERS.max), ("ranks", 1, seats)):
        try:
            numbers = np.array(deal.get(key))
        except ValueError:  # rows of different lengths
            return False
        if numbers.shape != (games, seats) or numbers.dtype.kind != "i":
            return False
        if numbers.min() < least or numbers.max() > most or (key == "ranks" and not _are_ranks(numbers)):
            return False
    forfeits = deal.get("forfeits", [])
    return isinstance(forfeits, list) and all(
        isinstance(forfeit, dict)
        and isinstance(forfeit.get("why"), str)
        and _is_place(forfeit.get("game"), games)
        and _is_place(forfeit.get("seat"), seats)
        for forfeit in forfeits
    )


def _are_ranks(numbers: np.ndarray) -> bool:
    """Whether each row ranks its seats: every rank is 1 more than the number of seats that are better."""
    better = (numbers[:, None, :] < numbers[:, :, None]).sum(axis=2)
    return bool((numbers == better + 1).all())


def _is_place(value: object, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _is_times(line: Line, plan: Plan) -> bool:
    asked = line.get("asked")
    if not _is_place(line.get("chunk"), 1 << 40) or not isinstance(asked, dict):
        return False
    for name, numbers in asked.items():
        if name not in plan.names or not isinstance(numbers, list) or len(numbers) != 2:
            return False
        if not all(map(_is_amount, numbers)):
            return False
    usage = line.get("usage", {})
    return isinstance(usage, dict) and all(
        name in plan.names and isinstance(counts, dict) and all(map(_is_amount, counts.values()))
        for name, counts in usage.items()
    )


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _short(value: object) -> str:
    if isinstance(value, list) and all(isinstance(entry, dict) and "name" in entry for entry in value):
        return ", ".join(str(entry["name"]) for entry in value) or "nobody"
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
