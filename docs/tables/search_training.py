"""The tables that compare PPO with learning from search."""

from __future__ import annotations

import json
from functools import partial

from benchmarks.search_training import COURSES, KEPT, PANEL, PPO
from docs.tables.markdown import Result, code, measured_on, paragraphs, ranged, table


def kept(players: int) -> dict[str, list[Result]]:
    """The results that there are, by course."""
    results: dict[str, list[Result]] = {}
    for path in sorted(KEPT.glob(f"*-{players}p-*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        results.setdefault(result["course"], []).append(result)
    return {course: results[course] for course in COURSES if course in results}


def courses(players: int) -> str:
    """What each course has reached in the same core time."""
    results = kept(players)
    if not results:
        return "Not measured yet: `python -m benchmarks.search_training` measures it."
    first = next(iter(results.values()))[0]
    against = (*PANEL, PPO)
    rows = [
        (
            code(course), result["seed"], millions(result["steps"]), millions(result["searched"]),
            *(share(result, opponent) for opponent in against),
        )
        for course, runs in results.items() for result in runs
    ]  # fmt: skip
    return paragraphs(
        f"{first['core_minutes']:g} minutes of core time for each run; {first['deals']} held-out deals against each "
        f"opponent, each from every seat. {measured_on(first)}",
        table(
            ("course", "seed", "decisions by PPO, millions", "of searched games, millions",
             *(f"against {code(opponent)}, %" for opponent in against)),
            rows,
        ),
    )  # fmt: skip


def millions(number: int) -> str:
    """A number of decisions, in millions."""
    return f"{number / 1e6:.2f}"


def share(result: Result, opponent: str) -> str:
    """A win share in % with its interval."""
    if opponent not in result["against"]:
        return "–"
    return ranged(result["against"][opponent], 1, 100)


TABLES = {f"search training {players}p": partial(courses, players) for players in (2, 4)}
