"""`python -m benchmarks.strength_page`: the page on the strength of the players, from the arenas that are kept."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.parts import DOCS, page, table
from benchmarks.strength import KEPT, RUNS
from speicher_training.arena.analysis import order_of

Summary = dict[str, Any]


def strength_page(summaries: dict[str, Summary]) -> str:
    """docs/strength.md."""
    parts = []
    for name, summary in summaries.items():
        parts += [f"## {RUNS[name].title}", *section(summary, RUNS[name].arguments)]
    software = ", ".join(f"{name} {text}" for name, text in next(iter(summaries.values()))["software"].items())
    return page(
        "# How strong the players are",
        "Arenas on held-out deals, each deal in all seatings. Ratings have `random` at 0 where it plays, else the "
        "first player named; 400 more make the odds of winning ten times as good. In brackets 95 % intervals from a "
        "bootstrap over deals; [the arena](arena.md) says how they are made. *Ahead of* is the share of common games, "
        "in %, in which the player of the row finished ahead of the one of the column, ties counting half; a star "
        "marks what is significant at 5 % after Holm's correction.",
        f"Software: {software}.",
        *parts,
        "## Measuring again",
        "```bash\npython -m benchmarks.strength         # half an hour on two cores; goes on when interrupted\n"
        "python -m benchmarks.strength_page    # this page\n```",
        by="strength_page",
    )  # fmt: skip


def section(summary: Summary, arguments: str) -> Iterator[str]:
    """One arena."""
    players = [summary["players"][number] for number in order_of(summary["players"])]
    yield f"```bash\nspeicher arena {arguments}\n```"
    yield (
        f"{summary['deals']} deals, {summary['games']:,} games; par for the win share is {100 * summary['par']:.1f} %, "
        f"and wins were shared in {100 * summary['ties']:.1f} % of the games."
    )
    yield table(
        ("player", "rating", "win share, %", "points"),
        [
            (
                f"`{told['name']}`",
                "0" if told["name"] == summary["anchor"] else ranged(told["rating"], 0, sign="+"),
                ranged(told["win_share"], 1, 100),
                ranged(told["points"], 1),
            )
            for told in players
        ],
    )
    names = [told["name"] for told in players]
    yield table(
        ("ahead of", *(f"`{name}`" for name in names[1:])),
        [
            (f"`{name}`", *(ahead(summary, name, other) if other in names[row:] else "" for other in names[1:]))
            for row, name in enumerate(names[:-1], start=1)
        ],
    )


def ahead(summary: Summary, name: str, other: str) -> str:
    """How often one player finished ahead of another."""
    for told in summary["pairs"]:
        share = told["ahead"]
        if (told["first"], told["second"]) == (other, name):
            share = {"estimate": 1 - share["estimate"], "low": 1 - share["high"], "high": 1 - share["low"]}
        elif (told["first"], told["second"]) != (name, other):
            continue
        return ranged(share, 1, 100) + "*" * told["significant"]
    raise KeyError(f"{name} and {other} have not played each other")


def ranged(numbers: dict[str, float], digits: int, scale: float = 1, sign: str = "") -> str:
    """A number with its interval."""
    estimate, low, high = (f"{scale * numbers[key] + 0.0:{sign}.{digits}f}" for key in ("estimate", "low", "high"))
    return f"{estimate} [{low}, {high}]"


def main(arguments: list[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength_page", description=__doc__)
    parser.add_argument("--results", type=Path, default=KEPT, help="folder of the results")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages")
    options = parser.parse_args(arguments)
    missing = [name for name in RUNS if not (options.results / f"{name}.json").is_file()]
    if missing:
        parser.exit(2, f"{options.results} has no {', '.join(missing)}: python -m benchmarks.strength measures them\n")
    summaries = {name: json.loads((options.results / f"{name}.json").read_text(encoding="utf-8")) for name in RUNS}
    (options.docs / "strength.md").write_text(strength_page(summaries), encoding="utf-8")


if __name__ == "__main__":
    main()
