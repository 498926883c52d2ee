"""Tables of the pages on mini-Speicherstadt and on exploitation."""

from __future__ import annotations

from typing import Any

from benchmarks.results import RESULTS, read
from docs.tables.markdown import code, measured_on, paragraphs, table
from speicher_env import mini


def games() -> str:
    """The mini games: what they begin with, and how large they are."""
    measured = {row["game"]: row for row in read("mini")["games"]}
    rows = []
    for name, game in mini.GAMES.items():
        row = measured[name]
        owned = " / ".join(", ".join(map(code, cards)) for cards in game.cards)
        rows.append(
            (
                code(name),
                " / ".join(map(str, game.coins)),
                owned,
                ", ".join(map(code, game.table)),
                ", ".join(map(code, game.pile)) or "none",
                ", ".join(game.bag),
                f"{row['positions']:,}",
                f"{row['value']:+.4f}",
                f"{30 * row['margin']:+.4f}",
            )
        )
    header = (
        "game", "coins", "cards owned", "first round", "last round", "bag", "positions", "value to seat 0",
        "points of lead",
    )  # fmt: skip
    return paragraphs(table(header, rows, "llllllrrr"))


def exploitability() -> str:
    """The exact exploitability of every player in every game."""
    result = read("mini")
    names = list(dict.fromkeys(row["game"] for row in result["exploited"]))
    found = {(row["player"], row["game"]): f"{row['exploitability']:.4f}" for row in result["exploited"]}
    players = list(dict.fromkeys(row["player"] for row in result["exploited"]))
    rows = [(code(player), *(found.get((player, name), "") for name in names)) for player in players]
    return paragraphs(table(("player", *map(code, names)), rows), measured_on(result))


def search() -> str:
    """Search with growing budget."""
    rows = [
        (
            code(row["game"]),
            f"{row['simulations']:,}",
            f"{row['loss']:.4f}",
            f"{row['wrong']:.1%}",
            f"{row['estimate']:+.3f} ± {row['spread']:.3f}",
            f"{row['value']:+.3f}",
        )
        for row in read("mini")["searched"]
    ]
    header = ("game", "simulations", "mean loss", "decisions that lose", "estimate", "value")
    return paragraphs(table(header, rows, "lrrrrr"))


def exploited() -> str:
    """What trained best responses win from each player."""
    if not (RESULTS / "exploit.json").exists():
        command = "`python -m benchmarks.exploit` makes this table"
        return f"Not measured yet: {command}, in some two minutes for each player and number of players."
    result = read("exploit")
    rows = [_exploited_row(row) for row in result["rows"]]
    header = ("player", "players", "par", "win share of the exploiter", "gain, %", "decisions")
    return paragraphs(table(header, rows, "lrrrrr"), measured_on(result))


def _exploited_row(row: dict[str, Any]) -> tuple[str, ...]:
    gain = row["gain"]
    return (
        code(row["player"]),
        str(row["players"]),
        f"{row['par']:.0%}",
        f"{row['win_share']['estimate']:.1%}",
        f"{100 * gain['estimate']:.1f} [{100 * gain['low']:.1f}, {100 * gain['high']:.1f}]",
        f"{row['steps']:,}",
    )


TABLES = {
    "mini games": games,
    "mini exploitability": exploitability,
    "mini search": search,
    "exploited": exploited,
}
