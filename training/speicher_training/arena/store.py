"""The folder of a run: what it is, and its finished deals, kept chunk by chunk so that the same command goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import FORMAT, Plan
from speicher_training.files import write_file

RUN, DEALS, TIMES = "run.json", "deals.jsonl", "times.jsonl"

Line = dict[str, Any]


class Store:
    """A run's folder. With None for a folder everything is kept in memory."""

    def __init__(self, folder: Path | None, plan: Plan) -> None:
        """Begin a run, or find what it has finished."""
        self.folder = folder
        self.lines: list[Line] = []
        self.times: list[dict[str, list[float]]] = []
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / RUN).exists():
                _check_same(folder / RUN, plan)
                self.lines = read_lines(folder / DEALS, plan, mend=True)
                self.times = _read_times(folder / TIMES)
                return
            for name in (DEALS, TIMES):
                if (folder / name).exists():
                    raise ArenaError(
                        f"{folder / name}: there is no {RUN} beside it, so it is of another run; choose another folder"
                    )
            write_file(folder / RUN, json.dumps(plan.identity(), indent=2) + "\n")
        except OSError as error:
            raise ArenaError(f"{folder}: nothing can be kept there ({error.strerror}), must be a folder") from None

    @property
    def deals(self) -> int:
        """Finished deals."""
        return sum(len(line["deals"]) for line in self.lines)

    def make_room(self, plan: Plan, deals: int) -> None:
        """Where more deals are wanted than there are, a last chunk that is not full is played again as a whole."""
        if not self.lines or self.deals >= deals or len(self.lines[-1]["deals"]) == plan.deals_per_chunk:
            return
        self.lines.pop()
        if self.folder is not None:
            text = "".join(_line_of(line) for line in self.lines)
            write_file(self.folder / DEALS, text)

    def add(self, line: Line, times: dict[str, list[float]]) -> None:
        """Keep a finished chunk; it is on the disk when this returns."""
        self.lines.append(line)
        self.times.append(times)
        if self.folder is None:
            return
        try:
            if times:
                _append(self.folder / TIMES, times)
            _append(self.folder / DEALS, line)
        except OSError as error:
            raise ArenaError(f"{self.folder}: a finished chunk cannot be written ({error.strerror})") from None


def read_json(path: Path, what: str) -> Line:
    """The JSON object in a file; `what` says what it must be."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArenaError(f"{path}: there is no such file, must be {what}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ArenaError(f"{path}: it cannot be read ({reason}), must be {what}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        at = f": {error.msg} at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ArenaError(f"{path}: it is no JSON{at}, must be {what}") from None
    if not isinstance(value, dict):
        raise ArenaError(f"{path}: found a {type(value).__name__}, must be {what}")
    return value


def read_lines(path: Path, plan: Plan, *, mend: bool) -> list[Line]:
    """The finished chunks of a run in order; `mend` takes away a last line that was cut short."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if mend and whole < len(content):
        with path.open("r+b") as stream:
            stream.truncate(whole)
    lines: list[Line] = []
    for number, text in enumerate(content[:whole].splitlines()):
        where = f"{path}, line {number + 1}"
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            raise ArenaError(
                f"{where}: it is no JSON, must be a chunk of finished deals; cut the file before it to go on from there"
            ) from None
        if not _is_chunk(line, number, plan):
            raise ArenaError(f"{where}: found something else, must be chunk {number} of this run")
        if lines and len(lines[-1]["deals"]) < plan.deals_per_chunk:
            raise ArenaError(f"{where}: the chunk before it is not full, must be the last one")
        lines.append(line)
    return lines


def _is_chunk(line: object, number: int, plan: Plan) -> bool:
    """Whether a line is a chunk of this run, full or the last one so far."""
    if not isinstance(line, dict) or line.get("chunk") != number or not isinstance(line.get("deals"), list):
        return False
    shape = (plan.schedule.games, plan.num_players)
    first = number * plan.deals_per_chunk
    if not 0 < len(line["deals"]) <= plan.deals_per_chunk:
        return False
    for index, told in enumerate(line["deals"]):
        if not isinstance(told, dict) or told.get("deal") != first + index:
            return False
        if told.get("seed") != plan.first_seed + first + index or told.get("first_player") not in range(shape[1]):
            return False
        for key in ("points", "coins"):
            try:
                numbers = np.array(told.get(key))
            except ValueError:
                return False
            if numbers.shape != shape or numbers.dtype.kind != "i":
                return False
        for lost in told.get("forfeits", []):
            if not isinstance(lost, dict) or "why" not in lost:
                return False
            if lost.get("game") not in range(shape[0]) or lost.get("seat") not in range(shape[1]):
                return False
    return True


def _read_times(path: Path) -> list[dict[str, list[float]]]:
    """How long players took. It is of no weight, so what cannot be read is left out."""
    if not path.exists():
        return []
    times = []
    for text in path.read_bytes().splitlines():
        try:
            told = json.loads(text)
            times.append({str(name): [int(count), float(seconds)] for name, (count, seconds) in told.items()})
        except (ValueError, AttributeError, TypeError):
            continue
    return times


def _check_same(path: Path, plan: Plan) -> None:
    there, here = read_json(path, "the run.json of an arena"), plan.identity()
    if there.get("format") != FORMAT:
        raise ArenaError(f'{path}: its format is {json.dumps(there.get("format"))}, must be "{FORMAT}"')
    for key, value in json.loads(json.dumps(here)).items():
        if there.get(key) != value:
            raise ArenaError(
                f"{path}: it is of another run, whose {key} is {_short(there.get(key))} and not {_short(value)}; "
                "choose another folder"
            )


def _short(value: object) -> str:
    if isinstance(value, list) and all(isinstance(entry, dict) and "name" in entry for entry in value):
        return ", ".join(str(entry["name"]) for entry in value) or "nobody"
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _append(path: Path, value: object) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(_line_of(value))
        stream.flush()
        os.fsync(stream.fileno())


def _line_of(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"
