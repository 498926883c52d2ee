"""The page on the limit: the bytes of a decision, what memory and a core can do, and where the time goes."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.parts import Result, counts_of, measured_on, page, table, warnings
from speicher_apps.meter.report import short


def limit_page(limit: Result) -> str:
    """docs/limit.md."""
    counts = counts_of(limit["players"])
    games = f"{limit['games']:,}"
    return page(
        "# The limit",
        "How many bytes a decision must write, what memory and one core can do at best, and how far from that a step "
        f"of {games} games is.",
        measured_on(limit) + f" Medians of {limit['rounds']} rounds of {limit['seconds']:g} s.",
        "## Bytes",
        table(("written for the caller", *(f"{count} players" for count in counts)), [
            *((what, *(f"{limit['written'][count][what]:,}" for count in counts)) for what in limit["written"]["2"]),
            ("**together, bytes**", *(f"**{_bytes(limit, count):,}**" for count in counts)),
        ]),
        f"Beside that a step reads and writes the state, {limit['state_bytes']} bytes, and a small record of what the "
        "observation shows, so that the next one need not be written whole.",
        "## Memory",
        table(("an array of", "filled, GB/s", "copied, GB/s"), [
            (_size(place["bytes"]), *(f"{place[how]['median'] / 1e9:.1f}" for how in ("fill", "copy")))
            for place in limit["memory"].values()
        ]),
        "## How far from it",
        "If nothing had to be thought about and the bytes above were only filled, at the rate of an array as large as "
        "a batch in training; and if the rules were played as well, without what the caller needs.",
        table(("decisions per second", *(f"{count} players" for count in counts)), [
            (title, *(short(1e9 / of(limit, count)) for count in counts)) for title, of in BOUNDS.items()
        ]),
        "## Where the time goes",
        f"Nanoseconds of one decision in a step of {games} games. The rules, the mask and the observation are "
        "differences between compiled loops that do more and more in one record close at hand; the check and the call "
        "are measured alone. What remains is the books of each game (whose decision it is, the ends, the rewards) and "
        "the way to memory, for the rows of a batch do not fit close to the core.",
        table(("nanoseconds", *(f"{count} players" for count in counts)), [
            (title, *(_part(of(limit, count), limit, count) for count in counts)) for title, of in PARTS.items()
        ]),
        "For comparison: an observation written whole, not kept up to date, takes "
        + ", ".join(f"{_time(limit, count, 'observed') - _time(limit, count, 'masked'):.0f} ns ({count} players)"
                    for count in counts)
        + "; a deal, of which each game has one, "
        + ", ".join(f"{_time(limit, count, 'deal'):,.0f} ns, {_deal(limit, count):.1f} ns for each decision"
                    f" ({count} players)" for count in counts)
        + ".",
        warnings(limit_doubts(limit)),
    )  # fmt: skip


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
    "the look whether all actions are legal": _check,
    "the call from Python": _call,
    "the books of the games, and memory": lambda limit, count: _batch(limit, count) - _known(limit, count),
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
