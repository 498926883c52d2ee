"""What players thought at their decisions: the optional key `think` of a game record.

`think` is a list as long as `moves`. Its k-th entry belongs to ``moves[k]``: null if nothing is known, else a table:

| key | content |
|---|---|
| `player` | the spec of the player to move, such as ``"mcts:1000"`` |
| `probabilities` | the probability of each legal action, by its text, 0..1; actions left out count as 0 |
| `values` | the expected outcome of each seat, seat 0 first, -1..1: 1 for a sole win, -1/(n-1) for a loss |
| `line` | the expected continuation, its own choice first |

All but `player` are optional. Unknown keys are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from speicher_env.errors import RecordError
from speicher_env.messages import field_must_be, must_be
from speicher_env.rules.actions import ACTION_TEXTS

__all__ = ["KEY", "Thought", "think_faults", "thoughts"]

KEY = "think"
DIGITS = 4
"""After the decimal point: enough to look at, and files stay small."""
_TEXTS = frozenset(ACTION_TEXTS)


@dataclass(frozen=True)
class Thought:
    """What a player thinks of one decision; None for what it does not know."""

    probabilities: Mapping[str, float] | None = None
    """The probability of each legal action, by its text; of a search, how much it prefers each."""
    values: Sequence[float] | None = None
    """The expected outcome of each seat, seat 0 first: 1 for a sole win, -1/(n-1) for a loss."""
    line: Sequence[str] | None = None
    """The expected continuation. Its own choice is the first: a player that thinks and then acts plays that one."""
    player: str | None = None
    """In records the spec of the player."""

    def entry(self, player: str) -> dict[str, Any]:
        """An entry of `think` as plain values for JSON, rounded, without what is zero or empty.

        Args:
            player: The spec of the player.
        """
        entry: dict[str, Any] = {"player": player}
        if self.probabilities:
            rounded = {action: round(float(share), DIGITS) for action, share in self.probabilities.items()}
            entry["probabilities"] = {action: share for action, share in rounded.items() if share}
        if self.values is not None and len(self.values):
            entry["values"] = [round(float(value), DIGITS) for value in self.values]
        if self.line:
            entry["line"] = list(self.line)
        return entry


def thoughts(record: Mapping[str, Any]) -> list[Thought | None]:
    """The thought about each move, None where nothing is known.

    Raises:
        RecordError: At the first fault, see `think_faults`.
    """
    if not isinstance(record.get("moves"), list | tuple):
        raise RecordError(field_must_be(record, "moves", "a list of moves"))
    for fault in think_faults(record):
        raise RecordError(fault)
    entries = record.get(KEY) or [None] * len(record["moves"])
    return [entry and _read(entry) for entry in entries]


def _read(entry: Mapping[str, Any]) -> Thought:
    return Thought(entry.get("probabilities"), entry.get("values"), entry.get("line"), entry["player"])


def think_faults(record: Mapping[str, Any]) -> Iterator[str]:
    """All faults of the `think` of a record whose other parts are right, one sentence each."""
    if KEY not in record or record[KEY] is None:
        return
    entries, moves = record[KEY], record["moves"]
    if not isinstance(entries, list | tuple):
        yield must_be(KEY, entries, "a list with an entry for each move")
        return
    if len(entries) != len(moves):
        yield f"{KEY} has {len(entries)} entries: must be {len(moves)}, one for each move."
        return
    for index, entry in enumerate(entries):
        if entry is not None:
            yield from _entry_faults(entry, f"{KEY}[{index}]", record.get("players"))


def _entry_faults(entry: Any, place: str, players: Any) -> Iterator[str]:
    if not isinstance(entry, Mapping):
        yield must_be(place, entry, "a table or null")
        return
    if not isinstance(entry.get("player"), str):
        yield field_must_be(entry, "player", "the spec of a player", place)
    probabilities = entry.get("probabilities")
    if probabilities is not None:
        if not isinstance(probabilities, Mapping):
            yield must_be("probabilities", probabilities, "a table of numbers by action", place)
        else:
            for action, share in probabilities.items():
                if action not in _TEXTS:
                    yield must_be("action", action, "the text of an action", f"{place}.probabilities")
                elif not _is_number(share) or not 0 <= share <= 1:
                    yield must_be(str(action), share, "a number 0..1", f"{place}.probabilities")
    values = entry.get("values")
    if values is not None and not (
        isinstance(values, list | tuple)
        and len(values) == players
        and all(_is_number(value) and -1 <= value <= 1 for value in values)
    ):
        yield must_be("values", values, f"{players} numbers -1..1, one for each seat", place)
    line = entry.get("line")
    if line is not None and not (
        isinstance(line, list | tuple) and all(isinstance(action, str) and action in _TEXTS for action in line)
    ):
        yield must_be("line", line, "a list of action texts", place)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
