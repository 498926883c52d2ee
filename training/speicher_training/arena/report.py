"""The report in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from speicher_training.arena.analysis import order_of

_MOST_IN_A_GRID = 10
"""With more players than this the pairs are left to the CSV file."""
_MOST_NAMED = 8


def tables(summary: dict[str, Any]) -> Iterator[RenderableType]:
    """Players, pairs, seats, and sentences on what the numbers do and do not show."""
    order = order_of(summary["players"])
    players = [summary["players"][number] for number in order]
    yield _head(summary)
    yield "\nPlayers"
    yield _players(summary, players)
    if len(players) <= _MOST_IN_A_GRID:
        yield "Finished ahead of, % of common games (* significant)"
        yield _pairs(summary, [told["name"] for told in players])
    if summary["seats"]:
        yield "Against itself: win share % by place in the first round"
        yield _seats(summary, [told["name"] for told in players])
    for sentence in sentences(summary):
        yield escape(sentence)


def _head(summary: dict[str, Any]) -> str:
    deck = summary["deck"] if isinstance(summary["deck"], str) else summary["deck"]["name"]
    first, last = summary["first_seed"], summary["first_seed"] + summary["deals"] - 1
    panel = f"panel {summary['panel']}, " if summary["panel"] else ""
    seated = f"with {summary['players'][0]['name']} alone in every seat" if summary.get("alone") else "in all seatings"
    return escape(
        f"{panel}{summary['num_players']} players, {deck} deck, {summary['deals']} deals of seeds {first}..{last} "
        f"{seated}, {summary['games']} games"
    )


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _players(summary: dict[str, Any], players: list[dict[str, Any]]) -> Table:
    table = _table("player", "rating", "win share %", "points", "margin", "time")
    for told in players:
        table.add_row(
            escape(told["name"]),
            "0" if told["name"] == summary["anchor"] else _range(told["rating"], 0, sign=True),
            _range(told["win_share"], 1, 100),
            f"{told['points']['estimate']:.1f}",
            _range(told["margin"], 1, sign=True),
            _time(summary["decision_times"].get(told["name"])),
        )
    return table


def _pairs(summary: dict[str, Any], names: list[str]) -> Table:
    numbers = [str(number) for number in range(1, len(names) + 1)]
    table = _table("", *numbers)
    found = {}
    for told in summary["pairs"]:
        mark = "*" if told["significant"] else " "
        share = 100 * told["ahead"]["estimate"]
        found[told["first"], told["second"]] = f"{share:.1f}{mark}"
        found[told["second"], told["first"]] = f"{100 - share:.1f}{mark}"
    for number, name in zip(numbers, names, strict=True):
        table.add_row(escape(f"{number} {name}"), *(found.get((name, other), "") for other in names))
    return table


def _seats(summary: dict[str, Any], names: list[str]) -> Table:
    places = [_nth(place) for place in range(summary["num_players"])]
    table = _table("player", *places)
    by_name = {told["name"]: told["places"] for told in summary["seats"]}
    for name in names:
        table.add_row(escape(name), *(_range(place, 1, 100) for place in by_name[name]))
    return table


def sentences(summary: dict[str, Any]) -> Iterator[str]:
    """What has to be said in words."""
    anchor, level = summary["anchor"], round(100 * summary["level"])
    yield (
        f"Ratings: {anchor} = 0, 400 more make the odds of winning ten times as good. In brackets: {level} % intervals "
        f"from a bootstrap over deals. Par for the win share: {100 * summary['par']:.1f} %. "
        f"Shared wins: {100 * summary['ties']:.1f} % of games."
    )
    unsure = [f"{told['first']} - {told['second']}" for told in summary["pairs"] if not told["significant"]]
    total = len(summary["pairs"])
    if not unsure:
        what = f"All {total} differences between players are" if total > 1 else "The difference between the players is"
        yield f"{what} significant at 5 %{' (Holm)' * (total > 1)}."
    else:
        more = f" and {len(unsure) - _MOST_NAMED} more" * (len(unsure) > _MOST_NAMED)
        named = ", ".join(unsure[:_MOST_NAMED]) + more
        yield f"Not significant at 5 % (Holm, {total} pair{'s' * (total > 1)}): {named}."
    if summary["sequential"]:
        yield from _sequential(summary["sequential"])
    for told in summary["failures"]:
        first = told["first"]
        yield (
            f"{told['name']} forfeited {told['games']} game{'s' * (told['games'] > 1)}: it {told['why']} "
            f"(first in game {first['game']} of the deal of seed {first['seed']}, seat {first['seat']})."
        )
    if not summary["complete"]:
        yield "Not all that was asked for has been played; the same command goes on."


def _sequential(told: dict[str, Any]) -> Iterator[str]:
    alpha, margin = 100 * told["alpha"], 100 * told["indifference"]
    for pair in told["pairs"]:
        names = f"{pair['first']} - {pair['second']}"
        if pair["verdict"] == "open":
            yield f"{names}: not decided in {told['deals']} deals."
        elif pair["verdict"] == "equal":
            yield f"{names}: equal within {margin:g} percentage points, decided after {pair['deal']} deals."
        else:
            yield f"{names}: {pair[pair['verdict']]} is better, decided after {pair['deal']} deals."
    yield (
        f"The chance that any of these decisions is wrong is at most {alpha:g} %, whenever the run stops; "
        "the intervals above know nothing of the stopping."
    )


def _range(numbers: dict[str, float], digits: int, scale: float = 1, sign: bool = False) -> str:
    form = f"{{:{'+' if sign else ''}.{digits}f}}"
    estimate, low, high = (form.format(scale * numbers[key] + 0.0) for key in ("estimate", "low", "high"))
    return f"{estimate} [{low}, {high}]".replace("[", r"\[")


def _time(told: dict[str, Any] | None) -> str:
    if told is None:
        return ""
    seconds = told["seconds"]
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _nth(place: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[place]
