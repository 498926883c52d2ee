"""The report in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from speicher_agents.usage import usage_in_words
from speicher_env.render.words import seat_name
from speicher_training.arena.analysis import order_of

__all__ = ["tables"]

_MOST_IN_A_GRID = 10
"""With more players the pairs are in the CSV file only."""
_MOST_NAMED = 8


def tables(summary: dict[str, Any]) -> Iterator[RenderableType]:
    """The tables of players, pairs and seats, and sentences on what the numbers do and do not show."""
    order = order_of(summary["players"])
    players = [summary["players"][number] for number in order]
    yield _head(summary)
    yield "\nPlayers"
    yield _players(summary, players)
    if len(players) <= _MOST_IN_A_GRID:
        yield "Finished ahead of, % of common games (* significant)"
        yield _pairs(summary, [player["name"] for player in players])
    if summary["seats"]:
        yield "Against itself: win share % by place in the first round"
        yield _seats(summary, [player["name"] for player in players])
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
    for player in players:
        table.add_row(
            escape(player["name"]),
            "0" if player["name"] == summary["anchor"] else _range(player["rating"], 0, sign=True),
            _range(player["win_share"], 1, 100),
            f"{player['points']['estimate']:.1f}",
            _range(player["margin"], 1, sign=True),
            _time(summary["decision_times"].get(player["name"])),
        )
    return table


def _pairs(summary: dict[str, Any], names: list[str]) -> Table:
    numbers = [str(number) for number in range(1, len(names) + 1)]
    table = _table("", *numbers)
    shares = {}
    for pair in summary["pairs"]:
        mark = "*" if pair["significant"] else " "
        share = 100 * pair["ahead"]["estimate"]
        shares[pair["first"], pair["second"]] = f"{share:.1f}{mark}"
        shares[pair["second"], pair["first"]] = f"{100 - share:.1f}{mark}"
    for number, name in zip(numbers, names, strict=True):
        table.add_row(escape(f"{number} {name}"), *(shares.get((name, other), "") for other in names))
    return table


def _seats(summary: dict[str, Any], names: list[str]) -> Table:
    places = [_nth(place) for place in range(summary["num_players"])]
    table = _table("player", *places)
    by_name = {seat["name"]: seat["places"] for seat in summary["seats"]}
    for name in names:
        table.add_row(escape(name), *(_range(place, 1, 100) for place in by_name[name]))
    return table


def sentences(summary: dict[str, Any]) -> Iterator[str]:
    """What the tables cannot show."""
    anchor, level = summary["anchor"], round(100 * summary["level"])
    yield (
        f"Ratings: {anchor} = 0, 400 more make the odds of winning ten times as good. In brackets: {level} % intervals "
        f"from a bootstrap over deals. Par for the win share: {100 * summary['par']:.1f} %. "
        f"Shared wins: {100 * summary['ties']:.1f} % of games."
    )
    not_significant = [f"{pair['first']} - {pair['second']}" for pair in summary["pairs"] if not pair["significant"]]
    total = len(summary["pairs"])
    if not not_significant:
        what = f"All {total} differences between players are" if total > 1 else "The difference between the players is"
        yield f"{what} significant at 5 %{' (Holm)' * (total > 1)}."
    else:
        more = f" and {len(not_significant) - _MOST_NAMED} more" * (len(not_significant) > _MOST_NAMED)
        named = ", ".join(not_significant[:_MOST_NAMED]) + more
        yield f"Not significant at 5 % (Holm, {total} pair{'s' * (total > 1)}): {named}."
    if summary["sequential"]:
        yield from _sequential(summary["sequential"])
    for failure in summary["failures"]:
        first = failure["first"]
        yield (
            f"{failure['name']} forfeited {failure['games']} game{'s' * (failure['games'] > 1)}: it {failure['why']} "
            f"(first in game {first['game']} of the deal of seed {first['seed']}, {seat_name(first['seat'])})."
        )
    for name, usage in summary.get("usage", {}).items():
        yield f"{name}: {usage_in_words(usage)}."
    if not summary["complete"]:
        yield "Not everything that was asked for has been played; the same command resumes the run."


def _sequential(test: dict[str, Any]) -> Iterator[str]:
    alpha, margin = 100 * test["alpha"], 100 * test["indifference"]
    for pair in test["pairs"]:
        names = f"{pair['first']} - {pair['second']}"
        if pair["verdict"] == "open":
            yield f"{names}: not decided in {test['deals']} deals."
        elif pair["verdict"] == "equal":
            yield f"{names}: equal within {margin:g} percentage points, decided after {pair['deal']} deals."
        else:
            yield f"{names}: {pair[pair['verdict']]} is better, decided after {pair['deal']} deals."
    yield (
        f"The chance that any of these decisions is wrong is at most {alpha:g} %, whenever the run stops; "
        "the intervals above ignore the stopping."
    )


def _range(numbers: dict[str, float], digits: int, scale: float = 1, sign: bool = False) -> str:
    form = f"{{:{'+' if sign else ''}.{digits}f}}"
    estimate, low, high = (form.format(scale * numbers[key] + 0.0) for key in ("estimate", "low", "high"))
    return f"{estimate} [{low}, {high}]".replace("[", r"\[")


def _time(timing: dict[str, Any] | None) -> str:
    if timing is None:
        return ""
    seconds = timing["seconds"]
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _nth(place: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[place]
