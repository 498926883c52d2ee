"""Tables of the frameworks that the environment is tested in, from the results of `make stacks`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from docs.tables.markdown import Result, code, measured_on, paragraphs, table
from speicher_apps.meter.report import short
from tests.stacks.stack import Stack, stacks

NONE = "–"


def result_of(stack: Stack) -> Result | None:
    """What the last run of a stack measured; None before the first."""
    if not stack.result.is_file():
        return None
    result: Result = json.loads(stack.result.read_text(encoding="utf-8"))
    return result


def title_of(stack: Stack) -> str:
    """The heading of a stack's page."""
    if not stack.page.is_file():
        return stack.name
    return stack.page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def comparison() -> str:
    """A row for each example of each stack."""
    header = (
        "stack", "version", "decisions/s in play", "ours in the same run", "decisions/s in training", "players",
        "win share", "against", "minutes",
    )  # fmt: skip
    rows: list[tuple[object, ...]] = []
    for stack in stacks():
        result = result_of(stack)
        link = f"[{title_of(stack)}]({stack.page.name})"
        if result is None:
            rows.append((link, *["not measured yet"], *[NONE] * (len(header) - 2)))
            continue
        version = result["versions"].get(stack.packages[0].lower().replace("_", "-"), NONE)
        for name, figures in (result["examples"] or {"": {}}).items():
            rows.append((f"{link}, {name}" if name else link, version, *_rates(figures), *_strength(figures)))
    return table(header, rows, "ll" + "r" * 5 + "lr") if rows else "No stack has been measured yet."


def details(stack: Stack) -> str:
    """The versions, figures and outcomes of one stack."""
    result = result_of(stack)
    if result is None:
        return f"Not measured yet; `make stacks STACK={stack.name}` does it."
    header = ("example", "decisions/s in play", "ours in the same run", "decisions/s in training", "players",
              "win share", "against", "minutes")  # fmt: skip
    rows = [
        (name or "the example", *_rates(figures), *_strength(figures)) for name, figures in result["examples"].items()
    ]
    counted = Counter(test["outcome"] for test in result["tests"].values())
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counted.items()))
    minutes = result["cpu_seconds"] / 60
    return paragraphs(
        measured_on(result),
        f"Tests: {outcomes}, in {minutes:.1f} minutes of CPU.",
        table(header, rows, "l" + "r" * 5 + "lr") if rows else "",
    )


def _rates(figures: Mapping[str, Any]) -> list[str]:
    names = ("decisions_per_second", "ours_per_second", "training_per_second")
    return [short(figures[name]) if name in figures else NONE for name in names]


def _strength(figures: Mapping[str, Any]) -> list[str]:
    players = f"{figures['players']:.0f}" if "players" in figures else NONE
    share = f"{figures['win_share']:.3f}" if "win_share" in figures else NONE
    if "low" in figures:
        share += f" [{figures['low']:.3f}, {figures['high']:.3f}]"
    opponent = code(figures["opponent"]) if "opponent" in figures else NONE
    minutes = f"{figures['minutes']:.1f}" if "minutes" in figures else NONE
    return [players, share, opponent, minutes]


TABLES = {"stacks": comparison} | {f"stack {stack.name}": partial(details, stack) for stack in stacks()}
