"""The page on the strength of the players shows the arenas that are kept, and reads them the right way round."""

from __future__ import annotations

from typing import Any

import pytest

from docs.tables import strength


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


def test_a_pair_is_told_as_the_better_player_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert strength.ahead(summary(), "merchant", "random") == "87.5 [77.5, 97.5]*"
    assert strength.ahead(summary(), "random", "merchant") == "12.5 [2.5, 22.5]*"
    monkeypatch.setattr(strength, "_summary", lambda name: summary())
    section = strength.section("2p")
    assert section.startswith(f"```bash\nspeicher arena {strength.RUNS['2p'].arguments}\n```")
    assert section.index("| `merchant` |") < section.index("| `random` |")
    assert "| `merchant` | 87.5 [77.5, 97.5]* |" in section
