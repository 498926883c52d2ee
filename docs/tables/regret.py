"""Tables of the page on regret."""

from __future__ import annotations

from benchmarks.results import read
from docs.tables.markdown import Result, code, measured_on, paragraphs, table


def measured() -> str:
    """Where the numbers of the page were measured, and on how many games and decisions."""
    result = read("regret")
    counts = {row["players"]: row for row in result["rows"]}
    sizes = ", ".join(
        f"{row['games']} games and {row['decisions']:,} decisions of {players} players"
        for players, row in counts.items()
    )
    return f"{measured_on(result)} In the same positions: {sizes}."


def shares() -> str:
    """Win shares lost in the same positions, in %."""
    return _by_players("share", 100)


def points() -> str:
    """Points lost in the same positions."""
    return _by_players("points", 1)


def own() -> str:
    """Losses of each player in games of its own."""
    rows = [
        (
            code(row["player"]),
            f"{row['decisions']:,}",
            _interval(row, "share", 100),
            _interval(row, "points", 1),
            _interval(row, "wrong", 100),
        )
        for row in read("regret")["own"]
    ]
    header = ("player", "decisions", "win share lost, %", "points lost", "not the best action, %")
    return paragraphs(table(header, rows))


def _by_players(loss: str, scale: float) -> str:
    rows = read("regret")["rows"]
    found = {(row["player"], row["players"]): row for row in rows}
    players = list(dict.fromkeys(row["player"] for row in rows))
    counts = list(dict.fromkeys(row["players"] for row in rows))
    cells = [(code(player), *(_interval(found[player, count], loss, scale) for count in counts)) for player in players]
    return paragraphs(table(("player", *(f"{count} players" for count in counts)), cells))


def _interval(row: Result, loss: str, scale: float) -> str:
    estimate, low, high = (scale * row[loss][end] for end in ("estimate", "low", "high"))
    return f"{estimate:.2f} [{low:.2f}, {high:.2f}]"


TABLES = {
    "regret measured": measured,
    "regret shares": shares,
    "regret points": points,
    "regret own": own,
}
