"""The page on the strength of the players shows the arenas that are kept, and reads them the right way round."""

from __future__ import annotations

import json
from typing import Any

from benchmarks import strength, strength_page
from benchmarks.parts import DOCS


def test_the_committed_page_is_what_the_committed_results_make() -> None:
    kept = {name: strength.KEPT / f"{name}.json" for name in strength.RUNS}
    path = DOCS / "strength.md"
    assert path.is_file() == all(file.is_file() for file in kept.values())
    if path.is_file():
        summaries = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in kept.items()}
        made = strength_page.strength_page(summaries)
        assert path.read_text(encoding="utf-8") == made, "python -m benchmarks.strength_page makes the page anew"


def numbers(estimate: float) -> dict[str, float]:
    return {"estimate": estimate, "low": estimate - 0.1, "high": estimate + 0.1}


def summary() -> dict[str, Any]:
    players = [("random", 0.0, 0.1), ("merchant", 500.0, 0.9)]
    return {
        "deals": 10,
        "games": 20,
        "par": 0.5,
        "ties": 0.05,
        "anchor": "random",
        "software": {"python": "3.11"},
        "players": [
            {"name": name, "rating": numbers(rating), "win_share": numbers(share), "points": numbers(10)}
            for name, rating, share in players
        ],
        "pairs": [{"first": "random", "second": "merchant", "ahead": numbers(0.125), "significant": True}],
    }


def test_a_pair_is_told_as_the_better_player_sees_it() -> None:
    assert strength_page.ahead(summary(), "merchant", "random") == "87.5 [77.5, 97.5]*"
    assert strength_page.ahead(summary(), "random", "merchant") == "12.5 [2.5, 22.5]*"
    section = "\n".join(strength_page.section(summary(), "random merchant"))
    assert section.index("| `merchant` |") < section.index("| `random` |")
    assert "| `merchant` | 87.5 [77.5, 97.5]* |" in section


def test_every_run_is_shown_with_its_command() -> None:
    text = strength_page.strength_page(dict.fromkeys(strength.RUNS, summary()))
    for run in strength.RUNS.values():
        assert f"speicher arena {run.arguments}\n" in text and f"## {run.title}\n" in text
