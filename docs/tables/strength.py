"""Tables of the page on the strength of the players."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from benchmarks.strength import KEPT, RUNS
from docs.tables.markdown import paragraphs, ranged, shell, table
from speicher_training.arena.analysis import order_of

Summary = dict[str, Any]


def software() -> str:
    """What the arenas were played with."""
    played = _summary(next(iter(RUNS)))
    versions = ", ".join(f"{name} {version}" for name, version in played["software"].items())
    return f"Software: {versions}."


def section(name: str) -> str:
    """One arena: the command, the ratings, and who finished ahead of whom."""
    summary = _summary(name)
    players = [summary["players"][number] for number in order_of(summary["players"])]
    ratings = [
        (
            f"`{player['name']}`",
            "0" if player["name"] == summary["anchor"] else ranged(player["rating"], 0, sign="+"),
            ranged(player["win_share"], 1, 100),
            ranged(player["points"], 1),
        )
        for player in players
    ]
    names = [player["name"] for player in players]
    pairs = [
        (f"`{name}`", *(ahead(summary, name, other) if other in names[row:] else "" for other in names[1:]))
        for row, name in enumerate(names[:-1], start=1)
    ]
    return paragraphs(
        shell(f"speicher arena {RUNS[name].arguments}"),
        f"{summary['deals']} deals, {summary['games']:,} games; par for the win share is {100 * summary['par']:.1f} %; "
        f"{100 * summary['ties']:.1f} % of the games had a shared win. {_edition(summary)}",
        table(("player", "rating", "win share, %", "points"), ratings),
        table(("ahead of", *(f"`{name}`" for name in names[1:])), pairs),
    )


def ahead(summary: Summary, name: str, other: str) -> str:
    """How often one player finished ahead of another."""
    for pair in summary["pairs"]:
        share = pair["ahead"]
        if (pair["first"], pair["second"]) == (other, name):
            share = {"estimate": 1 - share["estimate"], "low": 1 - share["high"], "high": 1 - share["low"]}
        elif (pair["first"], pair["second"]) != (name, other):
            continue
        return ranged(share, 1, 100) + "*" * pair["significant"]
    raise KeyError(f"{name} and {other} have not played each other")


def _edition(summary: Summary) -> str:
    """The edition of the deck that an arena was played with."""
    edition = summary.get("edition")
    return f"Deck edition `{edition}`." if edition else "**Played on the first edition of the deck.**"


def ladder() -> str:
    """Win shares of the scripted players, by player count."""
    summaries = {count: _summary(f"{count}p") for count in (2, 3, 4, 5)}
    shares = {
        count: {player["name"]: player["win_share"] for player in summary["players"]}
        for count, summary in summaries.items()
    }
    names = sorted(shares[2], key=lambda name: -shares[2][name]["estimate"])
    rows = [(f"`{name}`", *(ranged(of_count[name], 1, 100) for of_count in shares.values())) for name in names]
    rows.append(("par", *(f"{100 / count:.1f}" for count in shares)))
    return table(("player", *(f"{count} players" for count in shares)), rows)


def _summary(name: str) -> Summary:
    summary: Summary = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    return summary


TABLES = {"strength software": software, "strength ladder": ladder} | {
    f"strength {name}": partial(section, name) for name in RUNS
}
