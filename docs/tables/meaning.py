"""Tables of the page on what the numbers mean."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.results import read
from docs.tables.markdown import Result, bullets, code, measured_on, paragraphs, ranged, table
from speicher_env.messages import listed

ARENAS = {"2p": "2 players", "3p": "3 players", "4p": "4 players", "5p": "5 players", "2p-strong": "2, stronger"}


def measured() -> str:
    """Where the numbers of the page were measured."""
    return measured_on(read("meaning"))


def lottery(name: str) -> str:
    """Ratings, and the maximal lottery, of an arena."""
    found = read("meaning")["arenas"][name]
    rows = [
        (
            code(row["name"]),
            ranged(found["ratings"][row["name"]], 0, sign="+"),
            ranged(row["weight"], 1, 100),
            ranged(row["score"], 1, 100),
        )
        for row in found["lottery"]
    ]
    header = ("player", "rating", "part of the lottery, %", "ahead of the lottery, %")
    return paragraphs(
        f"{found['num_players']} players in a game, {found['deals']} deals.", table(header, rows), _circles(found)
    )


def _circles(found: Result) -> str:
    threes = []
    for first, second, third in found["circles"]:
        pairs = ((first, second), (second, third), (third, first))
        threes.append(listed([f"{code(one)} beats {code(other)}" for one, other in pairs]))
    if len(found["top_cycle"]) > 1:
        together = listed([code(name) for name in found["top_cycle"]])
        threes.insert(0, f"{together} beat everybody else, and each other in a circle")
    return bullets(f"{words}." for words in threes) if threes else "No three players beat each other in a circle."


def luck() -> str:
    """The parts of the variance, the mean of all lineups of each arena, and some lineups of two."""
    arenas = read("meaning")["arenas"]
    rows = [(ARENAS[name], *_parts(found["luck"][0])) for name, found in arenas.items()]
    return table(("arena", "seat, %", "skill, %", "deal, %", "rest, %"), rows)


def luck_by_gap() -> str:
    """The same for pairs of two players, by how far their ratings are apart."""
    rows = []
    for name in ("2p", "2p-strong"):
        found = read("meaning")["arenas"][name]
        for row in found["luck"][1:]:
            first, second = row["players"]
            gap = abs(found["ratings"][first]["estimate"] - found["ratings"][second]["estimate"])
            rows.append((gap, (f"{code(first)}, {code(second)}", f"{gap:.0f}", *_parts(row))))
    header = ("players", "ratings apart", "seat, %", "skill, %", "deal, %", "rest, %")
    return table(header, [row for _, row in sorted(rows)])


def equals() -> str:
    """The parts of the variance of players against themselves."""
    rows = [
        (code(row["player"]), row["players"], *(ranged(row[part], 0, 100) for part in ("seat", "deal", "rest")))
        for row in read("meaning")["equals"]
    ]
    return table(("player", "players", "seat, %", "deal, %", "own choices, %"), rows)


def seats() -> str:
    """Win shares against itself by place, for each arena."""
    parts = []
    for name in ("2p", "3p", "4p", "5p"):
        found = read("meaning")["arenas"][name]
        header = ("player", *(f"{place}." for place in range(1, found["num_players"] + 1)))
        rows = [(code(row["name"]), *(ranged(place, 1, 100) for place in row["places"])) for row in found["seats"]]
        par = f"{found['num_players']} players, {found['deals']} deals, par {100 / found['num_players']:.1f} %:"
        parts += [par, table(header, rows)]
    return paragraphs(*parts)


def ladder() -> str:
    """The steps of the skill ladder."""
    found = read("meaning")["ladder"]
    rows = [
        (
            f"{rung['budget']} to {rung['next_budget']}",
            ranged(rung["ahead"], 1, 100),
            _doublings([rung["doublings"][end] for end in ("estimate", "low", "high")]),
        )
        for rung in found["rungs"]
    ]
    return table(("iterations", "larger budget ahead, %", "doublings for 60 %"), rows)


def _doublings(numbers: Sequence[float | None]) -> str:
    estimate, low, high = ("never" if number is None else f"{number:.1f}" for number in numbers)
    return f"{estimate} [{low}, {high}]"


def _parts(row: Result) -> tuple[str, ...]:
    return tuple(ranged(row[part], 0, 100) for part in ("seat", "skill", "deal", "rest"))


TABLES = {
    "meaning measured": measured,
    "meaning luck": luck,
    "meaning luck by gap": luck_by_gap,
    "meaning equals": equals,
    "meaning seats": seats,
    "meaning ladder": ladder,
} | {f"meaning lottery {name}": partial(lottery, name) for name in ARENAS}
