"""Tables of the page on the limit of speed."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.results import read
from docs.tables.markdown import Result, counts_of, measured_on, not_quiet, paragraphs, table
from speicher_apps.meter.report import short


def machine() -> str:
    """Where the numbers of the page were measured."""
    limit = read("limit")
    return measured_on(limit) + f" Medians of {limit['rounds']} rounds of {limit['seconds']:g} s."


def written_bytes() -> str:
    """Bytes that a decision writes for the caller."""
    limit = read("limit")
    counts = counts_of(limit["players"])
    rows = [(what, *(f"{limit['written'][count][what]:,}" for count in counts)) for what in limit["written"]["2"]]
    rows.append(("**together, bytes**", *(f"**{_bytes(limit, count):,}**" for count in counts)))
    return table(("written for the caller", *(f"{count} players" for count in counts)), rows)


def memory() -> str:
    """What the memory of the machine can do."""
    rows = [
        (_size(place["bytes"]), *(f"{place[how]['median'] / 1e9:.1f}" for how in ("fill", "copy")))
        for place in read("limit")["memory"].values()
    ]
    return table(("an array of", "filled, GB/s", "copied, GB/s"), rows)


def bounds() -> str:
    """Decisions per second that the bytes, the rules, and both would allow, and those reached."""
    limit = read("limit")
    counts = counts_of(limit["players"])
    rows = [(title, *(short(1e9 / of(limit, count)) for count in counts)) for title, of in BOUNDS.items()]
    return table(("decisions per second", *(f"{count} players" for count in counts)), rows)


def parts() -> str:
    """Nanoseconds of one decision by part."""
    limit = read("limit")
    counts = counts_of(limit["players"])
    rows = [(title, *(_part(of(limit, count), limit, count) for count in counts)) for title, of in PARTS.items()]
    whole = [f"{_time(limit, count, 'observed') - _time(limit, count, 'masked'):.0f}" for count in counts]
    rows.append(("an observation written whole, for comparison", *whole))
    rows.append(("a deal, of which each game has one", *(f"{_time(limit, count, 'deal'):,.0f}" for count in counts)))
    rows.append(("a deal, for each decision of its game", *(f"{_deal(limit, count):.1f}" for count in counts)))
    header = ("nanoseconds", *(f"{count} players" for count in counts))
    return paragraphs(table(header, rows), not_quiet(limit_doubts(limit)))


def _time(limit: Result, count: str, name: str) -> float:
    value: float = limit["players"][count]["times"][name]["median"]
    return value


def _bytes(limit: Result, count: str) -> int:
    return sum(limit["written"][count].values())


def _size(number: int) -> str:
    return f"{number // 2**20} MiB" if number >= 2**20 else f"{number // 2**10} KiB"


def _fill(limit: Result, count: str) -> float:
    return 1e9 * _bytes(limit, count) / limit["memory"]["batch"]["fill"]["median"]


def _rules(limit: Result, count: str) -> float:
    return _time(limit, count, "rules") - _time(limit, count, "choice")


def _call(limit: Result, count: str) -> float:
    return _time(limit, count, "call") / limit["games"]


def _observation(limit: Result, count: str) -> float:
    return _time(limit, count, "refreshed") - _time(limit, count, "masked")


def _mask(limit: Result, count: str) -> float:
    return _time(limit, count, "masked") - _time(limit, count, "rules")


def _deal(limit: Result, count: str) -> float:
    lengths: float = limit["players"][count]["decisions_of_a_game"]
    return _time(limit, count, "deal") / lengths


def _known(limit: Result, count: str) -> float:
    known = (_rules, _mask, _observation, _check, _call)
    return sum(part(limit, count) for part in known)


def _check(limit: Result, count: str) -> float:
    return _time(limit, count, "check")


def _batch(limit: Result, count: str) -> float:
    return _time(limit, count, "batch")


Part = Callable[[Result, str], float]

BOUNDS: dict[str, Part] = {
    "the bytes alone": _fill,
    "the rules alone": _rules,
    "the rules and the bytes": lambda limit, count: _rules(limit, count) + _fill(limit, count),
    "**reached by `Batch.step`**": _batch,
}

PARTS: dict[str, Part] = {
    "the rules, deals included": _rules,
    "the mask": _mask,
    "the observation, kept up to date": _observation,
    "the check that all actions are legal": _check,
    "the call from Python": _call,
    "bookkeeping, and memory access": lambda limit, count: _batch(limit, count) - _known(limit, count),
    "**together**": _batch,
}


def _part(nanoseconds: float, limit: Result, count: str) -> str:
    return f"{nanoseconds:.1f} ({100 * nanoseconds / _batch(limit, count):.0f} %)"


def limit_doubts(limit: Result) -> list[str]:
    """Whether the core was ours while it was measured."""
    shares = [time["cpu"] for parts in limit["players"].values() for time in parts["times"].values()]
    if min(shares) >= 0.95:
        return []
    return [f"Other processes took part of the core, {1 - min(shares):.0%} of it at worst."]


TABLES = {
    "limit machine": machine,
    "limit bytes": written_bytes,
    "limit memory": memory,
    "limit bounds": bounds,
    "limit parts": parts,
}
