"""What cases of the cluster test count, and the faults they find."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Report", "games_of", "wait_for"]

PATIENCE = 240.0
"""Seconds that anything may take."""


@dataclass
class Report:
    """Counts and faults of all cases."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    case: str = ""

    def expect(self, holds: bool, fault: str) -> None:
        """Note a fault unless the condition holds."""
        if not holds:
            self.faults.append(f"{self.case}: {fault}")

    def compare(self, expected: Path, actual: Path) -> None:
        """Compare the games of two arenas; they must be the same to the byte."""
        whole, deals = games_of(expected), games_of(actual)
        numbers = Counter(number for number, _ in deals)
        games = Counter({number: len(deal["points"]) for number, deal in whole})
        self.counts["games"] += sum(games[number] for number in numbers)
        lost = sum(games[number] for number in games if number not in numbers)
        doubled = sum(games[number] * (times - 1) for number, times in numbers.items())
        self.counts["games lost"] += lost
        self.counts["games doubled"] += doubled
        self.expect(not lost and not doubled, f"{lost} games lost and {doubled} doubled in {actual}")
        for name in ("run.json", "deals.jsonl", "games.csv", "players.csv"):
            same = (expected / name).read_bytes() == (actual / name).read_bytes()
            self.expect(same, f"{name} differs in {actual} from that in {expected}")

    @contextmanager
    def of(self, case: str) -> Iterator[None]:
        """A block whose faults are those of a case."""
        self.case = case
        began = time.monotonic()
        faults = len(self.faults)
        try:
            yield
        except Exception as error:
            self.faults.append(f"{case}: {type(error).__name__}: {error}")
        outcome = "fails" if len(self.faults) > faults else "holds"
        print(f"{case:14s} {outcome}, {time.monotonic() - began:.0f} s", flush=True)


def games_of(folder: Path) -> list[tuple[int, dict]]:
    """The deals of an arena by number, as often as they are there."""
    lines = (folder / "deals.jsonl").read_text().splitlines()
    return [(deal["deal"], deal) for line in lines for deal in json.loads(line)["deals"]]


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: If it takes longer than `PATIENCE`.
    """
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} takes longer than {PATIENCE:g} s")
        time.sleep(0.02)
