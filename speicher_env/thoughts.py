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
from typing import Any, NamedTuple

from speicher_env.errors import RecordError
from speicher_env.messages import field_must_be, must_be
from speicher_env.rules.actions import ACTION_TEXTS

KEY = "think"
DIGITS = 4
"""After the decimal point: enough to look at, and files stay small."""
_TEXTS = frozenset(ACTION_TEXTS)


class Thought(NamedTuple):
    """One entry of `think`; what is not known is empty."""

    player: str
    probabilities: dict[str, float]
    values: list[float]
    line: list[str]


def thought(
    player: str,
    probabilities: Mapping[str, float] | None = None,
    values: Sequence[float] | None = None,
    line: Sequence[str] | None = None,
) -> dict[str, Any]:
    """An entry of `think` as plain values for JSON, rounded, without what is zero or empty."""
    entry: dict[str, Any] = {"player": player}
    if probabilities:
        rounded = {action: round(float(share), DIGITS) for action, share in probabilities.items()}
        entry["probabilities"] = {action: share for action, share in rounded.items() if share}
    if values is not None and len(values):
        entry["values"] = [round(float(value), DIGITS) for value in values]
    if line:
        entry["line"] = list(line)
    return entry


def thoughts(record: Mapping[str, Any]) -> list[Thought | None]:
    """The entry of each move, None where nothing is known.

    Raises:
        RecordError: At the first fault, see `think_faults`.
    """
    for fault in think_faults(record):
        raise RecordError(fault)
    entries = record.get(KEY) or [None] * len(record["moves"])
    return [entry and _read(entry) for entry in entries]


def _read(entry: Mapping[str, Any]) -> Thought:
    return Thought(
        entry["player"],
        dict(entry.get("probabilities") or {}),
        list(entry.get("values") or []),
        list(entry.get("line") or []),
    )


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
            yield from _entry_faults(entry, f"{KEY}[{index}]", record["players"])


def _entry_faults(entry: Any, place: str, players: int) -> Iterator[str]:
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
