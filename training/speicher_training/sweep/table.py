"""What the trials of a sweep amount to: for each combination of settings, means over its seeds with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from speicher_training.intervals import Interval, mean_interval, within
from speicher_training.sweep.grid import Combination, Trial, named

__all__ = ["combined", "last_shares", "markdown", "rich_table", "words"]

Results = Mapping[str, Mapping[str, Any]]
"""The results of finished trials, by their names."""


def combined(trials: Iterable[Trial], results: Results) -> list[dict[str, Any]]:
    """A row for each combination, in their order.

    A row has `settings`, `seeds` (those finished), and means with 95 % intervals over the seeds: of `decisions`, of
    `core_minutes`, and in `win_shares` of the last win share for each number of players and opponent. One seed has no
    interval, so its ends are None.
    """
    seeds: dict[str, list[Trial]] = {}
    for trial in trials:
        seeds.setdefault(named(trial.combination), []).append(trial)
    return [_row(group[0].combination, [trial for trial in group if trial.name in results], results)
            for group in seeds.values()]  # fmt: skip


def _row(combination: Combination, finished: list[Trial], results: Results) -> dict[str, Any]:
    found = [results[trial.name] for trial in finished]
    shares: dict[tuple[int, str], list[float]] = {}
    for result in found:
        for key, share in last_shares(result).items():
            shares.setdefault(key, []).append(share)
    return {
        "settings": dict(combination),
        "seeds": [trial.seed for trial in finished],
        "decisions": _mean([result["steps"] for result in found]),
        "core_minutes": _mean([result["core_seconds"] / 60 for result in found]),
        "win_shares": [
            {"players": players, "opponent": opponent, "seeds": len(values), **_share(values)}
            for (players, opponent), values in shares.items()
        ],
    }


def last_shares(result: Mapping[str, Any]) -> dict[tuple[int, str], float]:
    """The last win share of a trial for each number of players and opponent."""
    return {(line["players"], line["opponent"]): line["win_share"] for line in result["evaluations"]}


def _mean(values: list[float]) -> dict[str, float | None]:
    if not values:
        return {"estimate": None, "low": None, "high": None}
    interval: Interval = mean_interval(values)
    return dict(interval) if len(values) > 1 else {"estimate": interval["estimate"], "low": None, "high": None}


def _share(values: list[float]) -> dict[str, float | None]:
    if len(values) == 1:
        return _mean(values)
    return dict(within(mean_interval(values), 0.0, 1.0))


def _columns(rows: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return list(dict.fromkeys((each["players"], each["opponent"]) for row in rows for each in row["win_shares"]))


def _header(rows: list[dict[str, Any]]) -> list[str]:
    columns = _columns(rows)
    several = len({players for players, _ in columns}) > 1
    shares = [f"{opponent}, {players} players, %" if several else f"{opponent}, %" for players, opponent in columns]
    return ["settings", "seeds", *shares, "decisions", "core minutes"]


def _cells(row: dict[str, Any], columns: list[tuple[int, str]]) -> list[str]:
    by_opponent = {(each["players"], each["opponent"]): each for each in row["win_shares"]}
    shares = [words(by_opponent.get(column), 100, 1) for column in columns]
    return [
        named(row["settings"]).replace(",", ", ") or "the recipe",
        str(len(row["seeds"])),
        *shares,
        words({**row["decisions"], "low": None}, 1, 0),
        words({**row["core_minutes"], "low": None}, 1, 1),
    ]


def words(interval: Mapping[str, Any] | None, scale: float, digits: int) -> str:
    """A number with its interval, if it has one; a dash if there is none."""
    if interval is None or interval["estimate"] is None:
        return "–"
    text = f"{scale * interval['estimate']:,.{digits}f}"
    if interval["low"] is None:
        return text
    return f"{text} [{scale * interval['low']:.{digits}f}, {scale * interval['high']:.{digits}f}]"


def markdown(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    header = _header(rows)
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *(_cells(row, _columns(rows)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rich_table(rows: list[dict[str, Any]]) -> Table:
    """The rows as a table for the terminal."""
    header = _header(rows)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(header[0], overflow="fold")
    for title in header[1:]:
        table.add_column(title, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, _cells(row, _columns(rows))))
    return table
